public import DBus
public import EventLoops
import GATT

/// An `org.bluez` that does not exist: what programs see of bluetoothd, with the simulated buttons of a ``SimulatedAir`` as its devices.
///
/// It is put on a ``PrivateBus``, never on the system's. It behaves as bluetoothd 5.66 was seen to behave, with the same objects, errors and order of
/// signals, but with short waits (``Timing``), or on simulated time (``VirtualLoop/makeLoop(label:)``):
///
/// ```swift
/// let bus = try PrivateBus()
/// let fake = FakeBlueZ(bus: bus.address, loop: DispatchLoop())
/// let button = SimulatedButton(seed: 1, loop: fake.loop)
/// await fake.air.place(button)
/// await fake.addAdapter()
/// try await fake.start()
/// ```
///
/// What can go wrong with it:
///
/// - Calls: ``trouble(with:at:from:times:_:)`` lets calls fail, go unanswered or be answered late, or misbehave as in public bug reports.
/// - Contents: ``distort(_:)`` changes the properties of all that leaves: missing ones, wrong types, the poorer set of an older version.
/// - Signals and services: ``Faults``, ``emit(_:)``, ``removeObject(at:)``, ``moveServices(of:)``.
/// - Life: ``start()``, ``crash()``, ``hang()`` and ``giveUpName()``; adapters come, go and are switched by ``addAdapter(_:)``, ``removeAdapter(_:)``
///   and ``setPower(_:of:)``.
/// - Centrals: ``addCentral(_:mtu:isBonded:on:)`` makes one that uses what programs have registered.
/// - Radio: whatever the air and the buttons in it can do, and ``loseLinkUnnoticed(to:)``.
/// - All of this at random: ``Weather``.
///
/// ``journal`` and ``calls`` tell what has happened, and ``wait(until:)`` waits for it.
public actor FakeBlueZ {
    /// Where it runs. Buttons and air are on the same loop; programs under test are better put on another.
    public nonisolated let loop: DispatchLoop
    /// The same.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// The bus.
    public nonisolated let bus: BusAddress
    /// What its adapters hear.
    public nonisolated let air: SimulatedAir
    /// How long things take.
    public let timing: Timing

    /// What is wrong with it.
    public internal(set) var faults = Faults()
    /// What has happened, in order: calls, their answers, signals, and what programs were asked.
    ///
    ///     call Device1.Connect /org/bluez/hci0/dev_80_E4_DA_00_00_01
    ///     signal Device1 /org/bluez/hci0/dev_80_E4_DA_00_00_01 Connected=true
    ///     reply Device1.Connect /org/bluez/hci0/dev_80_E4_DA_00_00_01
    ///     error Adapter1.StartDiscovery /org/bluez/hci0 org.bluez.Error.NotReady
    ///     signal added /org/bluez/hci0
    ///     signal removed /org/bluez/hci0
    ///     ask GattCharacteristic1.ReadValue /application/service0/char0
    public internal(set) var journal: [String] = []
    /// How much of the journal is kept: the latest lines, at least so many.
    private var journalLimit = Int.max / 2
    /// Calls to connections that have given the name up, such as `Device1.Connect /org/bluez/hci0/dev_80_E4_DA_00_00_01`.
    public internal(set) var strayCalls: [String] = []

    var connection: DBusConnection?
    /// Tells this run of the daemon from earlier ones; zero while it does not run.
    private(set) var run: UInt64 = 0
    /// What the bus called the run before.
    private var formerUniqueName: String?
    private var starting: CheckedContinuation<Result<Void, DBusError>, Never>?
    /// Connections that have given the name up.
    private var strangers: [DBusConnection] = []
    /// What has come while it hangs; nil while it does not.
    var backlog: [@Sendable (isolated FakeBlueZ) -> Void]?
    /// When the latest of the delayed signals leaves.
    var lastSignal = Duration.zero
    var tree = FakeObjects()
    /// By path.
    var adapters: [String: Adapter] = [:]
    /// By path.
    var devices: [String: Device] = [:]
    /// The daemon's ends of the sockets that clients have acquired, by characteristic.
    var sockets: [String: PacketSocket] = [:]
    /// By the object of the device.
    var centrals: [String: Central] = [:]
    /// By the root of their objects.
    var applications: [RegisteredObject: RegisteredApplication] = [:]
    /// Advertisements in the order of their numbers; nil while they are being read.
    var advertised: [RegisteredObject: (number: UInt64, content: LocalAdvertisement?)] = [:]
    /// By unique name, with what tells when they leave.
    var clients: [String: DBusConnection.SubscriptionID] = [:]
    var signalStrengths: [BluetoothAddress: Int] = [:]
    /// Handle of the Flic service, where it is not the usual one.
    var handles: [BluetoothAddress: Int] = [:]
    var rules: [TroubleRule] = []
    var distortion: (@Sendable (_ interface: String, _ properties: inout [String: DBusValue]) -> Void)?
    private var waiters: [UInt64: Waiter] = [:]
    private var lastNumber: UInt64 = 0

    private struct Waiter {
        let condition: @Sendable (isolated FakeBlueZ) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// A daemon that does not run yet, on a computer without adapters.
    ///
    /// - Parameters:
    ///   - bus: The bus on which it will own the name `org.bluez`.
    ///   - loop: Where it runs.
    ///   - mtu: ATT MTU that its adapters offer.
    ///   - timing: How long things take.
    public init(bus: BusAddress, loop: DispatchLoop, mtu: Int = 140, timing: Timing = Timing()) {
        self.bus = bus
        self.loop = loop
        self.timing = timing
        air = SimulatedAir(loop: loop, mtu: mtu, timing: timing.air)
    }

    // MARK: Life

    /// Starts the daemon: it takes the name, then shows its adapters (``Timing/adapters``) and no devices. Without effect if it runs.
    ///
    /// - Throws: Why the bus cannot be used.
    public func start() async throws(DBusError) {
        guard connection == nil else { return }
        let connection = DBusConnection(bus, loop: loop)
        let run = nextNumber()
        self.connection = connection
        self.run = run
        let result = await withCheckedContinuation { continuation in
            starting = continuation
            connection.assumeIsolated { connection in
                connection.open { [weak self] event in
                    self?.assumeIsolated { if $0.run == run { $0.receive(event) } }
                }
            }
        }
        try result.get()
    }

    private func receive(_ event: DBusConnection.Event) {
        switch event {
        case .connected:
            publishRoots()
            let run = run
            connection?.assumeIsolated { connection in
                connection.handleCalls(at: "/") { [weak self] call in
                    self?.assumeIsolated { $0.receive(call) }
                }
                _ = connection.watchOwner(of: BlueZName.service) { [weak self] owner in
                    self?.assumeIsolated { if $0.run == run { $0.ownerIs(owner) } }
                }
            }
        case .lost(let error): end(error)
        }
    }

    /// Takes the name as soon as the bus has noticed that the run before is over.
    private func ownerIs(_ owner: String?) {
        guard starting != nil, owner == nil || owner != formerUniqueName else { return }
        let run = run
        connection?.assumeIsolated { connection in
            connection.requestName(BlueZName.service) { [weak self] result in
                self?.assumeIsolated { if $0.run == run { $0.nameAnswered(result) } }
            }
        }
    }

    private func nameAnswered(_ result: Result<Void, DBusError>) {
        guard let starting else { return }
        if case .failure(let error) = result { return end(error) }
        showAdaptersLater()
        self.starting = nil
        starting.resume(returning: result)
    }

    private func showAdaptersLater() {
        guard timing.adapters > .zero else { return showAdapters() }
        loop.schedule(after: timing.adapters) { [weak self, run] in
            self?.assumeIsolated { if $0.run == run { $0.showAdapters() } }
        }
    }

    /// The daemon dies: it leaves the bus without a word, links are lost, nobody gets an answer any more.
    public func crash() {
        end(DBusError(name: DBusError.disconnected, message: "crashed on demand"))
    }

    private func end(_ error: DBusError) {
        leave()?.assumeIsolated { $0.close() }
        starting?.resume(returning: .failure(error))
        starting = nil
        noteChange()
    }

    /// The daemon gives its name up but stays on the bus: whoever goes on calling it there is found in ``strayCalls`` and gets no answer.
    public func giveUpName() {
        guard let connection = leave() else { return }
        strangers.append(connection)
        connection.assumeIsolated { connection in
            connection.handleCalls(at: "/") { [weak self] call in
                self?.assumeIsolated { fake in
                    fake.strayCalls.append(call.title)
                    fake.noteChange()
                }
            }
            connection.releaseName(BlueZName.service)
        }
        noteChange()
    }

    private func leave() -> DBusConnection? {
        defer { connection = nil }
        formerUniqueName = connection?.assumeIsolated { $0.uniqueName } ?? formerUniqueName
        run = 0
        forgetRegistrations()
        for path in devices.keys.sorted() { discard(path) }
        for path in adapters.keys { forgetClients(of: path) }
        clients = [:]
        backlog = nil
        tree.removeAll()
        return connection
    }

    // MARK: Observation

    /// The calls it has received, in order, such as `Device1.Connect /org/bluez/hci0/dev_80_E4_DA_00_00_01`.
    public var calls: [String] {
        journal.filter { $0.hasPrefix("call ") }.map { String($0.dropFirst(5)) }
    }

    /// Sets how much of the ``journal`` is kept.
    ///
    /// - Parameter lines: The latest lines, at least so many; all unless told otherwise.
    public func setJournalLimit(_ lines: Int) { journalLimit = min(max(lines, 0), Int.max / 2) }

    /// Clients that it knows, and devices.
    package var counts: (clients: Int, devices: Int) { (clients.count, devices.count) }

    /// Waits until a condition about the daemon holds. It is looked at now and whenever something has happened. Ends early if the task is cancelled.
    ///
    /// ```swift
    /// await fake.wait { $0.calls.last == "Adapter1.StopDiscovery /org/bluez/hci0" }
    /// ```
    public func wait(until condition: @escaping @Sendable (isolated FakeBlueZ) -> Bool) async {
        let number = nextNumber()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // On the way here something may have happened.
                guard !Task.isCancelled, !condition(self) else { return continuation.resume() }
                waiters[number] = Waiter(condition: condition, continuation: continuation)
            }
        } onCancel: {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.waiters.removeValue(forKey: number)?.continuation.resume() }
            }
        }
    }

    func note(_ line: String) {
        journal.append(line)
        if journal.count > 2 * journalLimit { journal.removeFirst(journal.count - journalLimit) }
        noteChange()
    }

    func noteChange() {
        for (number, waiter) in waiters where waiter.condition(self) {
            waiters.removeValue(forKey: number)?.continuation.resume()
        }
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
