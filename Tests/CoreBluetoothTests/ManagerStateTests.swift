import EventLoops
import GATT
import Testing

@testable import CoreBluetooth

@Suite("States of a peripheral manager (contract D.2, D30)")
struct ManagerStateTests {
    @Test("D10: nothing is called from inside the initializer; then each state is told, with its value at that moment")
    func states() async {
        let stage = await Stage(nil)
        #expect(stage.manager.state == .unknown && !stage.manager.isAdvertising)
        #expect(await stage.heard() == [])
        await stage.tell(.state(.poweredOff), .state(.poweredOn))
        #expect(await stage.heard() == ["state poweredOff", "state poweredOn"])
        await stage.tell(.state(.poweredOn))
        #expect(await stage.heard() == [], "told already")
    }

    @Test("D10: the three initializers; what they leave out is nil", arguments: 0..<3)
    func initializers(number: Int) async {
        let transport = ScriptedPeripheral()
        let delegate = Diary()
        let manager = Stage.withOptions({ $0.peripheral = transport }) {
            switch number {
            case 0: CBPeripheralManager()
            case 1: CBPeripheralManager(delegate: delegate, queue: nil)
            default: CBPeripheralManager(delegate: delegate, queue: nil, options: nil)
            }
        }
        #expect(manager.state == .unknown && manager.restoration == nil)
        #expect((manager.delegate === delegate) == (number > 0))
        manager.delegate = delegate
        await withCheckedContinuation { continuation in transport.loop.execute { continuation.resume() } }
        await transport.tell(.state(.poweredOn))
        #expect(manager.queue.label == DispatchQueue.main.label)
        await withCheckedContinuation { continuation in manager.queue.async { continuation.resume() } }
        #expect(delegate.lines.take() == ["state poweredOn"])
    }

    @Test("D121: whoever wants users to be warned when Bluetooth is switched off finds that in the log, each time", arguments: [nil, false, true])
    func warning(isWanted: Bool?) async {
        let stage = await Stage(.poweredOff, options: isWanted.map { [CBPeripheralManagerOptionShowPowerAlertKey: $0] })
        await stage.tell(.state(.poweredOn), .state(.poweredOff))
        #expect(await stage.heard() == ["state poweredOff", "state poweredOn", "state poweredOff"])
        #expect(stage.log.take().count == (isWanted == true ? 2 : 0))
    }

    @Test(
        "B.7: which states there are",
        arguments: [
            (.resetting, "resetting"), (.unsupported(.missing), "unsupported"), (.unsupported(.tooOld), "unsupported"),
            (.unauthorized, "unauthorized"),
        ] as [(CentralState, String)]
    )
    func others(state: CentralState, name: String) async {
        let stage = await Stage(state)
        #expect(await stage.heard() == ["state \(name)"])
    }

    @Test("D11: a delegate that is set later hears what comes then")
    func laterDelegate() async {
        let stage = await Stage(nil)
        stage.manager.delegate = nil
        await stage.tell(.state(.poweredOff))
        stage.manager.delegate = stage.delegate
        #expect(stage.manager.delegate === stage.delegate)
        await stage.tell(.state(.poweredOn))
        #expect(await stage.heard() == ["state poweredOn"])
    }

    @Test("D21: commands that Bluetooth is not ready for are dropped and logged", arguments: [nil, .poweredOff, .resetting] as [CentralState?])
    func misuse(state: CentralState?) async {
        let stage = await Stage(state)
        _ = await stage.heard()
        stage.manager.startAdvertising(nil)
        stage.manager.publishL2CAPChannel(withEncryption: false)
        #expect(await stage.heard() == [])
        #expect(await stage.transport.journal == [])
        #expect(stage.log.take().count == 2)
        stage.manager.stopAdvertising()
        stage.manager.add(Sensor().service)
        #expect(await stage.heard() == (state == .poweredOff ? ["added 180F"] : []))
        #expect(stage.log.take().count == (state == .poweredOff ? 0 : 1))
    }

    @Test("D30: below poweredOn all are unsubscribed first; services and advertising stay")
    func poweredOff() async throws {
        let (stage, sensor) = (await Stage(), Sensor())
        await stage.publish(sensor.service)
        stage.manager.startAdvertising(nil)
        await stage.tell(.subscribed(try #require(await stage.transport.name("FF02")), Stage.phone))
        _ = await stage.heard()
        await stage.tell(.state(.poweredOff))
        #expect(await stage.heard() == ["unsubscribed FF02 182 of 0", "state poweredOff"])
        #expect(stage.manager.isAdvertising, "paused (D12)")
        await stage.tell(.disconnected(Stage.phone.address), .state(.poweredOn))
        #expect(await stage.heard() == ["state poweredOn"])
        #expect(await stage.transport.services.count == 1)
        #expect(await stage.transport.advertised.count == 1)
    }

    @Test(
        "D30: below poweredOff services and advertising are forgotten, and can be added again",
        arguments: [.resetting, .unsupported(.missing)] as [CentralState]
    )
    func forgotten(state: CentralState) async throws {
        let (stage, sensor) = (await Stage(), Sensor())
        await stage.publish(sensor.service)
        stage.manager.startAdvertising(nil)
        await stage.tell(.subscribed(try #require(await stage.transport.name("FF02")), Stage.phone))
        _ = await stage.heard()
        await stage.tell(.state(state))
        #expect(await stage.heard().first == "unsubscribed FF02 182 of 0")
        #expect(!stage.manager.isAdvertising)
        #expect(await stage.transport.published.isEmpty)
        #expect(await stage.transport.advertised.isEmpty)
        await stage.tell(.state(.poweredOn))
        stage.manager.add(sensor.service)
        #expect(await stage.heard() == ["state poweredOn", "added 180F"])
    }

    /// Looks whether the manager advertises, whenever it hears of a state.
    private final class Onlooker: NSObject, CBPeripheralManagerDelegate, Sendable {
        let looks = Locked<[Bool]>([])

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { looks.withLock { $0.append(peripheral.isAdvertising) } }
    }

    @Test("D12: a program that hears of a state finds advertising as it is: going on while switched off, over when Bluetooth is gone")
    func advertising() async {
        let (stage, onlooker) = (await Stage(), Onlooker())
        stage.manager.startAdvertising(nil)
        await stage.settle()
        stage.manager.delegate = onlooker
        await stage.tell(.state(.poweredOff), .state(.resetting))
        #expect(onlooker.looks.withLock { $0 } == [true, false])
    }

    @Test("A service that was being added when Bluetooth went is answered")
    func interrupted() async {
        let (stage, sensor) = (await Stage(), Sensor())
        await stage.transport.wait()
        stage.manager.add(sensor.service)
        stage.manager.startAdvertising(nil)
        _ = await stage.heard()
        await stage.tell(.state(.resetting))
        #expect(await stage.heard() == ["state resetting", "advertising false, 0", "added 180F, 0"])
        await stage.tell(.state(.poweredOn))
        stage.manager.add(sensor.service)
        await stage.settle()
        await stage.transport.answerPublication(PeripheralError(.withdrawn))
        #expect(await stage.heard() == ["state poweredOn"], "that was the former one")
        await stage.transport.answerPublication()
        #expect(await stage.heard() == ["added 180F"])
    }

    @Test("D2: access that is denied shows in the authorization")
    func authorization() async {
        // The process has one; other tests set it back by having Bluetooth.
        let stage = await Stage(.unauthorized)
        #expect(await stage.heard() == ["state unauthorized"])
        #expect(stage.manager.state == .unauthorized)
    }
}
