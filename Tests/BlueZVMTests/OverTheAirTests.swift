import BlueZ
import EventLoops
import FlicClient
import FlicSimulator
import Foundation
import GATT
import Testing

/// Both ends are ours, and everything between them is real: two adapters of one bluetoothd, its kernel, and virtual radios.
///
/// Runs in the machine of `Tests/BlueZVM/run`, and nowhere else.
@Suite("Over a real bluetoothd", .enabled(if: Rig.isHere, "needs Tests/BlueZVM/run"), .serialized)
struct OverTheAirTests {
    @Test("Pair, press, lose the link, press, come back by Quick Verify, hear the queued press, forget", .timeLimit(.minutes(5)))
    func story() async throws {
        let onAir = ButtonOnAir(peripheral: BlueZPeripheral(session: Rig.session("hci1")))
        let simulated = try await onAir.start(seed: 1)
        let flic = Rig.application(on: "hci0")
        await flic.start()

        await simulated.enterPublicMode()
        let button = try await flic.pair()
        await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
        await button.setNickname("Hall")
        #expect(button.info.address == BluetoothAddress("00:AA:01:01:00:01"))
        #expect(await simulated.pairingCount == 1)

        var presses = button.pressEvents()
        await simulated.click()
        #expect(await presses.next(3).map(\.kind) == [.down, .up, .click])
        presses = button.pressEvents()
        await simulated.doubleClick()
        #expect(await presses.next(5).map(\.kind) == [.down, .up, .down, .up, .doubleClick])
        presses = button.pressEvents()
        await simulated.hold()
        #expect(await presses.next(3).map(\.kind) == [.down, .hold, .up])
        #expect(await simulated.name == "Hall")

        // Lost, and pressed while nobody hears it.
        presses = button.pressEvents()
        let notices = button.events()
        try Rig.radio("range 1 off")
        for await case .disconnected(let error) in notices {
            #expect(error?.code == .timeout)
            break
        }
        #expect(button.info.state == .connecting && !button.info.isReady)
        await simulated.click()
        try await Task.sleep(for: .seconds(2))
        try Rig.radio("range 1 on")
        try await button.ready()
        let queued = await presses.next(3)
        #expect(queued.map(\.kind) == [.down, .up, .click])
        #expect(queued.allSatisfy { $0.isQueued && $0.age >= 1 })
        #expect(await simulated.pairingCount == 1, "reconnected with the pairing, not anew")

        try await flic.forget(button)
        #expect(await flic.buttons.isEmpty)
        await flic.stop()
        await onAir.stop()
    }

    @Test("The same by sockets, in the pace of real links", .timeLimit(.minutes(5)))
    func sockets() async throws {
        let onAir = ButtonOnAir(peripheral: BlueZPeripheral(session: Rig.session("hci1")))
        let simulated = try await onAir.start(seed: 3)
        let flic = Rig.application(on: "hci0", transfer: .sockets)
        await flic.start()
        await simulated.enterPublicMode()
        let button = try await flic.pair()
        let notices = button.events()
        try Rig.radio("drop 1")
        for await case .disconnected in notices { break }
        try await button.ready()
        let presses = button.pressEvents()
        await simulated.click()
        #expect(await presses.next(3).map(\.kind) == [.down, .up, .click])
        try await flic.forget(button)
        await flic.stop()
        await onAir.stop()
    }

    @Test("bluetoothd killed and started again: resetting, then ready without help", .timeLimit(.minutes(5)))
    func restart() async throws {
        let onAir = ButtonOnAir(peripheral: BlueZPeripheral(session: Rig.session("hci1")))
        let simulated = try await onAir.start(seed: 2)
        let flic = Rig.application(on: "hci0")
        await flic.start()
        await simulated.enterPublicMode()
        let button = try await flic.pair()
        let states = await flic.stateUpdates()
        let links = button.stateUpdates()
        try Rig.killBluetoothd()
        for await state in states where state == .resetting { break }
        for await link in links where link == .connecting { break }
        #expect(!button.info.isReady)
        try Rig.startBluetoothd()
        for await state in states where state == .poweredOn { break }
        let presses = button.pressEvents()
        await simulated.click()
        #expect(await presses.next(3).map(\.kind) == [.down, .up, .click])
        await flic.stop()
        await onAir.stop()
    }

    @Test(
        "Sixteen buttons on sixteen adapters: paired one after the other, heard all at once",
        .enabled(if: Rig.controllers > 16, "needs --controllers 17"),
        .timeLimit(.minutes(10))
    )
    func sixteen() async throws {
        let flic = Rig.application(on: "hci0")
        await flic.start()
        var onAir: [ButtonOnAir] = []
        var pairs: [(simulated: SimulatedButton, presses: AsyncStream<PressEvent>)] = []
        for number in 1...16 {
            let button = ButtonOnAir(peripheral: BlueZPeripheral(session: Rig.session("hci\(number)")))
            let simulated = try await button.start(seed: UInt64(number))
            onAir.append(button)
            await simulated.enterPublicMode()
            pairs.append((simulated, try await flic.pair().pressEvents()))
        }
        await withTaskGroup { group in
            for (simulated, presses) in pairs {
                group.addTask {
                    await simulated.click()
                    let kinds = await presses.next(3).map(\.kind)
                    #expect(kinds == [.down, .up, .click], "\(simulated.identity.serialNumber)")
                }
            }
        }
        #expect(await flic.buttons.filter { $0.info.isReady }.count == 16)
        await flic.stop()
        for button in onAir { await button.stop() }
    }
}

/// The machine that the suite runs in.
enum Rig {
    static let isHere = ProcessInfo.processInfo.environment["FLICKIT_VM"] != nil

    static let controllers = ProcessInfo.processInfo.environment["FLICKIT_VM_CONTROLLERS"].flatMap { Int($0) } ?? 0

    static func killBluetoothd() throws {
        let text = try String(contentsOfFile: "/run/flickit-vm/bluetoothd.pid", encoding: .utf8)
        kill(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
    }

    static func startBluetoothd() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/run/flickit-vm/bluetoothd")
        try process.run()
    }

    /// Speaks to the virtual radios.
    static func radio(_ command: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: "/run/flickit-vm/air"))
        try file.write(contentsOf: Data((command + "\n").utf8))
        try file.close()
    }

    /// A connection to bluetoothd. `FLICKIT_VM_LOG` shows what it and the application have to say.
    static func session(_ adapter: String) -> BlueZSession {
        BlueZSession(adapter: .name(adapter)) { log("\(adapter): \($0)") }
    }

    /// What is worth knowing of a test that passes.
    static func note(_ text: String) { log("note: \(text)") }

    private static func log(_ text: String) {
        guard ProcessInfo.processInfo.environment["FLICKIT_VM_LOG"] != nil else { return }
        print(ProcessInfo.processInfo.systemUptime, text)
    }

    static func application(on adapter: String, store: any PairingStore = MemoryStore(), transfer: ValueTransfer = .messages) -> Flic {
        let central = BlueZCentral(session: Rig.session(adapter), transfer: transfer)
        var configuration = FlicConfiguration(central: central, store: store, trustingTestRoot: TestRoot.publicKey)
        configuration.log = { log("application: \($1)") }
        return Flic(configuration)
    }
}

extension AsyncStream<PressEvent> {
    /// The next `count` events.
    func next(_ count: Int) async -> [PressEvent] {
        await prefix(count).reduce(into: []) { $0.append($1) }
    }
}
