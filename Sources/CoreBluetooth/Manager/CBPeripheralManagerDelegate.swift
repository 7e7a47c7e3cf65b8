/// Hears of a peripheral manager. All calls come on the manager's queue, one after the other; its properties, and those of services and
/// centrals, are those of that moment (contract A26).
///
/// The first method has to be there; the others may be left out. A subclass that adds an optional method to a conforming class is not
/// asked: let the base class implement it, even empty, and override it (contract A8).
@preconcurrency
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The state has changed; called once at the start, too (contract D30).
    ///
    /// Below `poweredOn` no central is subscribed any more, and advertising pauses; it goes on by itself. Below `poweredOff` services and
    /// advertising are forgotten: add and start them again at the next `poweredOn`.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// What an earlier run of the program has published and advertised is back. Optional; comes before all other calls, where restoring is
    /// switched on (contract D31, D120).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - dict: See ``CBPeripheralManagerRestoredStateServicesKey`` and ``CBPeripheralManagerRestoredStateAdvertisementDataKey``.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Advertising has begun, or was refused. Optional (contract D32).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - error: A ``CBError``: `alreadyAdvertising` while an advertisement goes on, `outOfSpace` if the adapter can hold no more,
    ///     `unknown` for everything else.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)

    /// A service was published, or refused. Optional (contract D33).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - service: The object that was added.
    ///   - error: A ``CBError``: `invalidParameters` if the service makes no sense, `uuidNotAllowed` if it is the system's own,
    ///     `operationNotSupported` if the system refuses, `unknown` for everything else.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)

    /// A central has switched notifications or indications on. Optional (contract D34).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - central: Who did it.
    ///   - characteristic: The object that was published; its `subscribedCentrals` has the central already.
    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)

    /// A central gets no notifications or indications any more. Optional (contract D35).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - central: Who did it.
    ///   - characteristic: The object that was published; its `subscribedCentrals` no longer has the central.
    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)

    /// A central reads a characteristic that has no fixed value. Optional (contract D36, D61).
    ///
    /// Set the request's `value` to the bytes from its `offset` on, and call ``CBPeripheralManager/respond(to:withResult:)`` within 4.5 s: after
    /// that the request is answered without the program, with an error (D65). Where this method is missing, the answer is `requestNotSupported`.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A central writes. Optional (contract D37, D62).
    ///
    /// Call ``CBPeripheralManager/respond(to:withResult:)`` once, with the first request, within 4.5 s: after that the request is answered
    /// without the program, with an error (D65). Where this method is missing, the answer is `requestNotSupported`.
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - requests: One on Linux, always.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])

    /// There is room for updates again. Optional; comes once after each time that
    /// ``CBPeripheralManager/updateValue(_:for:onSubscribedCentrals:)`` has returned false (contract D38).
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// Centrals can open channels, or cannot. Optional (contract D39).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - PSM: What centrals have to name; 0 if there is an error.
    ///   - error: A ``CBError``: `outOfSpace` if no number is free, `operationNotSupported` if the kernel has no Bluetooth.
    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// Centrals can open channels no more. Optional (contract D39).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - PSM: What was to be unpublished.
    ///   - error: A ``CBError``: `invalidParameters` if the number was not published, `unknown` if the adapter is gone.
    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)

    /// A central has opened a channel, or failed to. Optional (contract D39).
    ///
    /// - Parameters:
    ///   - peripheral: The manager whose delegate this is.
    ///   - channel: Lives as long as the program keeps it; nil if there is an error.
    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

/// Optional methods that are not implemented do nothing (contract A6), except that requests are refused.
extension CBPeripheralManagerDelegate {
    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}

    /// Does nothing.
    public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {}

    /// Answers `requestNotSupported`, if this is the manager's own delegate: the delegate may have passed the request on to this object, and
    /// answers it itself (contract D.3).
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        if self === peripheral.delegate { peripheral.respond(to: request, withResult: .requestNotSupported) }
    }

    /// Answers `requestNotSupported`, if this is the manager's own delegate: the delegate may have passed the requests on to this object, and
    /// answers them itself (contract D.3).
    public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        if self === peripheral.delegate, let first = requests.first { peripheral.respond(to: first, withResult: .requestNotSupported) }
    }

    /// Does nothing.
    public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {}

    /// Does nothing.
    public func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}
}
