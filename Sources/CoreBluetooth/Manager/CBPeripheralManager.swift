import BlueZ
import EventLoops
import GATT
import Logs

/// Publishes services, advertises them, and serves the centrals that come: the peripheral's role of Bluetooth Low Energy, over the system's
/// bluetoothd.
///
/// ```swift
/// import CoreBluetooth
///
/// final class Thermometer: NSObject, CBPeripheralManagerDelegate {
///     let temperature = CBMutableCharacteristic(type: CBUUID(string: "2A6E"), properties: [.read, .notify], value: nil, permissions: .readable)
///
///     func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
///         guard peripheral.state == .poweredOn else { return }
///         let service = CBMutableService(type: CBUUID(string: "181A"), primary: true)
///         service.characteristics = [temperature]
///         peripheral.add(service)
///         peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
///     }
///
///     func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) { … }
/// }
/// ```
///
/// All members may be used from any thread, and none of them blocks. The delegate is called on the queue given, one call at a time and never
/// from inside a method. On the main queue the program has to keep it going itself: with `dispatchMain()`, with `RunLoop.main.run()`, or with
/// an `async` main function that awaits something.
///
/// What differs from iOS (contract D.13): a request has to be answered within 4.5 s; an update meant for some of the subscribed centrals
/// reaches all of them; a central that unsubscribes while others stay is not noticed until it disconnects or subscribes again; where a
/// characteristic can be written both with and without response, bluetoothd acknowledges writes before the program has answered; most error
/// codes arrive as ``CBATTError/Code/unlikelyError``. Misuse does not raise an exception but is logged and without effect.
open class CBPeripheralManager: CBManager {
    let desk: PeripheralDesk
    let records: Locked<ManagerRecords>
    /// Serial.
    let queue: DispatchQueue
    let log: @Sendable (LogLevel, String) -> Void
    let restoration: Restoration?
    /// Whether ``CBPeripheralManagerOptionShowPowerAlertKey`` was set.
    let warnsOfPower: Bool

    /// A manager without a delegate, on the main queue (contract D10).
    public convenience init() {
        self.init(delegate: nil, queue: nil, options: nil)
    }

    /// A manager without options (contract D10).
    ///
    /// - Parameters:
    ///   - delegate: Hears of everything. Held weakly.
    ///   - queue: Where it is called; the main queue if nil.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Makes a manager. It never fails: ``CBManager/state`` tells whether it can be used, and the delegate hears that first (contract D10).
    ///
    /// - Parameters:
    ///   - delegate: Hears of everything. Held weakly.
    ///   - queue: Where it is called; the main queue if nil.
    ///   - options: ``CBPeripheralManagerOptionRestoreIdentifierKey`` is respected where ``CoreBluetoothOptions/stateDirectory`` is set;
    ///     with ``CBPeripheralManagerOptionShowPowerAlertKey`` the log says when Bluetooth is switched off (contract D120, D121).
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        let standard = CoreBluetoothOptions.standard
        let ear = Ear()
        let log = standard.log
        let remark = { @Sendable (text: String) in log(.notice, LogArea.peripheral.remark(text)) }
        self.log = log
        desk = PeripheralDesk(peripheral: standard.makePeripheral(), log: remark) { notice in ear.manager?.heard(notice) }
        records = Locked(ManagerRecords(delegate: delegate))
        // A queue of the program may be a concurrent one; the order of calls is kept all the same.
        self.queue = queue.map { DispatchQueue(label: "flickit.peripheral", target: $0) } ?? .main
        restoration = Restoration(options, standard.stateDirectory, log: remark)
        warnsOfPower = options?[CBPeripheralManagerOptionShowPowerAlertKey] as? Bool == true
        super.init(state: .unknown)
        ear.manager = self
        start()
    }

    deinit {
        let open = records.withLock { $0.takeRequests() }
        let desk = desk
        desk.loop.execute {
            desk.assumeIsolated { desk in
                for request in open { desk.respond(to: request, with: .failure(.unlikely)) }
            }
        }
    }

    // MARK: Properties

    /// Hears of everything. The object that is the delegate at the time of an event gets it; no call is kept for a later one. Held
    /// weakly (contract D11).
    ///
    /// With the delegate set to nil, requests that have not been answered get ``CBATTError/Code/unlikelyError`` (contract D66).
    open weak var delegate: (any CBPeripheralManagerDelegate)? {
        get { records.withLock { $0.delegate } }
        set {
            let open = records.withLock { records in
                records.delegate = newValue
                return newValue == nil ? records.takeRequests() : []
            }
            for request in open { answer(request, .failure(.unlikely)) }
        }
    }

    /// Whether the program's advertisement is on the air: true from the success of a start until it is stopped, or Bluetooth goes; also while
    /// the adapter is switched off, after which it goes on (contract D12).
    open var isAdvertising: Bool { records.withLock { $0.isAdvertising } }

    // MARK: Services

    /// Publishes a service. `peripheralManager(_:didAdd:error:)` tells how it went, in the order of the calls (contract D15).
    ///
    /// Services it includes have to be added before it. Its characteristics cannot be changed while it is published. Errors:
    /// `invalidParameters` for what Bluetooth or bluetoothd does not allow (contract D42, D45 to D47), `uuidNotAllowed` for the system's own
    /// services (D49).
    ///
    /// Works while the adapter is on or switched off; else the call is logged and dropped (D21).
    open func add(_ service: CBMutableService) {
        guard isUsable(for: "add", evenOff: true) else { return }
        records.withLock { records in
            let (id, content, includes) = records.add(service)
            call { $0.add(id, content, includes: includes) }
        }
    }

    /// Takes a service back. One that is not published is no error; one that others include has to be removed after them (contract D16).
    open func remove(_ service: CBMutableService) {
        guard isUsable(for: "remove", evenOff: true) else { return }
        let removal = records.withLock { records in
            let removal = records.remove(service)
            if case .removed(let id) = removal { call { $0.remove(id) } }
            return removal
        }
        switch removal {
        case .removed: save()
        case .unknown: break
        case .included: remark(.problem, "remove: \(service.uuid.uuidString) is included by another service, which has to be removed first")
        }
    }

    /// Takes all services back (contract D16).
    open func removeAllServices() {
        guard isUsable(for: "removeAllServices", evenOff: true) else { return }
        records.withLock { records in
            records.removeAll()
            call { $0.removeAllServices() }
        }
        save()
    }

    // MARK: Advertising

    /// Advertises until stopped, also while centrals are connected. `peripheralManagerDidStartAdvertising(_:error:)` tells how it went
    /// (contract D13).
    ///
    /// - Parameter advertisementData: ``CBAdvertisementDataLocalNameKey`` and ``CBAdvertisementDataServiceUUIDsKey`` are respected. There are 28
    ///   bytes for the services, and 29 for the name, which is sent in the scan response; what does not fit is left out, and logged (contract D50
    ///   to D54).
    ///
    /// Errors: `alreadyAdvertising`; `outOfSpace` if the adapter advertises for too many already. Below `poweredOn` the call is logged and
    /// dropped (D21).
    open func startAdvertising(_ advertisementData: [String: Any]?) {
        guard isUsable(for: "startAdvertising") else { return }
        let content = LocalAdvertisement(advertisementData) { remark(.notice, $0) }
        records.withLock { records in
            let number = records.startAdvertising(content)
            call { $0.startAdvertising(number, content) }
        }
    }

    /// Stops advertising. Centrals that are connected stay so (contract D14).
    open func stopAdvertising() {
        records.withLock { records in
            records.stopAdvertising()
            call { $0.stopAdvertising() }
        }
        save()
    }

    // MARK: Requests and updates

    /// Answers a request, once: what is answered a second time, or after 4.5 s, is logged and dropped (contract D17, D65).
    ///
    /// - Parameters:
    ///   - request: Of a read, with ``CBATTRequest/value`` set to the bytes from ``CBATTRequest/offset`` on; of writes, the first one.
    ///   - result: Over bluetoothd most codes arrive as ``CBATTError/Code/unlikelyError``; those from 0x80 to 0x9F arrive (contract D.6).
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {
        guard records.withLock({ $0.close(request.id) }) else {
            return remark(.problem, "respond: the request has been answered already, was not answered in time, or is of another manager")
        }
        guard result != .success else { return answer(request.id, .success(Array(request.value ?? Data()))) }
        let error = ATTError(result)
        if error == .unlikely, result != .unlikelyError {
            remark(.notice, "respond: bluetoothd cannot tell a central the error \(result.rawValue); it gets 14 (unlikelyError)")
        }
        answer(request.id, .failure(error))
    }

    /// Sends a value to the subscribed centrals, as notification or indication, in the order of the calls (contract D18).
    ///
    /// - Parameters:
    ///   - value: Cut to the smallest ``CBCentral/maximumUpdateValueLength`` of those it is meant for.
    ///   - characteristic: One that is published.
    ///   - centrals: Those it is meant for; all that are subscribed if nil. Others are ignored. If it is meant for some of them only, it reaches all
    ///     the same (contract D92).
    /// - Returns: False if too many updates are on their way; nothing is sent then, and `peripheralManagerIsReady(toUpdateSubscribers:)` tells
    ///   once there is room (contract D94).
    @discardableResult
    open func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?) -> Bool {
        records.withLock { records in
            guard let name = records.name(of: characteristic), let subscribers = records.characteristics[name]?.subscribers else { return true }
            let addressees = centrals.map { centrals in subscribers.filter { one in centrals.contains { $0.address == one.address } } } ?? subscribers
            guard let length = addressees.map(\.maximumUpdateValueLength).min() else { return true }
            guard records.takeRoom() else { return false }
            let bytes = Array(value.prefix(length))
            call { $0.update(bytes, of: name) }
            return true
        }
    }

    /// Has no effect: nothing on Linux lets a program without privileges choose the latency of one link (contract D19).
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {
        remark(.debug, "the latency of a connection cannot be chosen here")
    }

    // MARK: Channels

    /// Listens for L2CAP channels, on a number that `peripheralManager(_:didPublishL2CAPChannel:error:)` tells. Centrals learn it by other ways
    /// (contract D20, D109).
    ///
    /// - Parameter encryptionRequired: Only centrals that are paired get through.
    ///
    /// Errors: `outOfSpace` if no number is free, `operationNotSupported` if the kernel has no Bluetooth. Below `poweredOn` the call is logged
    /// and dropped (contract D102).
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
        guard isUsable(for: "publishL2CAPChannel") else { return }
        call { $0.publishChannel(requiresEncryption: encryptionRequired) }
    }

    /// Ends listening, and closes the channels that were opened by this number. `peripheralManager(_:didUnpublishL2CAPChannel:error:)` tells of
    /// it; with `invalidParameters` if nothing listens there (contract D20, D107).
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
        call { $0.unpublishChannel(PSM) }
    }
}

/// Leads to a manager that may be gone. `@unchecked Sendable`: set once, before anybody hears of it.
private final class Ear: @unchecked Sendable {
    weak var manager: CBPeripheralManager?
}
