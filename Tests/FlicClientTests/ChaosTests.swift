import Fixtures
import FlicClient
import FlicSimulator
import GATT
import Synchronization
import Testing

/// Random trouble, with the story told in between held against the rules.
@Suite("Nothing lost, nothing twice, whatever happens to the link")
struct ChaosTests {
    private static let seeds = Array(UInt64(1)...60)

    @Test("60 runs of 60 random mishaps: every press is told once, in order, and the notices tell a possible story", arguments: seeds)
    func chaos(seed: UInt64) async throws {
        try await Scene.run(seed: seed, mtu: seed.isMultiple(of: 2) ? 140 : 23) { scene in
            let button = try await scene.pair()
            let story = Story(after: await scene.button.eventCount)
            await scene.flic.observe { story.note($0) }
            var random = Random(seed: seed)
            for _ in 0..<60 { await Self.mishap(&random, scene, button) }

            // Everything is well again: what was kept back comes now.
            await scene.button.setFaults { $0 = Faults() }
            await scene.air.setState(.poweredOn)
            await scene.air.setInRange(true, scene.button.address)
            await scene.button.release()
            await button.connect()
            for _ in 0..<3 where !button.info.isReady {
                await button.connect()
                await scene.button.click()
                await scene.pass(.seconds(70))
            }
            await scene.pass(.seconds(5))
            #expect(button.info.isReady)
            #expect(story.faults == [])
            let last = await scene.button.eventCount
            let edges = story.edges
            // Downs have the counters 1, 5, 9 …, ups 3, 7, 11 ….
            let expected = (story.first + 1..<last + 1).filter { $0 % 2 == 1 }
            #expect(expected.count > 20)
            #expect(edges == expected, "\(edges.count) of \(expected.count)")
        }
    }

    private static func mishap(_ random: inout Random, _ scene: Scene, _ button: FlicButton) async {
        switch random.next(16) {
        case 0, 1, 2: await scene.button.click()
        case 3: await scene.button.doubleClick()
        case 4: await scene.button.hold()
        case 5: await scene.button.press()
        case 6: await scene.button.release()
        case 7: await scene.air.loseLink(to: scene.button.address)
        case 8: await scene.air.setInRange(random.next(2) == 0, scene.button.address)
        case 9: await scene.air.setState([.poweredOn, .poweredOff, .resetting][random.next(3)])
        case 10: await button.disconnect()
        case 11: await button.connect()
        case 12: await button.setNickname("name \(random.next(100))")
        case 13: await scene.button.setFaults { $0.packetsUntilDisconnect = 1 }
        case 14: await scene.button.endSessions(reason: UInt8(random.next(4)))
        default: await scene.button.setFaults { $0.link = $0.link == nil ? .refused : nil }
        }
        await scene.pass(.milliseconds([0, 3, 40, 400, 3000, 20_000][random.next(6)]))
    }
}

/// What was told, held against the rules.
private final class Story: Sendable {
    private struct State {
        var edges: [UInt32] = []
        var faults: [String] = []
        var isConnected = true
        var isReady = true
    }

    let first: UInt32
    private let state = Mutex(State())

    init(after first: UInt32) { self.first = first }

    var edges: [UInt32] { state.withLock { $0.edges } }
    var faults: [String] { state.withLock { $0.faults } }

    func note(_ notice: FlicNotice) {
        guard case .button(_, let notice, let info) = notice else { return }
        state.withLock { state in
            func require(_ condition: Bool, _ rule: String) { if !condition { state.faults.append(rule) } }
            switch notice {
            case .connected:
                require(!state.isConnected, "connected twice")
                require(info.state == .connected && !info.isReady, "connected in state \(info.state), ready \(info.isReady)")
                state.isConnected = true
            case .ready:
                require(state.isConnected && !state.isReady, "ready without a link, or twice")
                require(info.isReady && info.state == .connected, "ready in state \(info.state)")
                state.isReady = true
            case .notReady:
                require(state.isReady, "not ready twice")
                state.isReady = false
            case .disconnected:
                require(state.isConnected, "disconnected twice")
                require(!info.isReady && info.state != .connected, "disconnected in state \(info.state)")
                state.isConnected = false
                state.isReady = false
            case .press(let event):
                require(state.isReady && info.isReady, "a press while not ready")
                if event.kind == .down || event.kind == .up { state.edges.append(event.eventCount) }
            case .failedToConnect(let error): require(error.code != .unpaired, "unpaired")
            case .unpaired: require(false, "unpaired")
            case .pressInMode, .turned, .queueFinished, .battery, .renamed: break
            }
        }
    }
}
