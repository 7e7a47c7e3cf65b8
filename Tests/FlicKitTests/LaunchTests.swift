import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import GATT
import Testing

@Suite("Launch")
struct LaunchTests {
    @Test("Order 1, B38, B39: first launch: the restore, then the state; unknown and empty before")
    func firstLaunch() async {
        let stage = await Stage()
        #expect(stage.manager.state == .unknown)
        #expect(stage.manager.buttons().isEmpty)
        #expect(!stage.manager.isScanning)
        await stage.settle()
        #expect(stage.program.take() == ["restored: unknown buttons=0", "state poweredOn: poweredOn"])
        await stage.pass(.seconds(60), step: .seconds(1))
        #expect(stage.program.take() == [])
    }

    @Test(
        "B5, B22, B.7: each state of the transport is told under its name",
        arguments: [
            (CentralState.resetting, FLICManagerState.resetting), (.unsupported(.missing), .unsupported), (.unsupported(.tooOld), .unsupported),
            (.unauthorized, .unauthorized), (.poweredOff, .poweredOff), (.poweredOn, .poweredOn),
        ]
    )
    func firstState(state: CentralState, shown: FLICManagerState) async {
        let stage = await Stage(state: state)
        await stage.settle()
        #expect(stage.program.take() == ["restored: unknown buttons=0", "state \(shown): \(shown)"])
        #expect(stage.manager.state == shown)
    }

    @Test("B39: with no answer from Bluetooth the first state comes after 10 s")
    func noAnswer() async {
        let stage = await Stage(state: .unknown)
        await stage.pass(.milliseconds(9900), step: .milliseconds(100))
        #expect(stage.program.take() == ["restored: unknown buttons=0"])
        await stage.pass(.milliseconds(200))
        #expect(stage.program.take() == ["state unsupported: unsupported"])
        await stage.air.setState(.poweredOn)
        await stage.settle()
        #expect(stage.program.take() == ["state poweredOn: poweredOn"])
    }

    @Test("B39: never the same state twice in a row")
    func sameState() async {
        let stage = await Stage(state: .unsupported(.missing))
        await stage.settle()
        await stage.air.setState(.unsupported(.tooOld))
        await stage.settle()
        await stage.air.setState(.poweredOff)
        await stage.settle()
        #expect(stage.program.take() == ["restored: unknown buttons=0", "state unsupported: unsupported", "state poweredOff: poweredOff"])
    }

    @Test("Order 2, B21, B.6.1: a later launch: restored as connecting, with its delegate and all that was known, then connected when pressed")
    func laterLaunch() async throws {
        let (first, paired) = try await Stage.paired()
        paired.nickname = "Door"
        paired.triggerMode = .click
        paired.latencyMode = .low
        await first.press(for: .milliseconds(100))
        await first.pass(.seconds(1))
        let stage = await first.relaunched()
        #expect(stage.manager.buttons().isEmpty)

        let known = Shared<[String]>([])
        stage.program.onNext("restored:") { _ in
            for button in stage.manager.buttons() {
                known.value = [
                    "\(button.nickname ?? "nil") \(button.name ?? "nil") \(button.serialNumber) \(button.triggerMode) \(button.latencyMode)",
                    "\(button.batteryVoltage == paired.batteryVoltage && button.batteryVoltage > 2) \(button.pressCount)",
                    "\(button.identifier == paired.identifier) \(button.uuid == paired.uuid) \(button.firmwareRevision == paired.firmwareRevision)",
                ]
            }
        }
        await stage.settle()
        let serial = stage.button.identity.serialNumber
        #expect(known.value == ["Door \(paired.name ?? "nil") \(serial) click normal", "true 1", "true true true"])
        #expect(stage.program.take() == ["restored: unknown buttons=1", "  \(serial) delegate=true: connecting", "state poweredOn: poweredOn"])

        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(2))
        await stage.press(for: .milliseconds(100))
        await stage.pass(.seconds(1))
        #expect(
            stage.program.take() == [
                "didConnect: connected", "isReady: connected ready",
                "down #2 queued 0", "click #2 queued 0", "up #2 queued 0",
                "battery same=true: connected ready",
                "down #3", "click #3", "up #3",
            ]
        )
    }

    @Test("Order 2: connect() inside the restore has no effect on a button that is connecting")
    func connectInsideRestore() async throws {
        let (first, _) = try await Stage.paired()
        let stage = await first.relaunched()
        stage.program.onNext("restored:") { _ in stage.manager.buttons().forEach { $0.connect() } }
        await stage.settle()
        await stage.press(for: .milliseconds(50))
        await stage.pass(.seconds(1))
        #expect(stage.program.take().filter { $0.hasPrefix("did") } == ["didConnect: connected"])
    }

    @Test("Order 2, B.6.1: a button that was disconnected by the program stays so in the next launch, until connect()")
    func disconnectedInTheLastRun() async throws {
        let (first, button) = try await Stage.paired()
        button.disconnect()
        await first.pass(.seconds(3))
        let stage = await first.relaunched()
        await stage.settle()
        await stage.press(for: .milliseconds(50))
        await stage.pass(.seconds(5))
        let serial = stage.button.identity.serialNumber
        #expect(stage.program.take() == ["restored: unknown buttons=1", "  \(serial) delegate=true: disconnected", "state poweredOn: poweredOn"])
        let restored = try #require(stage.manager.buttons().first)
        restored.connect()
        #expect(restored.state == .connecting)
        await stage.press(for: .milliseconds(50))
        await stage.pass(.seconds(1))
        #expect(stage.program.take().prefix(2) == ["didConnect: connected", "isReady: connected ready"])
    }

    @Test("B20: the delegate set at the time of a call gets it; weak")
    func delegate() async {
        let stage = await Stage(state: .poweredOff)
        let other = Program()
        other.watch(stage.manager)
        await stage.loop.advance(by: .zero)
        stage.manager.delegate = other
        #expect(stage.manager.delegate === other)
        await stage.air.setState(.poweredOn)
        await stage.settle()
        #expect(other.take().last == "state poweredOn: poweredOn")
        do {
            let passing = Program()
            stage.manager.delegate = passing
            stage.manager.buttonDelegate = passing
            #expect(stage.manager.delegate === passing && stage.manager.buttonDelegate === passing)
        }
        #expect(stage.manager.delegate == nil && stage.manager.buttonDelegate == nil)
        await stage.air.setState(.poweredOff)
        await stage.settle()
        #expect(stage.manager.state == .poweredOff)
    }

    @Test("B21: a later button delegate goes to buttons that have none")
    func lateButtonDelegate() async throws {
        let (stage, button) = try await Stage.paired()
        let other = Program()
        stage.manager.buttonDelegate = other
        #expect(button.delegate === stage.program)
        button.delegate = nil
        stage.manager.buttonDelegate = stage.program
        #expect(button.delegate === stage.program)
        stage.manager.buttonDelegate = nil
        #expect(button.delegate === stage.program)
    }

    @Test("B37: FLICManager() is inert, and its handlers get notConfigured")
    func inertManager() async {
        let manager = FLICManager()
        #expect(manager.state == .unknown && manager.buttons().isEmpty && !manager.isScanning)
        manager.stopScan()
        await #expect { try await manager.scanForButtons { _ in } } throws: { Program.text($0) == "flic.notConfigured" }
        await #expect { try await manager.forgetButton(FLICButton()) } throws: { Program.text($0) == "flic.notConfigured" }
        #expect(!manager.isScanning)
    }

    @Test("B38: what is asked before the restore is answered after it")
    func askedBeforeTheRestore() async {
        let store = ScriptedStore(isInUse: true)
        let stage = await Stage(store: store)
        stage.program.scan()
        await stage.loop.advance(by: .zero)
        stage.program.scan("second")
        stage.program.forget(FLICButton())
        await stage.settle()
        #expect(stage.manager.isScanning)
        #expect(stage.program.take() == [])
        store.isInUse = false
        await stage.pass(.seconds(2))
        #expect(
            stage.program.take() == [
                "restored: unknown buttons=0",
                "scan done scanner.bluetoothNotActivated isScanning=false",
                "second done scanner.unknown isScanning=false",
                "forgot flic.alreadyForgotten same=true listed=false",
                "state poweredOn: poweredOn",
            ]
        )
    }

    @Test("B91: access refused by the system's policy shows as unauthorized, and can come back")
    func unauthorized() async {
        let stage = await Stage(state: .unauthorized)
        await stage.settle()
        await stage.air.setState(.poweredOn)
        await stage.settle()
        #expect(
            stage.program.take() == ["restored: unknown buttons=0", "state unauthorized: unauthorized", "state poweredOn: poweredOn"]
        )
    }
}
