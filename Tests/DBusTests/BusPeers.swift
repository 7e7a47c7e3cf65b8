import DBus
import EventLoops

/// A connection that is ready, on a loop of its own.
func connect(to bus: PrivateBus) async throws -> DBusConnection {
    let connection = DBusConnection(.address(bus.address), loop: DispatchLoop())
    try await connection.opened()
    return connection
}

extension DBusConnection {
    /// Opens it, and waits.
    func opened() async throws {
        let events = Inbox<Event>()
        open { events.add($0) }
        if case .lost(let error) = await events.next() { throw error }
    }

    /// The name of a connection that is ready.
    var name: String { uniqueName ?? "" }

    /// Returns when the bus has seen everything that was sent before.
    func settle() async throws {
        _ = try await call(MethodCall(to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping"))
    }

    /// Waits for a name.
    func take(_ name: String) async throws {
        let answer = await withCheckedContinuation { continuation in
            requestName(name) { continuation.resume(returning: $0) }
        }
        try answer.get()
    }
}

/// Calls a method of the test's object.
func method(_ member: String, of peer: DBusConnection, _ arguments: [DBusValue] = [], timeout: Duration = .seconds(25)) async -> MethodCall {
    MethodCall(to: await peer.name, at: "/test", "test.Object", member, arguments, timeout: timeout)
}

/// A peer with an object at `/test` that sends back what it is given.
func echo(on bus: PrivateBus) async throws -> DBusConnection {
    let peer = try await connect(to: bus)
    await peer.handleCalls(at: "/test") { $0.reply($0.arguments) }
    return peer
}
