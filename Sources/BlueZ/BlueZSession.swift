public import DBus
public import EventLoops
import GATT

/// The connection to bluetoothd that a central and a peripheral stand on: the bus, the live object tree, the adapter and its state.
///
/// Survives what happens to the service: when org.bluez loses its owner, or the bus is gone, the state is `resetting`, then
/// `unsupported`, and everything is read anew when it is back (contract B.7). Nothing polls while all is well.
public actor BlueZSession {
    /// Everything runs here.
    public nonisolated let loop: DispatchLoop
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What members hear, in order.
    enum Event: Sendable {
        /// The state of the adapter, or why there is none.
        case state(CentralState)
        /// A difference in the tree.
        case tree(ObjectTree.Change)
        /// Everything that was registered with org.bluez is gone; the tree is empty.
        case ownerVanished
        /// org.bluez is there again and the tree is read; register anew.
        case ownerAppeared
        /// The computer was asleep.
        case resumed
    }

    /// How long a service that went away is waited for before the state is `unsupported`.
    static let patience = Duration.seconds(10)
    /// Between attempts to reach the bus: grows from the first to the second.
    private static let reconnectPause: ClosedRange<Duration> = .seconds(1)...(.seconds(30))

    let log: @Sendable (String) -> Void
    private(set) var connection: DBusConnection
    private(set) var tree = ObjectTree()
    /// The adapter in use.
    private(set) var adapter: String?
    /// All that may be used to find devices and to make links to them: that one first.
    private(set) var adapters: [String] = []
    /// What is wrong, in one sentence for people; nil if nothing is.
    public private(set) var problem: String?

    private let bus: BusAddress
    private let choice: AdapterChoice
    private var members: [@Sendable (Event) -> Void] = []
    private var state = CentralState.unknown
    private var phase = Phase.idle
    var owner: String?
    private var grace: ScheduledWork?
    var watch = ServiceWatch()
    var watchTimer: ScheduledWork?
    var revival: ScheduledWork?
    var lastCall: UInt64 = 0
    private var reconnects = 0
    /// Tells the answers of this connection and owner from older ones.
    private(set) var generation = 0

    private enum Phase {
        case idle
        case connecting
        case connected
    }

    /// Nothing happens before a central or peripheral is started.
    ///
    /// - Parameters:
    ///   - bus: Where org.bluez is.
    ///   - adapter: Which adapter to use.
    ///   - loop: The queue on which everything of the session happens, and what stands on it.
    ///   - log: Hears details.
    public init(
        bus: BusAddress = .system,
        adapter: AdapterChoice = .automatic,
        loop: DispatchLoop = DispatchLoop(label: "flickit.bluez"),
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.bus = bus
        choice = adapter
        self.loop = loop
        self.log = log
        connection = DBusConnection(bus, loop: loop)
    }

    deinit {
        loop.execute { [connection] in connection.assumeIsolated { $0.close() } }
    }

    /// Hears everything from now on; the present state comes first, on the next turn.
    func join(_ member: @escaping @Sendable (Event) -> Void) {
        members.append(member)
        let index = members.count - 1
        loop.execute { [weak self] in
            self?.assumeIsolated { session in
                guard session.members.indices.contains(index) else { return }
                if session.state != .unknown { member(.state(session.state)) }
            }
        }
        if case .idle = phase { connect() }
    }

    private func tell(_ event: Event) {
        for member in members { member(event) }
    }

    // MARK: The bus

    private func connect() {
        phase = .connecting
        generation += 1
        let generation = generation
        connection.assumeIsolated { connection in
            connection.open { [weak self] event in
                self?.assumeIsolated { session in
                    guard session.generation == generation else { return }
                    switch event {
                    case .connected: session.connected()
                    case .lost(let error): session.busLost(error)
                    }
                }
            }
        }
    }

    private func connected() {
        phase = .connected
        reconnects = 0
        let generation = generation
        connection.assumeIsolated { connection in
            _ = connection.subscribe(MatchRule(sender: BlueZName.service)) { [weak self] signal in
                self?.assumeIsolated { if $0.generation == generation { $0.heard(signal) } }
            }
            _ = connection.watchOwner(of: BlueZName.service) { [weak self] owner in
                self?.assumeIsolated { if $0.generation == generation { $0.ownerChanged(owner) } }
            }
            // Where there is no logind, nobody says so; then what stands still is found by its own time-outs.
            _ = connection.subscribe(BlueZName.sleep) { [weak self] signal in
                guard signal.arguments.first?.bool == false else { return }
                self?.assumeIsolated { if $0.generation == generation { $0.tell(.resumed) } }
            }
        }
    }

    private func busLost(_ error: DBusError) {
        log("bus: \(error)")
        revival?.cancel()
        ownerLost()
        switch error.name {
        case DBusError.accessDenied, DBusError.authFailed:
            fail(.unauthorized, "The system bus does not let this user in (\(error.name)).")
        default:
            startGrace("The system bus cannot be reached: is dbus running, and is its socket here?")
        }
        // A new connection: the old one is used up.
        connection.assumeIsolated { $0.close() }
        connection = DBusConnection(bus, loop: loop)
        phase = .connecting
        generation += 1
        reconnects += 1
        let delay = Self.reconnectPause.backOff(after: reconnects)
        let generation = generation
        loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { if $0.generation == generation { $0.connect() } }
        }
    }

    // MARK: The service

    var isTreeRead = false

    private func ownerChanged(_ owner: String?) {
        guard owner != self.owner || owner == nil else { return }
        revival?.cancel()
        if self.owner != nil {
            // One that is stopped in order takes its adapters away first.
            let hasDied = hasAdapters
            ownerLost()
            if owner == nil && hasDied { reviveLater(attempt: 1) }
        }
        self.owner = owner
        if owner == nil && state != .unknown {
            startGrace("The Bluetooth service, bluetoothd, is not running.")
        } else {
            // Without an owner the call makes the bus start the service, where it can (contract B.6.1).
            readTree(mayStart: owner == nil)
        }
    }

    /// Everything is gone. bluetoothd says nothing more about it than this.
    private func ownerLost() {
        owner = nil
        watch.reset()
        watchTimer?.cancel()
        isTreeRead = false
        let hadAdapters = hasAdapters
        adapter = nil
        adapters = []
        tree = ObjectTree()
        // The state first, so that a program sees why its links end.
        if state != .unknown { startGrace("The Bluetooth service, bluetoothd, is gone.") }
        if hadAdapters { tell(.ownerVanished) }
    }

    private var hasAdapters: Bool { !tree.paths(with: BlueZName.adapter).isEmpty }

    func readTree(mayStart: Bool) {
        let (generation, owner) = (generation, owner)
        let call = MethodCall(to: BlueZName.service, at: "/", BlueZName.objectManager, "GetManagedObjects", mayStart: mayStart)
        perform(call) { [weak self] result in
            self?.assumeIsolated { session in
                guard session.generation == generation, session.owner == owner || owner == nil, !session.isTreeRead else { return }
                session.treeAnswered(result)
            }
        }
    }

    private func treeAnswered(_ result: Result<[DBusValue], DBusError>) {
        switch result {
        case .success(let values):
            guard let changes = tree.replace(with: values.first) else {
                return fail(.unsupported(.missing), "bluetoothd gave an answer that makes no sense.")
            }
            isTreeRead = true
            updateAdapter()
            tell(.ownerAppeared)
            for change in changes { tell(.tree(change)) }
        case .failure(let error):
            log("org.bluez: \(error)")
            switch error.name {
            case DBusError.accessDenied, DBusError.authFailed:
                fail(.unauthorized, "This user may not talk to bluetoothd: \(error.message)")
            case DBusError.noReply where owner != nil:
                silent()
            default:
                fail(.unsupported(.missing), "The Bluetooth service, bluetoothd, is not running and cannot be started.")
            }
        }
    }

    private func heard(_ signal: Signal) {
        if watch.isHung { return proved() }
        guard isTreeRead else { return }  // the tree that is being read will have it
        apply(signal)
    }

    private func apply(_ signal: Signal) {
        for change in tree.apply(signal) {
            if case .changed(_, BlueZName.adapter, _, _) = change { updateAdapter() }
            if case .added(_, BlueZName.adapter, _) = change { updateAdapter() }
            if case .removed(_, BlueZName.adapter, _) = change { updateAdapter() }
            tell(.tree(change))
        }
    }

    /// Asks for a property whose change may not have been told; what is new is told as if it had been.
    ///
    /// - Parameter value: Any other answer changes nothing.
    func verify(_ name: String, is value: DBusValue, of interface: String, at path: String) {
        call(path, BlueZName.properties, "Get", [.string(interface), .string(name)]) { [weak self] result in
            self?.assumeIsolated { session in
                guard session.isTreeRead, (try? result.get())?.first?.unwrapped == value else { return }
                guard session.tree.properties(path, interface)?[name] != value else { return }
                session.log("\(path): \(name) has become \(value) without a signal")
                session.apply(
                    Signal(at: path, BlueZName.properties, "PropertiesChanged", [.string(interface), .properties([name: value]), .strings([])])
                )
            }
        }
    }

    // MARK: The adapter

    private func updateAdapter() {
        let chosen = choice.path(in: tree, present: adapter)
        if chosen != adapter { log("adapter: \(chosen ?? "none")") }
        adapter = chosen
        adapters = chosen.map { choice.paths(in: tree, first: $0) } ?? []
        guard let chosen, let properties = tree.properties(chosen, BlueZName.adapter) else {
            problem = noAdapter
            // A service that has just come back announces its adapters seconds later (bluez-facts, "Bus-level life cycle").
            return grace == nil ? fail(.unsupported(.missing), noAdapter) : ()
        }
        grace?.cancel()
        grace = nil
        guard tree.isOn(chosen) else {
            let isBlocked = properties["PowerState"]?.string == "off-blocked"
            let cure = isBlocked ? "is blocked; 'rfkill unblock bluetooth' frees it" : "is switched off; 'bluetoothctl power on' switches it on"
            return set(.poweredOff, "The Bluetooth adapter \(Self.name(chosen)) \(cure).")
        }
        set(.poweredOn, nil)
    }

    private var noAdapter: String {
        switch choice {
        case .automatic where tree.paths(with: BlueZName.adapter).isEmpty: "There is no Bluetooth adapter."
        case .automatic: "No Bluetooth adapter here can do Bluetooth Low Energy."
        case .name(let name): "There is no Bluetooth adapter \(name)."
        case .address(let address): "There is no Bluetooth adapter \(address)."
        }
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    // MARK: State

    private func set(_ state: CentralState, _ problem: String?) {
        self.problem = problem
        guard state != self.state else { return }
        self.state = state
        tell(.state(state))
    }

    private func fail(_ state: CentralState, _ problem: String) {
        grace?.cancel()
        grace = nil
        set(state, problem)
    }

    /// The service went away and is expected back; if it does not come, there is no Bluetooth here.
    func startGrace(_ problem: String) {
        guard state != .unsupported(.missing) else {
            self.problem = problem
            return
        }
        if state == .unknown {
            // Never was there: nothing to be reset.
            return fail(.unsupported(.missing), problem)
        }
        set(.resetting, problem)
        guard grace == nil else { return }
        grace = loop.schedule(after: Self.patience) { [weak self] in
            self?.assumeIsolated { session in
                session.grace = nil
                if session.state == .resetting { session.set(.unsupported(.missing), problem) }
            }
        }
    }
}
