import FlicProtocol
import FlicSimulator
import Foundation
import Testing

@testable import FlicClient

@Suite("What becomes of queued presses (wish 2)")
struct QueuePolicyTests {
    /// Presses while away, oldest first, with pauses that make the first one more than a minute old; then one that brings the button back.
    private func absence(_ scene: Scene, _ button: FlicButton) async {
        await scene.air.setInRange(false, scene.button.address)
        await scene.pass(.seconds(5))
        await scene.button.click()
        await scene.pass(.seconds(30))
        await scene.button.doubleClick()
        await scene.pass(.seconds(30))
        await scene.button.hold()
        await scene.pass(.seconds(5))
        await scene.button.click()
        await scene.pass(.seconds(5))
        _ = scene.trace.take()
        await scene.air.setInRange(true, scene.button.address)
        await scene.button.press()
        await scene.pass(.seconds(10))
        await scene.button.release()
        await scene.pass(.seconds(10))
    }

    private static let click = ["down", "up", "click"]
    private static let double = ["down", "up", "down", "up", "doubleClick"]
    private static let hold = ["down", "hold", "up"]
    /// The press that brings the button back; it ends when the queue is over.
    private static let open = ["down"]

    @Test(
        "Whole gestures, in order; the end of the queue is told after them; live presses are never touched",
        arguments: [
            (QueuePolicy.all, click + double + hold + click + open),
            (.notOlder(than: 60), double + hold + click + open),
            (.notOlder(than: 0), open),
            (.latest(2), click + open),
            (.latest(3), hold + click + open),
            (.latest(1000), click + double + hold + click + open),
            (.latest(0), []),
            (.latestOfEachKind, double + hold + click + open),
            (.none, []),
        ]
    )
    func policies(policy: QueuePolicy, queued: [String]) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
            await button.setQueuePolicy(policy)
            #expect(button.info.queuePolicy == policy)
            await absence(scene, button)
            await scene.button.click()
            await scene.pass(.seconds(2))
            let told = scene.trace.take()
            let end = try #require(told.firstIndex(of: "queue finished"))
            #expect(told[..<end].filter { $0.contains("queued") }.map { String($0.split(separator: " ")[0]) } == queued)
            #expect(told[end...].filter { ["down", "up", "click", "hold"].contains($0) } == ["hold", "up"] + Self.click)

            // All of it is acknowledged, and never comes again.
            let last = await scene.button.eventCount
            #expect(await scene.button.acknowledgedEventCount == last)
            #expect(scene.store.contents.first?.eventCount == last)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(!scene.trace.take().contains { $0.contains("queued") })
        }
    }

    @Test("The manager's policy holds for all buttons without one; a button's own is kept across restarts, nil takes it back")
    func defaults() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.setQueuePolicy(.latest(1))
            await scene.pass(.seconds(1))
            await scene.flic.stop()
            var configuration = FlicConfiguration(
                central: SimulatedCentral(air: scene.air),
                store: scene.store,
                trustingTestRoot: TestRoot.publicKey
            )
            configuration.queuePolicy = .none
            let flic = Flic(configuration)
            await flic.start()
            let again = try #require(await flic.buttons.first)
            #expect(again.info.queuePolicy == .latest(1))
            await again.setQueuePolicy(nil)
            #expect(again.info.queuePolicy == .none)
            await scene.pass(.seconds(1))
            #expect(scene.store.contents.first?.queuePolicy == nil)
        }
    }

    @Test("The link is lost in the middle of the queue: what came is judged, the rest comes next time, nothing is lost or doubled")
    func interrupted() async throws {
        for packets in 1...12 {
            try await Scene.run(mtu: 23) { scene in
                let button = try await scene.pair()
                await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
                await button.setQueuePolicy(.latest(1000))
                let first = await scene.button.eventCount
                await scene.air.setInRange(false, scene.button.address)
                await scene.pass(.seconds(5))
                for _ in 0..<6 {
                    await scene.button.click()
                    await scene.pass(.seconds(2))
                }
                await scene.button.setFaults { $0.packetsUntilDisconnect = packets }
                _ = scene.trace.take()
                await scene.air.setInRange(true, scene.button.address)
                await scene.button.press()
                await scene.button.release()
                await scene.pass(.seconds(60))
                let told = scene.trace.take().map { String($0.split(separator: " ")[0]) }.filter { Self.click.contains($0) }
                #expect(told.count == 7 * 3, "\(packets) packets")
                #expect(told == (0..<7).flatMap { _ in ["down", "up", "click"] }, "\(packets) packets")
                let last = await scene.button.eventCount
                #expect(scene.store.contents.first?.eventCount == last && first < last)
            }
        }
    }

    @Test("A program that ends before the queue was told finds it again")
    func killed() throws {
        // The connection alone: the session hands over events and their position, and nothing else comes.
        var connection = ButtonConnection(record: Self.record, root: [], settings: SessionSettings(), queuePolicy: .latest(5)) { 0 }
        var actions: [ButtonConnection.Action] = []
        let before = connection.record.position
        for count: UInt32 in [1, 3, 4] {
            connection.apply(.event(Self.event(count)), now: .zero, into: &actions)
        }
        connection.apply(.progress(EventPosition(bootID: before.bootID, eventCount: 4)), now: .zero, into: &actions)
        #expect(actions.isEmpty && connection.record.position == before)
        connection.apply(.queueFinished, now: .zero, into: &actions)
        #expect(connection.record.position.eventCount == 4)
        let kinds = actions.map { action in
            switch action {
            case .tell(.press(let event), _): "\(event.kind)"
            case .tell(.queueFinished, _): "queue finished"
            case .keep: "keep"
            default: "?"
            }
        }
        #expect(kinds == ["down", "up", "click", "keep", "queue finished"])
    }

    @Test("An endless queue is judged in parts, and held within bounds")
    func endless() {
        var filter = QueueFilter(.latest(1))
        var told = 0
        for count in 0..<(3 * QueueFilter.capacity) {
            filter.receive(PressEvent(kind: .down, isQueued: true, eventCount: UInt32(count)), isQueueOver: false) { _ in told += 1 }
        }
        #expect(told == 3 && !filter.isHolding)
    }

    @Test(
        "Policies as texts",
        arguments: [
            ("all", QueuePolicy.all), ("none", QueuePolicy.none), ("latest:0", .latest(0)), ("latest:7", .latest(7)),
            ("not-older:60", .notOlder(than: 60)),
            ("latest-of-each-kind", .latestOfEachKind), ("", nil), ("latest", nil), ("latest:", nil), ("latest:-1", nil), ("latest:x", nil),
            ("not-older:1000000001", nil), ("all:1", nil), ("latest:1:2", nil), ("ALL", nil),
        ] as [(String, QueuePolicy?)]
    )
    func texts(text: String, policy: QueuePolicy?) {
        #expect(QueuePolicy(text) == policy)
        if let policy { #expect(policy.description == text) }
    }

    private static let record = ButtonRecord(
        identifier: UUID(),
        address: .init(value: 1),
        uuid: "",
        serialNumber: "",
        name: "",
        pairing: Pairing(SecretBytes([UInt8](repeating: 1, count: 20)))!
    )

    private static func event(_ count: UInt32) -> ButtonEvent {
        let code: UInt8 = count % 4 == 1 ? 1 : count % 4 == 3 ? 8 : 2
        return ButtonEvent(code: EventCode(code), count: count, timestamp: UInt64(count) * 1000, wasQueued: true, ageTicks: 32768)
    }
}
