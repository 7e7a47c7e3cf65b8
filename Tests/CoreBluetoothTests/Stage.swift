import EventLoops
import GATT
import Logs
import Testing

@testable import CoreBluetooth

/// A manager on a scripted transport, and a delegate that writes down what it hears.
struct Stage {
    static let phone = RemoteCentral(address: BluetoothAddress("C0:00:00:00:00:01", kind: .random)!, mtu: 185)
    static let tablet = RemoteCentral(address: BluetoothAddress("C0:00:00:00:00:02", kind: .random)!, mtu: 23)

    let transport = ScriptedPeripheral()
    let delegate = Diary()
    let manager: CBPeripheralManager
    let queue = DispatchQueue(label: "delivery")
    let log = Diary.Lines()

    /// - Parameter state: Told before anything else; nil to tell none.
    init(_ state: CentralState? = .poweredOn, options: [String: Any]? = nil, directory: URL? = nil) async {
        manager = Self.withOptions { [transport, log] standard in
            standard.peripheral = transport
            standard.stateDirectory = directory
            standard.log = { log.note("\($1)") }
        } _: { [delegate, queue] in
            CBPeripheralManager(delegate: delegate, queue: queue, options: options)
        }
        if let state { await tell(.state(state)) }
    }

    /// The options are the process's: no two managers are made at a time.
    private static let making = Locked(())

    /// Makes a manager with options other than the defaults.
    static func withOptions(_ change: (inout CoreBluetoothOptions) -> Void, _ make: () -> CBPeripheralManager) -> CBPeripheralManager {
        making.withLock { _ in
            change(&CoreBluetoothOptions.standard)
            defer { CoreBluetoothOptions.standard = CoreBluetoothOptions() }
            return make()
        }
    }

    /// Everything that has been asked or told so far has had its effect.
    func settle() async {
        for _ in 0..<4 {
            await withCheckedContinuation { continuation in
                transport.loop.execute { [queue] in queue.async { continuation.resume() } }
            }
        }
    }

    func tell(_ events: PeripheralEvent...) async {
        await settle()
        for event in events { await transport.tell(event) }
        await settle()
    }

    /// What the delegate has heard since.
    func heard() async -> [String] {
        await settle()
        return delegate.lines.take()
    }

    /// A service with a characteristic that can be read, written and notified, published.
    func publish(_ service: CBMutableService) async {
        manager.add(service)
        await settle()
        _ = delegate.lines.take()
        _ = await transport.takeJournal()
    }

    /// A request comes in.
    func ask(_ number: UInt64, _ event: (RequestID) -> PeripheralEvent) async {
        await tell(event(RequestID(number)))
    }

    func answer(_ number: UInt64) async -> Result<[UInt8], ATTError>? {
        await settle()
        return await transport.answers[RequestID(number)]
    }
}

/// A delegate that writes everything down.
final class Diary: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    /// Lines from any thread.
    final class Lines: Sendable {
        private let lines = Locked<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    let lines = Lines()
    /// What becomes of requests; they are kept if nil.
    let answering = Locked<((CBPeripheralManager, CBATTRequest) -> Void)?>(nil)
    let requests = Locked<[CBATTRequest]>([])
    let services = Locked<[CBService]>([])
    let onReady = Locked<((CBPeripheralManager) -> Void)?>(nil)

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { lines.note("state \(Self.word(peripheral.state))") }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        let advertisement = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
        lines.note("restore \(services.map(\.uuid.uuidString)) \(advertisement?[CBAdvertisementDataLocalNameKey] as? String ?? "-")")
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        lines.note("advertising \(peripheral.isAdvertising)\(Self.text(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        lines.note("added \(service.uuid.uuidString)\(Self.text(error))")
        services.withLock { $0.append(service) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic) {
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1
        lines.note("subscribed \(characteristic.uuid.uuidString) \(central.maximumUpdateValueLength) of \(count)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic) {
        let count = (characteristic as? CBMutableCharacteristic)?.subscribedCentrals?.count ?? -1
        lines.note("unsubscribed \(characteristic.uuid.uuidString) \(central.maximumUpdateValueLength) of \(count)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        lines.note("read \(request.characteristic.uuid.uuidString) at \(request.offset)")
        receive(request, peripheral)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            lines.note("write \(request.characteristic.uuid.uuidString) at \(request.offset): \(request.value.map { Array($0) } ?? [])")
        }
        receive(requests[0], peripheral)
    }

    private func receive(_ request: CBATTRequest, _ peripheral: CBPeripheralManager) {
        guard let answering = answering.withLock({ $0 }) else { return requests.withLock { $0.append(request) } }
        answering(peripheral, request)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        lines.note("ready")
        onReady.withLock { $0 }?(peripheral)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        lines.note("channel \(PSM)\(Self.text(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?) {
        lines.note("no channel \(PSM)\(Self.text(error))")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        lines.note("open \(channel != nil)\(Self.text(error))")
    }

    private static func word(_ state: CBManagerState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        @unknown default: "?"
        }
    }

    private static func text(_ error: (any Error)?) -> String {
        error.map { ", \(($0 as? CBError)?.code.rawValue ?? -1)" } ?? ""
    }
}

/// The service most tests use.
struct Sensor {
    let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
    let note = CBMutableCharacteristic(type: CBUUID(string: "FF01"), properties: [.read, .write], value: nil, permissions: [.readable, .writeable])
    let ticks = CBMutableCharacteristic(type: CBUUID(string: "FF02"), properties: [.notify], value: nil, permissions: [])

    init() { service.characteristics = [note, ticks] }
}
