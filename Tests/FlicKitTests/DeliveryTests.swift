import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import GATT
import Testing

/// The delivery queue lags behind the loop: what the program sees of the past, and what of its own doing.
@Suite("Delivery")
struct DeliveryTests {
    /// Lets the loop run while the delivery queue stands still.
    static func lag(_ stage: Stage, _ span: Duration = .seconds(3)) async { await stage.loop.advance(by: span) }

    @Test("A24: nothing is called from inside a call of the program, and everything on the delivery queue")
    func asynchronous() async throws {
        // Program leaves a line where that is not so.
        let stage = await Stage()
        await stage.settle()
        stage.program.onNext("scan done") { button in
            guard let button else { return }
            button.disconnect()
            button.connect()
            button.nickname = "name"
            stage.manager.stopScan()
            stage.program.scan("again")
            stage.program.scan("third")
            stage.program.forget(FLICButton())
            stage.program.forget(button)
        }
        await stage.button.enterPublicMode()
        stage.program.scan()
        await stage.pass(.seconds(5))
        let trace = stage.program.take()
        #expect(trace.contains("third done scanner.unknown isScanning=true"))
        #expect(!trace.contains("NESTED") && !trace.contains("ON ANOTHER QUEUE"))
    }

    @Test("A26, B46, B48: each call sees the values of its own moment, however many changes wait")
    func ownValues() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        button.connect()
        await stage.button.press()
        await Self.lag(stage, .milliseconds(100))
        await stage.button.release()
        await Self.lag(stage)
        await stage.button.press()
        await Self.lag(stage, .milliseconds(100))
        await stage.air.setState(.poweredOff)
        await Self.lag(stage)
        #expect(button.state == .connecting && button.pressCount == 0 && stage.manager.state == .poweredOn)
        await stage.settle()
        #expect(
            stage.program.take() == [
                "didConnect: connected", "isReady: connected ready", "down #1 queued 0", "up #1 queued 0", "click #1 queued 0",
                "battery same=true: connected ready", "down #2",
                "state poweredOff: poweredOff", "didDisconnect(CBErrorDomain 6): connecting",
            ]
        )
        #expect(button.pressCount == 2)
    }

    @Test("A26, B23, B26: with the whole pairing on its way, each call sees its own values")
    func pairing() async throws {
        let stage = await Stage.launched()
        await stage.button.enterPublicMode()
        stage.program.scan()
        await Self.lag(stage, .seconds(5))
        await stage.button.press()
        await Self.lag(stage)
        #expect(stage.manager.isScanning && stage.manager.buttons().isEmpty)
        stage.program.onNext("scan done") { stage.program.remark("count \($0?.pressCount ?? 99) battery \($0?.batteryVoltage ?? 0 > 2)") }
        await stage.settle()
        let expected = ScanTests.paired.prefix(4) + ["count 0 battery true"] + ScanTests.paired.suffix(2)
        #expect(stage.program.take() == Array(expected) + ["down #1", "hold #1"])
    }

    @Test("A26: presses made while the pairing is being stored come after isReady, and the completion does not see them")
    func slowStore() async throws {
        let store = SlowStore()
        let stage = await Stage.launched(store: store)
        await stage.button.enterPublicMode()
        stage.program.scan()
        store.isSlow = true
        await stage.pass(.seconds(5))
        #expect(stage.program.take() == ["scan discovered isScanning=true", "scan connected isScanning=true"])
        await stage.press(for: .milliseconds(100))
        stage.program.onNext("scan done") { stage.program.remark("count \($0?.pressCount ?? 99) ready \($0?.isReady ?? true)") }
        store.isSlow = false
        await stage.settle()
        let expected = ScanTests.paired[2...3] + ["count 0 ready false"] + ScanTests.paired.suffix(2)
        #expect(stage.program.take() == Array(expected) + ["down #1", "up #1", "click #1"])
    }

    @Test("A25, A26: a name set by the program is not overwritten by an older one on its way, nor is that told")
    func ownName() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.button.setName("Theirs")
        await Self.lag(stage)
        button.nickname = "Mine"
        #expect(button.nickname == "Mine")
        await stage.button.press()
        await Self.lag(stage)
        await stage.settle()
        #expect(button.nickname == "Mine")
        #expect(stage.program.take() == ["down #1", "hold #1"])
        #expect(await stage.button.name == "Mine")
        // What comes later counts again.
        await stage.button.setName("Theirs again")
        await stage.pass(.seconds(1))
        #expect(stage.program.take() == ["nickname Theirs again same=true: connected ready"])
    }

    @Test("A25: of several values set at once, the last one counts, here and at the button")
    func severalNames() async throws {
        let (stage, button) = try await Stage.paired()
        for name in ["one", "two", "three"] { button.nickname = name }
        for mode in PressTests.modes { button.triggerMode = mode }
        #expect(button.nickname == "three" && button.triggerMode == .click)
        await stage.pass(.seconds(1))
        #expect(button.nickname == "three" && button.triggerMode == .click)
        #expect(await stage.button.name == "three")
        await stage.press(for: .milliseconds(100))
        #expect(stage.program.take() == ["down #1", "click #1", "up #1"])
    }

    @Test("A26, B54: disconnect() when connecting makes no calls, also if the link is up and only not told yet")
    func linkOnItsWay() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        button.connect()
        await stage.button.press()
        await Self.lag(stage)
        #expect(button.state == .connecting)
        button.disconnect()
        #expect(button.state == .disconnected)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == [])
        #expect(button.state == .disconnected && !button.isReady)
        #expect(await !stage.button.isConnected)
        button.connect()
        await stage.button.release()
        await ConnectionTests.wake(stage)
        #expect(stage.program.take().prefix(2) == ["didConnect: connected", "isReady: connected ready"])
    }

    @Test("A26, B53: disconnect() and connect() with a link on its way: that link is not told, the next one is")
    func linkOnItsWayAndBack() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        button.connect()
        await stage.button.press()
        await Self.lag(stage)
        #expect(await stage.button.isConnected)
        await stage.button.release()
        button.disconnect()
        button.connect()
        #expect(button.state == .connecting)
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == [])
        #expect(button.state == .connecting && !button.isReady)
        await ConnectionTests.wake(stage)
        #expect(ConnectionTests.withoutPresses(stage.program.take()) == ConnectionTests.connected)
    }

    @Test("A26, B62: disconnect() with a loss on its way: one didDisconnect(nil), in state disconnected")
    func lossOnItsWay() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.air.setInRange(false, stage.button.address)
        await Self.lag(stage)
        #expect(button.state == .connected && button.isReady)
        button.disconnect()
        #expect(button.state == .disconnecting)
        await stage.bringBack()
        await ConnectionTests.wake(stage)
        #expect(stage.program.take() == ["didDisconnect(nil): disconnected"])
    }

    @Test("A26: disconnect() with a loss and a new link on their way: one didDisconnect(nil), and nothing of the new link")
    func lossAndLinkOnTheirWay() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.air.setInRange(false, stage.button.address)
        await Self.lag(stage)
        await stage.air.setInRange(true, stage.button.address)
        await stage.button.press()
        await Self.lag(stage)
        #expect(await stage.button.isConnected)
        button.disconnect()
        await stage.pass(.seconds(3))
        #expect(stage.program.take() == ["didDisconnect(nil): disconnected"])
        #expect(await !stage.button.isConnected)
        #expect(button.state == .disconnected)
    }

    @Test("A26, B63: a failure on its way is not told for an attempt that the program has called off")
    func failureOnItsWay() async throws {
        let (stage, button) = try await ConnectionTests.disconnected()
        await stage.button.setFaults { $0.link = .serviceMissing }
        button.connect()
        await stage.button.press()
        await Self.lag(stage)
        button.disconnect()
        button.connect()
        #expect(button.state == .connecting)
        await stage.settle()
        #expect(stage.program.take() == [])
        #expect(button.state == .connecting)
        await stage.button.setFaults { $0 = Faults() }
        await stage.button.release()
        await ConnectionTests.wake(stage)
        #expect(ConnectionTests.withoutPresses(stage.program.take()) == ConnectionTests.connected)
    }

    @Test("A26, B69: an unpairing on its way is told whatever the program has called meanwhile")
    func unpairingOnItsWay() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.button.factoryReset()
        await stage.pass(.seconds(1))
        await stage.button.press()
        await Self.lag(stage, .seconds(5))
        _ = stage.program.take()
        #expect(button.state == .connecting && !button.isUnpaired)
        button.disconnect()
        button.connect()
        #expect(button.state == .connecting)
        await stage.pass(.seconds(1))
        #expect(
            stage.program.take() == ["didUnpair(nil): disconnected unpaired", "didFailToConnect(flic.unpaired): disconnected unpaired"]
        )
    }

    @Test("A26, B.6.5: forgetButton() with presses on their way: they come first, and nothing comes after the completion")
    func forgetting() async throws {
        let (stage, button) = try await Stage.paired()
        await stage.button.press()
        await Self.lag(stage, .milliseconds(100))
        stage.program.forget(button)
        await stage.button.release()
        await Self.lag(stage)
        #expect(stage.manager.buttons() == [button] && button.state == .connected)
        await stage.settle()
        let trace = stage.program.take()
        #expect(trace.first == "down #1")
        #expect(trace.suffix(2) == ["didDisconnect(nil): disconnected unlisted", "forgot nil same=true listed=false"])
    }

    @Test("A25, A28: no member blocks, even while the loop is busy")
    func nothingBlocks() async throws {
        let (stage, button) = try await Stage.paired()
        let (isBusy, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        stage.loop.execute {
            isBusy.signal()
            mayGoOn.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isBusy.wait()
                button.nickname = "busy"
                button.triggerMode = .click
                button.latencyMode = .low
                button.disconnect()
                button.connect()
                stage.program.scan()
                stage.manager.stopScan()
                stage.program.forget(button)
                stage.manager.buttonDelegate = stage.program
                continuation.resume()
            }
        }
        #expect(button.nickname == "busy" && button.triggerMode == .click && button.latencyMode == .low)
        #expect(button.state == .disconnecting && stage.manager.isScanning && stage.manager.buttons() == [button])
        mayGoOn.signal()
        await stage.pass(.seconds(3))
        #expect(stage.program.take().suffix(1) == ["forgot nil same=true listed=false"])
    }

    @Test("A25: members may be used from many threads at once")
    func manyThreads() async throws {
        let (stage, button) = try await Stage.paired()
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        button.nickname = "\(thread) \(turn)"
                        button.triggerMode = PressTests.modes[turn % 4]
                        if turn.isMultiple(of: 2) { button.connect() } else { button.disconnect() }
                        _ = (button.state, button.isReady, button.pressCount, stage.manager.buttons().count, stage.manager.state)
                        button.delegate = stage.program
                    }
                }
            }
        }
        button.nickname = "last"
        button.triggerMode = .clickAndHold
        button.connect()
        await stage.pass(.seconds(3))
        await ConnectionTests.wake(stage)
        #expect(button.nickname == "last" && button.triggerMode == .clickAndHold)
        #expect(button.state == .connected && button.isReady)
        #expect(await stage.button.name == "last")
        let trace = stage.program.take()
        #expect(!trace.contains("ON ANOTHER QUEUE"))
    }
}

/// A store whose writes wait.
private final class SlowStore: PairingStore, @unchecked Sendable {
    private let mutex = NSLock()
    private let memory = MemoryStore()
    private var slow = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var isSlow: Bool {
        get { mutex.withLock { slow } }
        set {
            let ready = mutex.withLock {
                slow = newValue
                defer { if !newValue { waiting = [] } }
                return newValue ? [] : waiting
            }
            for continuation in ready { continuation.resume() }
        }
    }

    func lock() async throws(PairingStoreError) {}
    func load() async throws(PairingStoreError) -> [ButtonRecord] { try await memory.load() }

    func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
        await withCheckedContinuation { continuation in
            let mayGoOn = mutex.withLock {
                if slow { waiting.append(continuation) }
                return !slow
            }
            if mayGoOn { continuation.resume() }
        }
        try await memory.save(records)
    }
}
