import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Synchronization

/// An application that can be killed at any moment and started again with what its store holds then.
actor MortalApplication {
    nonisolated let ledger = Ledger()
    nonisolated let store: MortalStore
    nonisolated var unownedExecutor: UnownedSerialExecutor { scene.loop.asUnownedSerialExecutor() }
    private let scene: Scene
    private let policy: QueuePolicy
    private var flic: Flic?
    private var central: LeashedCentral?
    private(set) var kills = 0
    private let isRecorded: Bool
    /// One of each life.
    private(set) var recordings: [Recording] = []

    init(_ scene: Scene, policy: QueuePolicy, isRecorded: Bool) {
        self.isRecorded = isRecorded
        self.scene = scene
        self.policy = policy
        store = MortalStore(loop: scene.loop)
    }

    /// Pairs with the scene's button.
    func pair() async throws {
        await start()
        await scene.button.enterPublicMode()
        _ = try await flic?.pair()
        await scene.pass(.seconds(1))
    }

    func start() async {
        let central = LeashedCentral(SimulatedCentral(air: scene.air))
        var configuration = FlicConfiguration(central: central, store: store.handle(), trustingTestRoot: TestRoot.publicKey)
        configuration.machineIdentity = "machine"
        configuration.queuePolicy = policy
        configuration.log = { _, _ in }
        if isRecorded, let recording = try? Recording() {
            recordings.append(recording)
            configuration.recorder = recording.recorder
        }
        let flic = Flic(configuration)
        await flic.observe { [ledger] notice in
            if case .button(_, .press(let event), _) = notice { ledger.note(event) }
        }
        self.central = central
        self.flic = flic
        await flic.start()
    }

    /// Ends without a farewell: what is under way is never done, and nobody hears anything any more.
    func kill() async {
        kills += 1
        store.killHandles()
        await central?.kill()
        await flic?.observe { _ in }
        let record = store.contents.first
        ledger.killed(savedUpTo: record?.bootID == (await scene.button.bootID) ? record?.eventCount ?? 0 : 0)
        flic = nil
        central = nil
    }

    var button: FlicButton? {
        get async { await flic?.buttons.first }
    }
}

/// What a medium holds, which takes its time. Writes that a killed process had under way are never made.
final class MortalStore: Sendable {
    private struct State {
        var records: [ButtonRecord] = []
        var generation = 0
        var delay = Duration.zero
    }

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    var contents: [ButtonRecord] { state.withLock { $0.records } }

    func setDelay(_ delay: Duration) { state.withLock { $0.delay = delay } }

    func killHandles() { state.withLock { $0.generation += 1 } }

    func handle() -> some PairingStore { Handle(store: self, generation: state.withLock { $0.generation }) }

    private struct Handle: PairingStore {
        let store: MortalStore
        let generation: Int

        func lock() async throws(PairingStoreError) {}

        func load() async throws(PairingStoreError) -> [ButtonRecord] { store.contents }

        func save(_ records: [ButtonRecord]) async throws(PairingStoreError) {
            let delay = store.state.withLock { $0.delay }
            if delay > .zero { await store.loop.pause(for: delay) }
            store.state.withLock { if $0.generation == generation { $0.records = records } }
        }
    }
}

/// A central that leaves nothing behind when its process is killed.
actor LeashedCentral: Central {
    nonisolated var loop: any EventLoop { base.loop }
    nonisolated var unownedExecutor: UnownedSerialExecutor { base.unownedExecutor }
    private nonisolated let base: SimulatedCentral
    private var links: Set<LinkID> = []
    private var isAlive = true

    init(_ base: SimulatedCentral) { self.base = base }

    func kill() {
        isAlive = false
        base.assumeIsolated { [links] base in
            base.discover(nil)
            for link in links { base.close(link, .keepingShared) }
        }
        links = []
    }

    func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        base.assumeIsolated { base in
            base.start { [weak self] event in self?.assumeIsolated { if $0.isAlive { handler(event) } } }
        }
    }

    func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        if isAlive { base.assumeIsolated { $0.discover(filter) } }
    }

    func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { isAlive && base.assumeIsolated { $0.isLinkedByOthers(address) } }

    func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        guard isAlive else { return LinkID(0) }
        let link = base.assumeIsolated { base in
            base.open(request) { [weak self] event in self?.assumeIsolated { if $0.isAlive { handler(event) } } }
        }
        links.insert(link)
        return link
    }

    func remembered(_ address: BluetoothAddress) -> Advertisement? { isAlive ? base.assumeIsolated { $0.remembered(address) } : nil }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        if isAlive { base.assumeIsolated { $0.write(value, to: characteristic, on: link, completion: completion) } }
    }

    func close(_ link: LinkID, _ ending: LinkEnding) {
        if isAlive { base.assumeIsolated { $0.close(link, ending) } }
    }
}
