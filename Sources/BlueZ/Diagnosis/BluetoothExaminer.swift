package import DBus
package import EventLoops

/// Looks at the system's Bluetooth, from the bus upwards, and stops where it cannot go on.
///
/// It changes nothing, with one exception: a bluetoothd that is not running is started by the bus if it can, as it is for every
/// program that calls it.
package actor BluetoothExaminer {
    /// Everything runs here.
    package nonisolated let loop: DispatchLoop
    /// The actor runs on the loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How long answers are waited for.
    package struct Patience: Sendable {
        /// An answer of the bus or of bluetoothd, which take milliseconds.
        package var answer = Duration.seconds(5)
        /// The start of bluetoothd.
        package var start = Duration.seconds(10)
        /// Adapters after the start: seconds (bluez-facts, "Bus-level life cycle").
        package var adapters = Duration.seconds(5)

        package init() {}
    }

    private let bus: BusAddress
    private let choice: AdapterChoice
    private let patience: Patience

    /// - Parameters:
    ///   - bus: Where org.bluez is.
    ///   - adapter: Which adapter would be used.
    package init(bus: BusAddress = .system, adapter: AdapterChoice = .automatic, loop: DispatchLoop, patience: Patience = Patience()) {
        self.bus = bus
        choice = adapter
        self.loop = loop
        self.patience = patience
    }

    /// Looks once. Takes 10 s to reach the bus, and what ``Patience`` says, at most.
    ///
    /// - Parameter expectsAdapter: The kernel has one, so that bluetoothd is given time to show it.
    package func examine(expectsAdapter: Bool) async -> BluetoothFacts {
        let connection = DBusConnection(bus, loop: loop)
        var facts = BluetoothFacts()
        do throws(Stop) {
            try await open(connection)
            try await findService(connection, &facts)
            try await readObjects(connection, expectsAdapter: expectsAdapter || facts.wasStarted, &facts)
        } catch {
            facts.bus = error.bus
            facts.service = error.service
            facts.detail = error.detail
        }
        await connection.close()
        return facts
    }

    /// Where it cannot go on.
    private struct Stop: Error {
        var bus: BusTrouble?
        var service: ServiceTrouble?
        var detail = ""
    }

    // MARK: Steps

    private func open(_ connection: DBusConnection) async throws(Stop) {
        let (events, continuation) = AsyncStream.makeStream(of: DBusConnection.Event.self)
        await connection.open { continuation.yield($0) }
        for await event in events {
            guard case .lost(let error) = event else { return }
            throw Stop(bus: BusTrouble(error), detail: error.words)
        }
        throw Stop(bus: .failed)  // cancelled
    }

    /// Makes sure that org.bluez has an owner.
    private func findService(_ connection: DBusConnection, _ facts: inout BluetoothFacts) async throws(Stop) {
        guard try await askBus(connection, "NameHasOwner", [.string(BlueZName.service)]).first?.bool != true else { return }
        let startable = try await askBus(connection, "ListActivatableNames").first?.stringArray ?? []
        guard startable.contains(BlueZName.service) else { throw Stop(service: .notRunning) }
        do throws(DBusError) {
            _ = try await connection.call(busCall("StartServiceByName", [.string(BlueZName.service), .uint32(0)], timeout: patience.start))
        } catch {
            throw Stop(service: ServiceTrouble(starting: error), detail: error.words)
        }
        facts.wasStarted = true
    }

    private func readObjects(_ connection: DBusConnection, expectsAdapter: Bool, _ facts: inout BluetoothFacts) async throws(Stop) {
        let deadline = loop.now + patience.adapters
        while true {
            var tree = ObjectTree()
            guard tree.replace(with: try await managedObjects(connection)) != nil else { throw Stop(service: .senseless) }
            facts.read(tree, for: choice)
            guard expectsAdapter, facts.adapters.isEmpty, loop.now < deadline, !Task.isCancelled else { return }
            await pause(min(.milliseconds(300), patience.adapters))
        }
    }

    private func managedObjects(_ connection: DBusConnection) async throws(Stop) -> DBusValue? {
        let call = MethodCall(
            to: BlueZName.service,
            at: "/",
            BlueZName.objectManager,
            "GetManagedObjects",
            timeout: patience.answer,
            mayStart: false
        )
        do throws(DBusError) {
            return try await connection.call(call).first
        } catch {
            throw Stop(service: ServiceTrouble(asking: error), detail: error.words)
        }
    }

    private func askBus(_ connection: DBusConnection, _ member: String, _ arguments: [DBusValue] = []) async throws(Stop) -> [DBusValue] {
        do throws(DBusError) {
            return try await connection.call(busCall(member, arguments, timeout: patience.answer))
        } catch {
            throw Stop(bus: BusTrouble(asking: error), detail: error.words)
        }
    }

    private func busCall(_ member: String, _ arguments: [DBusValue], timeout: Duration) -> MethodCall {
        MethodCall(to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments, timeout: timeout)
    }

    private func pause(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            loop.schedule(after: time) { continuation.resume() }
        }
    }
}
