import ClickClassifier
public import EventLoops
import FlicProtocol
import FoundationEssentials
public import GATT
import Logs

/// The buttons of an application: finds and pairs them, keeps them connected, and tells what is done with them.
///
/// ```swift
/// let flic = Flic(FlicConfiguration(central: central, store: MemoryStore()))
/// await flic.start()
/// let button = try await flic.pair()
/// for await event in button.pressEvents() where event.kind == .click {
///     print("click, \(event.age) s ago")
/// }
/// ```
///
/// A `Flic` is an actor on the event loop of its central: from a notification of the radio to the event there is no change of queue.
public actor Flic {
    /// The loop of the central.
    public nonisolated let loop: any EventLoop

    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A button and what drives it.
    struct Entry {
        let button: FlicButton
        var connection: ButtonConnection
        var timer = DeadlineTimer()
        /// The attempt that made the link.
        var attempt = LinkAttempt(0)
        /// Notices that wait until the pairing is stored; nil once it is.
        var held: [(ButtonNotice, ButtonInfo)]?
        /// The button as it was when it was paired, for the moment at which it appears.
        var adopted: ButtonInfo?
        /// Whoever wants to know how the firmware update goes.
        var firmware: FirmwareFeed?
    }

    /// Names an attempt to make a link, so that events of earlier ones are told apart.
    struct LinkAttempt: Hashable {
        private let number: UInt64

        init(_ number: UInt64) { self.number = number }
    }

    /// Who is interested in a link.
    enum LinkOwner {
        case pairing
        case button(UUID)
    }

    /// What the central listens for, and where.
    struct Discovery: Equatable {
        let filter: DiscoveryFilter
        let reach: DiscoveryReach
    }

    let configuration: FlicConfiguration
    let settings: SessionSettings
    let central: any Central

    /// In the order of pairing.
    var order: [UUID] = []
    var entries: [UUID: Entry] = [:]
    var identifiers: [BluetoothAddress: UUID] = [:]
    var pairing: Pairing?
    var listeners: [Int: AsyncStream<Advertisement>.Continuation] = [:]
    var linkOwners: [LinkAttempt: LinkOwner] = [:]
    var lastNumber: UInt64 = 0

    var phase = Phase.idle
    private var centralState = CentralState.unknown
    private var toldState = CentralState.unknown
    /// Why the buttons are not those of the store.
    package private(set) var storeProblem: PairingStoreError?
    private let stateFeed = Feed<CentralState>()
    private(set) var observer: (@Sendable (FlicNotice) -> Void)?
    private var endWaiter: CheckedContinuation<Void, Never>?
    private var startWaiters: [CheckedContinuation<Void, Never>] = []
    var planner = ConnectionPlanner()
    var planTimer = DeadlineTimer()
    /// The plan is being followed; it is looked at again afterwards.
    var isPlanning = false
    var isPlanChanged = false
    var isCrowded = false
    var discovery: Discovery?
    /// Reused for each event, so that it costs no allocation.
    var scratch: [ButtonConnection.Action] = []
    var saving = Saving()
    var forgetting: [Forgetting] = []

    enum Phase {
        case idle
        case starting
        case running
        /// Links are being ended; nothing new is begun.
        case stopping
        case stopped
    }

    /// Nothing happens before ``start()``.
    public init(_ configuration: FlicConfiguration) {
        self.configuration = configuration
        settings = configuration.sessionSettings
        central = configuration.recorder.map { RecordedCentral(configuration.central, $0) } ?? configuration.central
        loop = configuration.central.loop
        scratch.reserveCapacity(32)
    }

    deinit {
        // Nobody listens any more, and nobody is to be kept connected.
        let links = entries.values.compactMap(\.connection.linkID)
        loop.execute { [central] in
            central.assumeIsolated { central in
                central.discover(nil)
                for link in links { central.close(link, .keepingShared) }
            }
        }
        stateFeed.finish()
        for continuation in listeners.values { continuation.finish() }
    }

    // MARK: Life

    /// How long the first state, or a store that another process has, may take (contract B39, A42).
    static let firstAnswerTime = Duration.seconds(10)

    /// Reads the store, starts the transport, and begins to connect those buttons that are to be connected.
    ///
    /// Returns when the buttons of the last run are there. Calling it again only waits for that.
    public func start() async {
        await withCheckedContinuation { continuation in
            startWaiters.append(continuation)
            begin()
            if phase != .starting { started() }
        }
    }

    /// Ends the waits of ``start()``.
    private func started() {
        for waiter in startWaiters { waiter.resume() }
        startWaiters = []
    }

    /// Starts without waiting.
    package func begin() {
        guard case .idle = phase else { return }
        phase = .starting
        takeStore(until: loop.now + Self.firstAnswerTime)
    }

    /// Ends all links and sequences, and gives the store back. The object cannot be used again; the wishes to be connected stay in the store.
    public func stop() async {
        guard case .running = phase else { return }
        endPairing(FlicError(.cancelled))
        phase = .stopping
        planTimer.cancel()
        listen(for: nil)
        for id in order {
            update(id) { $0.hangUp(into: &$1) }
            entries[id]?.firmware = nil
            entries[id]?.timer.cancel()
        }
        await linksEnd()
        phase = .stopped
        try? await save()
        await configuration.store.unlock()
        for entry in entries.values { entry.button.finish() }
        stateFeed.finish()
        for continuation in listeners.values { continuation.finish() }
        await configuration.recorder?.finish()
    }

    /// How long ending links may take; bluetoothd needs about two seconds.
    private static let closingTime = Duration.seconds(5)

    /// Waits until there is no link any more, so that the next program finds none that is just ending.
    private func linksEnd() async {
        await withCheckedContinuation { continuation in
            guard !linkOwners.isEmpty else { return continuation.resume() }
            endWaiter = continuation
            loop.schedule(after: Self.closingTime) { [weak self] in self?.assumeIsolated { $0.linksEnded() } }
        }
    }

    /// Ends the wait of ``stop()``.
    func linksEnded() {
        endWaiter?.resume()
        endWaiter = nil
    }

    /// Starts work that may suspend. The preference keeps it on the loop throughout: without it, every wait would resume by way of
    /// the global pool.
    func spawn(_ work: @escaping @Sendable (isolated Flic) async -> Void) {
        Task(executorPreference: loop) { await work(self) }
    }

    private func takeStore(until deadline: Duration) {
        let store = configuration.store
        spawn { flic in
            guard flic.phase == .starting || flic.phase == .running else { return }
            do throws(PairingStoreError) {
                try await store.lock()
                flic.storeProblem = nil
                flic.restored(try await store.load())
            } catch {
                await flic.storeFailed(error, until: deadline)
            }
        }
    }

    private func storeFailed(_ error: PairingStoreError, until deadline: Duration) async {
        guard error.code == .inUse else {
            configuration.log(.problem, LogArea.store.remark(error.description))
            storeProblem = error
            restored([])
            return
        }
        if storeProblem == nil && loop.now >= deadline {
            // Go on without: the buttons are shown, but nothing is done with them until the store is free (contract A42).
            configuration.log(.problem, LogArea.store.remark(error.description))
            storeProblem = error
            restored((try? await configuration.store.load()) ?? [])
        }
        loop.schedule(after: .seconds(1)) { [weak self] in self?.assumeIsolated { $0.takeStore(until: deadline) } }
    }

    /// The store has been read; for the second time if another process had it the first time.
    private func restored(_ records: [ButtonRecord]) {
        guard phase != .stopped else { return }
        for record in records where entries[record.identifier] == nil || phase == .running { add(record) }
        if phase == .running {
            let known = Set(records.map(\.identifier))
            for id in order where !known.contains(id) { remove(id) }
            observer?(.buttonsChanged(buttons))
            updateState()
            return
        }
        phase = .running
        observer?(.restored(buttons))
        started()
        central.assumeIsolated { central in
            central.start { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
        loop.schedule(after: Self.firstAnswerTime) { [weak self] in
            self?.assumeIsolated { if $0.centralState == .unknown { $0.changeState(.unsupported(.missing)) } }
        }
        updateState()
    }

    // MARK: State

    /// The state of Bluetooth here.
    public var state: CentralState { toldState }

    /// The state of Bluetooth, beginning with the present one.
    public func stateUpdates() -> AsyncStream<CentralState> { stateFeed.stream(startingWith: toldState) }

    /// How many links the adapter can hold, if it has refused one lately; then idle buttons make room for those that are pressed.
    public var connectionLimit: Int? { planner.connectionLimit }

    /// Sees everything, in order, on the loop. One observer.
    package func observe(_ observer: @escaping @Sendable (FlicNotice) -> Void) {
        self.observer = observer
    }

    private func changeState(_ state: CentralState) {
        centralState = state
        updateState()
    }

    /// Tells the state if it has changed. Without its store an application can do nothing, whatever the radio can.
    private func updateState() {
        let state: CentralState = storeProblem == nil ? centralState : .unsupported(.missing)
        guard state != toldState, state != .unknown else { return }
        toldState = state
        stateFeed.send(state)
        observer?(.state(state))  // before the links are told as gone, so that a program sees why
        if state != .poweredOn {
            endPairing(FlicError(.bluetoothUnavailable, detail: "\(state)"))
            let error = LinkError(.notPoweredOn, detail: "\(state)")
            let now = loop.now
            planner.adapterLost()
            for id in order { update(id) { $0.bluetoothLost(error, now: now, into: &$1) } }
        } else {
            planner.adapterFound(now: loop.now)
        }
        followPlan()
    }

    private func receive(_ event: CentralEvent) {
        guard phase == .running else { return }
        switch event {
        case .state(let state): changeState(state)
        case .advertisement(let advertisement): heard(advertisement)
        case .linkedByOthers(let address): join(address)
        case .resumed: resumed()
        }
    }
}
