public import EventLoops

/// A transport in the central's role: it hears advertisements and opens links to devices.
///
/// A central is an actor on its ``loop``. What uses it is an actor on the same loop and calls it there without suspension
/// (`assumeIsolated`), so that the order of calls and events is one story. Handlers are always called on the loop and never
/// from inside the call that sets them.
public protocol Central: Actor {
    /// The loop on which the central runs and calls its handlers.
    nonisolated var loop: any EventLoop { get }

    /// Starts the central. Its first state is told through `handler`; calling again replaces the handler and tells the state anew.
    func start(_ handler: @escaping @Sendable (CentralEvent) -> Void)

    /// Says what to listen for, and with which adapters; nil stops listening. A new request replaces the last one. Other users of the same
    /// adapters are not affected.
    func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach)

    /// Whether others have a link to this device, which ``open(_:handler:)`` would share. Such a device is not heard.
    func isLinkedByOthers(_ address: BluetoothAddress) -> Bool

    /// Makes a link, or shares one that is already there, and prepares the service named in `request`.
    ///
    /// `handler` hears each step; its last event is ``LinkEvent/closed(_:)``, which comes exactly once.
    func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID

    /// What is known of a device from advertisements and links, be they long ago; nil if nothing is. An advertisement says what holds now.
    func remembered(_ address: BluetoothAddress) -> Advertisement?

    /// Sends a value by Write Without Response, or by Write if the characteristic cannot be written otherwise. Values leave in the order of the
    /// calls; those for a closed link are dropped.
    ///
    /// - Parameter completion: For those who send more than the radio can: called once, when the transport has taken the value and has room for
    ///   another, or with the reason why it was not sent. Who gives one waits for it before writing to this characteristic again.
    func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?)

    /// Ends a link, or the attempt to make one.
    func close(_ link: LinkID, _ ending: LinkEnding)
}

extension Central {
    /// Says what to listen for with the adapter in use.
    public func discover(_ filter: DiscoveryFilter?) { discover(filter, on: .chosen) }

    /// Sends a value, without waiting for the transport.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID) {
        write(value, to: characteristic, on: link, completion: nil)
    }
}

/// How far a central listens.
public enum DiscoveryReach: Hashable, Sendable {
    /// With the adapter in use.
    case chosen
    /// With all adapters that the central may use, where there are several.
    case all
}

/// How thoroughly a link is to be ended.
public enum LinkEnding: Hashable, Sendable {
    /// Where others share the link, only this use of it ends.
    case keepingShared
    /// The same. If the link was made for this use and is really gone, the system forgets what it has learnt of the device.
    case forgetting
    /// Nobody keeps it.
    case forEverybody
}

/// Names an open link within its central. Numbers are never used twice.
public struct LinkID: Hashable, Sendable {
    /// Unique within the central.
    package let number: UInt64

    /// - Parameter number: Unique within the central.
    public init(_ number: UInt64) {
        self.number = number
    }
}

/// What a central should listen for.
public enum DiscoveryFilter: Hashable, Sendable {
    /// Everything: devices that are known by their address may name no service.
    case any
    /// Devices that name one of these services.
    case services([BluetoothUUID])

    /// Devices that name this service.
    public static func service(_ service: BluetoothUUID) -> DiscoveryFilter { .services([service]) }
}

/// A wish for a link with one service ready for use.
public struct LinkRequest: Equatable, Sendable {
    /// The device.
    public var address: BluetoothAddress
    /// The service that has to be there.
    public var service: BluetoothUUID
    /// Characteristics whose notifications are switched on before the link counts as ready.
    public var notifying: [BluetoothUUID]
    /// Characteristics that will be written to.
    public var writable: [BluetoothUUID]
    /// How long the link itself may take.
    public var timeout: Duration

    /// Makes a request.
    public init(
        address: BluetoothAddress,
        service: BluetoothUUID,
        notifying: [BluetoothUUID],
        writable: [BluetoothUUID],
        timeout: Duration
    ) {
        self.address = address
        self.service = service
        self.notifying = notifying
        self.writable = writable
        self.timeout = timeout
    }
}

/// State of a transport (contract B.7).
public enum CentralState: Hashable, Sendable {
    /// No answer yet.
    case unknown
    /// The Bluetooth service went away and is expected back.
    case resetting
    /// There is no usable Bluetooth here.
    case unsupported(UnsupportedReason)
    /// The system refuses access.
    case unauthorized
    /// The adapter is switched off or blocked.
    case poweredOff
    /// Ready for use.
    case poweredOn

    /// Why Bluetooth cannot be used.
    public enum UnsupportedReason: Hashable, Sendable {
        /// No bus, no Bluetooth service, or no adapter for Bluetooth Low Energy.
        case missing
        /// The Bluetooth service or the kernel is too old.
        case tooOld
    }
}

/// What a central tells.
public enum CentralEvent: Sendable {
    /// The state is now this.
    case state(CentralState)
    /// A device was heard.
    case advertisement(Advertisement)
    /// Another user of the adapter has a link to this device; opening it will share that link. Told when the link is made, and when a use
    /// of it here has ended and the link stays.
    case linkedByOthers(BluetoothAddress)
    /// The computer was asleep: what was said before may be long ago.
    case resumed
}

/// The steps of a link.
public enum LinkEvent: Sendable {
    /// The link is up; services are being looked up.
    case connected
    /// The service is there and notifications are on. `mtu` is the ATT MTU (23 where the transport does not say).
    case ready(mtu: Int)
    /// A notification.
    case value([UInt8], from: BluetoothUUID)
    /// The link is gone, or was never made. Nothing comes after it.
    case closed(LinkError?)
}

/// Why a link was not made or ended. No error at all means: ended as asked.
public struct LinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Hashable, Sendable {
        /// The central is not powered on, or was switched off.
        case notPoweredOn
        /// The device did not answer in time, or went out of range.
        case timeout
        /// The device ended the link.
        case closedByPeer
        /// The adapter can hold no more links.
        case limitReached
        /// Any other failure to make the link.
        case failed
        /// The service or one of the characteristics is missing, or was not found in time.
        case serviceNotFound
        /// Notifications could not be switched on.
        case notifyRefused
        /// The system insists on bonding.
        case bondingRequired
    }

    /// What went wrong.
    public let code: Code
    /// The transport's own words, for logs: error name and text, object, what was attempted.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// For logs.
    public var description: String { detail.isEmpty ? "\(code)" : "\(code): \(detail)" }
}
