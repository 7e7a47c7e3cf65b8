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
        let onAir = ButtonOnAir(peripheral: BlueZPeripheral(session: BlueZSession(adapter: .name("hci1"))))
        let simulated = try await onAir.start(seed: 1)
        let flic = Rig.application(on: "hci0")
        await flic.start()

        await simulated.enterPublicMode()
        let button = try await flic.pair()
        await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
        await button.setNickname("Hall")
        #expect(button.info.address == BluetoothAddress("00:AA:01:01:00:01"))
        #expect(await simulated.pairingCount == 1)

        var presses = button.pressEvents().makeAsyncIterator()
        await simulated.click()
        #expect(await presses.next(3) == ["down", "up", "click"])
        await simulated.doubleClick()
        #expect(await presses.next(5) == ["down", "up", "down", "up", "doubleClick"])
        await simulated.hold()
        #expect(await presses.next(3) == ["down", "hold", "up"])
        #expect(await simulated.name == "Hall")

        // Lost, and pressed while nobody hears it.
        let notices = button.events()
        try Rig.radio("range 1 off")
        try await notices.first("disconnected") { if case .disconnected(let error) = $0 { error != nil } else { false } }
        #expect(button.info.state == .connecting && !button.info.isReady)
        await simulated.click()
        try await Task.sleep(for: .seconds(2))
        try Rig.radio("range 1 on")
        try await button.ready()
        let queued = await presses.nextEvents(3)
        #expect(queued.map(\.kind) == [.down, .up, .click])
        #expect(queued.allSatisfy { $0.isQueued && $0.age >= 1 })
        #expect(await simulated.pairingCount == 1, "reconnected with the pairing, not anew")

        try await flic.forget(button)
        #expect(await flic.buttons.isEmpty)
        await flic.stop()
        await onAir.stop()
    }
}

/// The machine that the suite runs in.
enum Rig {
    static let isHere = ProcessInfo.processInfo.environment["FLICKIT_VM"] != nil

    /// Speaks to the virtual radios.
    static func radio(_ command: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: "/run/flickit-vm/air"))
        try file.write(contentsOf: Data((command + "\n").utf8))
        try file.close()
    }

    static func application(on adapter: String, store: any PairingStore = MemoryStore()) -> Flic {
        let central = BlueZCentral(session: BlueZSession(adapter: .name(adapter)))
        return Flic(FlicConfiguration(central: central, store: store, trustingTestRoot: TestRoot.publicKey))
    }
}

extension AsyncStream<PressEvent>.Iterator {
    /// The kinds of the next `count` events.
    mutating func next(_ count: Int) async -> [String] {
        await nextEvents(count).map(\.kind.rawValue)
    }

    mutating func nextEvents(_ count: Int) async -> [PressEvent] {
        var events: [PressEvent] = []
        while events.count < count, let event = await next() { events.append(event) }
        return events
    }
}

extension AsyncStream<ButtonNotice> {
    /// Waits for a notice.
    func first(_ name: String, where isIt: @Sendable (ButtonNotice) -> Bool) async throws {
        for await notice in self where isIt(notice) { return }
        Issue.record("the sequence ended without \(name)")
    }
}
