/// Hears of an ``NRFManager``. All methods are optional and come on the main queue, each after the closure for the same event (contract C15).
///
/// A subclass that adds a method to a conforming class is not asked: let the base class implement it, even empty, and override it (contract A8).
@preconcurrency
public protocol NRFManagerDelegate: AnyObject {
    /// A device is connected.
    func nrfDidConnect(_ nrfManager: NRFManager)

    /// The connection has ended; comes once for each ``nrfDidConnect(_:)``.
    func nrfDidDisconnect(_ nrfManager: NRFManager)

    /// A packet came.
    ///
    /// - Parameters:
    ///   - nrfManager: Who received it.
    ///   - data: Never nil.
    ///   - string: The same as text; nil if it is no valid UTF-8, as when a character was split over two packets (contract C28).
    func nrfReceivedData(_ nrfManager: NRFManager, data: Data?, string: String?)
}

/// Methods that are not implemented do nothing (contract A6).
extension NRFManagerDelegate {
    /// Does nothing.
    public func nrfDidConnect(_ nrfManager: NRFManager) {}

    /// Does nothing.
    public func nrfDidDisconnect(_ nrfManager: NRFManager) {}

    /// Does nothing.
    public func nrfReceivedData(_ nrfManager: NRFManager, data: Data?, string: String?) {}
}

/// For programs that relay calls with a question mark, as in `other?.nrfDidConnect?(manager)` (contract A7). None is ever nil, also where a method is not
/// implemented: then calling it does nothing.
extension NRFManagerDelegate {
    /// Relays ``nrfDidConnect(_:)``.
    public var nrfDidConnect: NRFManagerConnectionMethod? { NRFManagerConnectionMethod { self.nrfDidConnect($0) } }

    /// Relays ``nrfDidDisconnect(_:)``.
    public var nrfDidDisconnect: NRFManagerConnectionMethod? { NRFManagerConnectionMethod { self.nrfDidDisconnect($0) } }

    /// Relays ``nrfReceivedData(_:data:string:)``.
    public var nrfReceivedData: NRFManagerDataMethod? { NRFManagerDataMethod { self.nrfReceivedData($0, data: $1, string: $2) } }
}

/// An optional method of a ``NRFManagerDelegate`` that takes the manager.
public struct NRFManagerConnectionMethod {
    fileprivate let body: (NRFManager) -> Void

    /// Calls it.
    public func callAsFunction(_ nrfManager: NRFManager) { body(nrfManager) }
}

/// The method ``NRFManagerDelegate/nrfReceivedData(_:data:string:)`` of a delegate.
public struct NRFManagerDataMethod {
    fileprivate let body: (NRFManager, Data?, String?) -> Void

    /// Calls it.
    public func callAsFunction(_ nrfManager: NRFManager, data: Data?, string: String?) { body(nrfManager, data, string) }
}
