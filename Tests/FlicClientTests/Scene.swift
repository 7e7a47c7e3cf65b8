import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Synchronization
import Testing

/// A simulated button, the air around it, and an application; on virtual time.
struct Scene: Sendable {
    let loop: VirtualLoop
    let air: SimulatedAir
    let button: SimulatedButton
    let store: MemoryStore
    let flic: Flic
    /// What the application hears, in order.
    let trace = Trace()

    /// Runs `body` in a new scene whose application has been started.
    static func run<Result: Sendable>(
        seed: UInt64 = 1,
        identity: ButtonIdentity? = nil,
        settings: ButtonSettings = ButtonSettings(),
        configure: @escaping @Sendable (inout FlicConfiguration) -> Void = { _ in },
        mtu: Int = 140,
        timeLimit: Duration = .seconds(7 * 24 * 3600),
        _ body: @escaping @Sendable (Scene) async throws -> Result
    ) async throws -> Result {
        let loop = VirtualLoop(patience: .seconds(30))  // keys are derived beside it
        let recording = try Recording()
        let result = try await loop.run(timeLimit: timeLimit) {
            let air = SimulatedAir(loop: loop, mtu: mtu)
            let button = SimulatedButton(identity: identity ?? .make(seed: seed), seed: seed, settings: settings, loop: loop)
            await air.place(button)
            let store = MemoryStore()
            let flic = Scene.application(on: air, store: store) {
                configure(&$0)
                $0.recorder = recording.recorder
            }
            let scene = Scene(loop: loop, air: air, button: button, store: store, flic: flic)
            await scene.trace.follow(flic)
            await flic.start()
            return try await body(scene)
        }
        // Whatever a scene is about: a replay has to come to the same decisions.
        let replay = try await recording.replay()
        #expect(replay.differences.prefix(5).map(\.description) == [])
        return result
    }

    /// Another application, or the next run of the same one.
    static func application(
        on air: SimulatedAir,
        store: any PairingStore,
        machine: String = "machine",
        configure: (inout FlicConfiguration) -> Void = { _ in }
    ) -> Flic {
        var configuration = FlicConfiguration(
            central: SimulatedCentral(air: air),
            store: store,
            trustingTestRoot: TestRoot.publicKey
        )
        configuration.machineIdentity = machine
        configure(&configuration)
        return Flic(configuration)
    }

    /// Pairs with the button.
    func pair() async throws -> FlicButton {
        await button.enterPublicMode()
        return try await flic.pair()
    }

    /// Tries to pair with whatever button is there.
    ///
    /// - Returns: Why it did not work; nil if it did.
    func pairingFailure(onStep: @escaping @Sendable (PairingStep) -> Void = { _ in }) async -> FlicError? {
        do throws(FlicError) {
            _ = try await flic.pair(onStep: onStep)
            return nil
        } catch {
            return error
        }
    }

    /// Lets time pass.
    func pass(_ span: Duration) async {
        await loop.pause(for: span)
    }
}

/// What an application hears, as one list of short texts.
final class Trace: Sendable {
    private let lines = Mutex<[String]>([])

    func follow(_ flic: Flic) async {
        await flic.observe { [weak self] notice in self?.note(notice) }
    }

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// What has been heard since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private func note(_ notice: FlicNotice) {
        switch notice {
        case .restored(let buttons): note("restored \(buttons.count)")
        case .buttonsChanged(let buttons): note("changed \(buttons.count)")
        case .state(let state): note("state \(state)")
        case .button(_, let notice, let info): note(Self.text(notice, info))
        }
    }

    static func text(_ notice: ButtonNotice, _ info: ButtonInfo) -> String {
        switch notice {
        case .press(let event): event.isQueued ? "\(event.kind) queued \(event.age)" : "\(event.kind)"
        case .pressInMode(let told): "\(told.press.kind) in \(told.mode.map { "\($0)" } ?? "all")"
        case .turned(let turn): "turned \(turn.turns)"
        case .connected: "connected, \(info.state)"
        case .ready: "ready, \(info.state)"
        case .notReady(let problem): "not ready (\(problem)), \(info.state)"
        case .queueFinished: "queue finished"
        case .disconnected(let error): "disconnected \(error.map { "\($0.code)" } ?? "nil"), \(info.state)"
        case .failedToConnect(let error): "failed \(error.code), \(info.state)"
        case .unpaired: "unpaired \(info.isUnpaired), \(info.state)"
        case .battery(let battery): "battery \((battery.volts * 100).rounded() / 100)" + (battery.isLow ? " low" : "")
        case .renamed(let name): "renamed \(name)"
        }
    }
}
