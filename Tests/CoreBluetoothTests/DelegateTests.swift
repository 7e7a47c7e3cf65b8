import GATT
import Testing

@testable import CoreBluetooth

@Suite("Delegates")
struct DelegateTests {
    /// Notes what is answered.
    final class Manager: CBPeripheralManager {
        private(set) var answers: [CBATTError.Code] = []

        override func respond(to request: CBATTRequest, withResult result: CBATTError.Code) { answers.append(result) }
    }

    private static let characteristic = { @Sendable in
        CBMutableCharacteristic(type: CBUUID(string: "2A19"), properties: [.read, .notify], value: nil, permissions: .readable)
    }

    private static let central = CBCentral(address: BluetoothAddress(value: 1), mtu: 23)

    private static func request() -> CBATTRequest {
        CBATTRequest(id: RequestID(1), central: central, characteristic: characteristic(), offset: 0, value: nil)
    }

    /// Makes every call there is, by the question mark or without.
    private static func callEverything(_ delegate: any CBPeripheralManagerDelegate, _ manager: CBPeripheralManager, relaying: Bool) {
        let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
        let characteristic = characteristic()
        let error = CBError(.outOfSpace)
        if relaying {
            delegate.peripheralManager?(manager, willRestoreState: ["a": 1])
            delegate.peripheralManagerDidStartAdvertising?(manager, error: error)
            delegate.peripheralManager?(manager, didAdd: service, error: error)
            delegate.peripheralManager?(manager, central: central, didSubscribeTo: characteristic)
            delegate.peripheralManager?(manager, central: central, didUnsubscribeFrom: characteristic)
            delegate.peripheralManager?(manager, didReceiveRead: request())
            delegate.peripheralManager?(manager, didReceiveWrite: [request()])
            delegate.peripheralManagerIsReady?(toUpdateSubscribers: manager)
            delegate.peripheralManager?(manager, didPublishL2CAPChannel: 0x80, error: error)
            delegate.peripheralManager?(manager, didUnpublishL2CAPChannel: 0x81, error: error)
            delegate.peripheralManager?(manager, didOpen: nil, error: error)
        } else {
            delegate.peripheralManager(manager, willRestoreState: ["a": 1])
            delegate.peripheralManagerDidStartAdvertising(manager, error: error)
            delegate.peripheralManager(manager, didAdd: service, error: error)
            delegate.peripheralManager(manager, central: central, didSubscribeTo: characteristic)
            delegate.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
            delegate.peripheralManager(manager, didReceiveRead: request())
            delegate.peripheralManager(manager, didReceiveWrite: [request()])
            delegate.peripheralManagerIsReady(toUpdateSubscribers: manager)
            delegate.peripheralManager(manager, didPublishL2CAPChannel: 0x80, error: error)
            delegate.peripheralManager(manager, didUnpublishL2CAPChannel: 0x81, error: error)
            delegate.peripheralManager(manager, didOpen: nil, error: error)
        }
    }

    private static let everything = [
        "restore 1", "advertising 4", "add 180F 4", "subscribe 2A19", "unsubscribe 2A19", "read 0", "write 1", "ready", "publish 128 4",
        "unpublish 129 4", "open true 4",
    ]

    @Test("A7, D31-D39: a relay passes on every optional method, once, with what it was given", arguments: [false, true])
    func relay(relaying: Bool) {
        let manager = Manager(delegate: nil, queue: nil)
        let (relay, chronicle) = (RelayingDesk(), Chronicle())
        relay.other = chronicle
        Self.callEverything(relay, manager, relaying: relaying)
        #expect(chronicle.lines == Self.everything)
        relay.peripheralManagerDidUpdateState(manager)
        #expect(chronicle.lines.last == "state")
    }

    @Test("A6, A7: optional methods that are missing do nothing, called either way", arguments: [false, true])
    func missing(relaying: Bool) {
        let manager = Manager(delegate: nil, queue: nil)
        Self.callEverything(SilentDesk(), manager, relaying: relaying)
        #expect(manager.answers == [])
        #expect(SilentDesk().peripheralManager != nil && SilentDesk().peripheralManagerIsReady != nil)
    }

    @Test("D.3: a delegate without the methods for requests refuses them, each once", arguments: [false, true])
    func refusal(relaying: Bool) {
        let desk = SilentDesk()
        let manager = Manager(delegate: desk, queue: nil)
        Self.callEverything(desk, manager, relaying: relaying)
        #expect(manager.answers == [.requestNotSupported, .requestNotSupported])
        desk.peripheralManager(manager, didReceiveWrite: [])
        #expect(manager.answers.count == 2)
    }

    @Test("D.3: a relay is not answered for by the delegate behind it")
    func answeringForRelay() {
        let (relay, silent) = (RelayingDesk(), SilentDesk())
        relay.other = silent
        let manager = Manager(delegate: relay, queue: nil)
        Self.callEverything(relay, manager, relaying: false)
        #expect(manager.answers == [])
        manager.delegate = silent
        Self.callEverything(relay, manager, relaying: false)
        #expect(manager.answers == [.requestNotSupported, .requestNotSupported])
    }

    @Test("A8: a subclass overrides an optional method that its base class has")
    func overriding() {
        let manager = Manager(delegate: nil, queue: nil)
        let desk = GenerousDesk()
        manager.delegate = desk
        desk.peripheralManager?(manager, didReceiveRead: Self.request())
        #expect(manager.answers == [.success])
    }

    @Test("D11: the delegate is held weakly")
    func weakness() {
        let manager = Manager(delegate: SilentDesk(), queue: nil)
        #expect(manager.delegate == nil)
    }

    @Test("A20, A21: a screen in the main actor is a delegate") @MainActor
    func screen() {
        let model = SensorModel()
        let manager = Manager(delegate: model, queue: nil)
        model.peripheralManagerDidUpdateState(manager)
        #expect(model.caption == "Starting" && model.delegateIsSame(manager))
    }
}
