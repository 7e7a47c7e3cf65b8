import FlicBridge
import FlicSimulator
import Synchronization

/// A simulated button, the air around it, and a bridge; on virtual time.
struct Scene: Sendable {
    let loop: VirtualLoop
    let air: SimulatedAir
    let button: SimulatedButton
    let store: MemoryStore
    let bridge: Bridge
    /// What the bridge has told.
    let told = Told()

    /// Runs `body` in a new scene whose bridge has been started.
    static func play<Result: Sendable>(
        seed: UInt64 = 1,
        timeLimit: Duration = .seconds(24 * 3600),
        _ body: @escaping @Sendable (Scene) async throws -> Result
    ) async throws -> Result {
        let loop = VirtualLoop(patience: .seconds(30))  // keys are derived beside it
        return try await loop.run(timeLimit: timeLimit) {
            let air = SimulatedAir(loop: loop)
            let button = SimulatedButton(seed: seed, loop: loop)
            await air.place(button)
            let store = MemoryStore()
            let scene = Scene(loop: loop, air: air, button: button, store: store, bridge: bridge(on: air, store))
            await scene.bridge.add { [told = scene.told] in told.hear($0) }
            await scene.bridge.start()
            return try await body(scene)
        }
    }

    /// Another bridge, or the next run of the same one.
    static func bridge(on air: SimulatedAir, _ store: any PairingStore) -> Bridge {
        var configuration = FlicConfiguration(central: SimulatedCentral(air: air), store: store, trustingTestRoot: TestRoot.publicKey)
        configuration.machineIdentity = "machine"
        return Bridge(Flic(configuration))
    }

    /// Pairs with the button.
    func pair(name: String? = nil) async throws -> ButtonInfo {
        await button.enterPublicMode()
        return try await bridge.pair(name: name)
    }

    func pass(_ time: Duration) async { await loop.pause(for: time) }
}

/// What a bridge has told, as short texts.
final class Told: Sendable {
    private let lines = Mutex<[String]>([])

    func hear(_ notice: BridgeNotice) {
        let line =
            switch notice {
            case .added(let info): "added \(info.title)"
            case .removed(let info): "removed \(info.title)"
            case .bluetooth(let state): "bluetooth \(state.name)"
            case .button(let notice, let info): EventRecord(notice).map { "\(info.title) \($0.event)" }
            case .changed(let info): "changed \(info.title)"
            }
        if let line { lines.withLock { $0.append(line) } }
    }

    /// What was told since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
