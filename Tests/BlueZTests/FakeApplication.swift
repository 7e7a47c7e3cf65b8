import BlueZ
import EventLoops
import FlicClient
import FlicSimulator
import GATT

/// An application on the fake's bus: `Flic` over BlueZ's central, on a loop of its own, as in another process.
struct FakeApplication: Sendable {
    let stage: FakeStage
    let central: BlueZCentral
    let store: MemoryStore
    let flic: Flic
    /// What it hears.
    let transcript = FakeTranscript()

    /// The application is started; its buttons are those of the store.
    init(_ stage: FakeStage, store: MemoryStore = MemoryStore(), transfer: ValueTransfer = .messages) async {
        self.stage = stage
        self.store = store
        central = BlueZCentral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("application")), transfer: transfer)
        var configuration = FlicConfiguration(central: central, store: store, trustingTestRoot: TestRoot.publicKey)
        configuration.machineIdentity = "machine"
        flic = Flic(configuration)
        await flic.observe { [transcript] notice in transcript.note(Self.text(notice)) }
        await flic.start()
    }

    /// Pairs with the stage's button, and forgets what was told until all is quiet.
    func pair() async throws -> FlicButton {
        await stage.button.enterPublicMode()
        let button = try await flic.pair()
        await transcript.wait { $0.contains { $0.hasPrefix("battery") } }
        _ = transcript.take()
        return button
    }

    private static func text(_ notice: FlicNotice) -> String {
        switch notice {
        case .restored(let buttons): "restored \(buttons.count)"
        case .buttonsChanged(let buttons): "changed \(buttons.count)"
        case .state(.unsupported): "state unsupported"
        case .state(let state): "state \(state)"
        case .button(_, let notice, let info): text(notice, info)
        }
    }

    private static func text(_ notice: ButtonNotice, _ info: ButtonInfo) -> String {
        switch notice {
        case .press(let event): event.isQueued ? "\(event.kind) queued" : "\(event.kind)"
        case .connected: "connected"
        case .ready: "ready"
        case .notReady(let problem): "not ready (\(problem))"
        case .queueFinished: "queue finished"
        case .disconnected(let error): "disconnected \(error.map { "\($0.code)" } ?? "nil"), \(info.state)"
        case .failedToConnect(let error): "failed \(error.code)"
        case .unpaired: "unpaired"
        case .battery: "battery"
        case .pressInMode, .turned: "not asked for"
        case .renamed(let name): "renamed \(name)"
        }
    }
}
