import EventLoops
import Testing

@testable import DBus

/// A bus that sends what a bus must not send. Nothing of it may crash the process.
@Suite("Hostile input", .timeLimit(.minutes(2)))
struct HostileInputTests {
    private func client(of bus: FakeBus) async throws -> (DBusConnection, Inbox<DBusConnection.Event>, Inbox<Signal>) {
        let client = DBusConnection(bus.address, loop: DispatchLoop())
        let (events, signals) = (Inbox<DBusConnection.Event>(), Inbox<Signal>())
        _ = await client.subscribe(MatchRule(path: "/test")) { signals.add($0) }
        await client.open { events.add($0) }
        return (client, events, signals)
    }

    /// Once the client is in and has asked for signals, it sends these bytes, then the signal "End".
    private func bus(sending bytes: [UInt8]) throws -> FakeBus {
        try FakeBus { peer in
            peer.greet()
            _ = peer.message()  // AddMatch
            peer.send(bytes)
            peer.send(RawMessage.signal("End", "", []))
            while peer.message() != nil {}
        }
    }

    static let broken: [(String, [UInt8])] = [
        ("no message at all", [UInt8](repeating: 0xFF, count: 64)),
        ("an unknown byte order", [UInt8(ascii: "x")] + RawMessage.signal("Changed", "", []).dropFirst()),
        ("a wrong version", [UInt8(ascii: "l"), 4, 0, 9] + RawMessage.signal("Changed", "", []).dropFirst(4)),
        ("a gigantic length", [UInt8(ascii: "l"), 4, 0, 1, 0xFF, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0, 0, 0, 0, 0]),
        ("text that is not UTF-8", RawMessage.signal("Changed", "s", RawMessage.little(2) + [0xC3, 0x28, 0])),
        ("a string without an end", RawMessage.signal("Changed", "s", RawMessage.little(1000) + [0x41, 0])),
        ("a boolean that is neither", RawMessage.signal("Changed", "b", RawMessage.little(2))),
        ("a path that is none", RawMessage.signal("Changed", "o", RawMessage.string("here"))),
        ("a signature that is none", RawMessage.signal("Changed", "g", RawMessage.signature("a{vs}"))),
        ("a body of an impossible type", RawMessage.signal("Changed", "a", [])),
        ("a body that is too short", RawMessage.signal("Changed", "uu", RawMessage.little(1))),
        ("an array that is too long", RawMessage.signal("Changed", "ay", RawMessage.little(0x0400_0001))),
        ("a variant without a type", RawMessage.signal("Changed", "v", [0, 0])),
        ("variants in variants, too deep", RawMessage.signal("Changed", "v", (0..<100).flatMap { _ in RawMessage.signature("v") } + [1, 121, 0, 7])),
        ("a member that is none", RawMessage.signal("no member", "", [])),
        ("a sender that is none", RawMessage.signal("Changed", "", [], sender: "nobody")),
        ("a message of no type", RawMessage.signal("Changed", "", [], type: 0)),
    ]

    @Test("A bus that breaks the rules of messages is lost", arguments: broken)
    func brokenMessages(what: String, bytes: [UInt8]) async throws {
        let bus = try bus(sending: bytes)
        let (client, events, signals) = try await client(of: bus)
        guard case .connected = await events.next() else { throw PrivateBus.Failure("connected") }
        guard case .lost = await events.next() else { throw PrivateBus.Failure("lost") }
        #expect(signals.rest.isEmpty, "\(what)")
        await client.close()
    }

    static let odd: [(String, [UInt8])] = [
        ("a message of a future type", RawMessage.signal("Changed", "", [], type: 77)),
        ("a reply to nothing", RawMessage.reply(to: 4711, "s", RawMessage.string("x"))),
        ("an error about nothing", RawMessage.error("test.Error.X", to: 4711, "", [])),
        ("an end of the connection that isn't", RawMessage.signal("Disconnected", "", [])),
        ("file descriptors that don't come", RawMessage.signal("Changed", "h", RawMessage.little(0))),
        ("more values than are taken", RawMessage.signal("Changed", "an", many)),
        ("a call without a sender", RawMessage.message(type: 1, fields: [(1, "o", RawMessage.string("/x")), (3, "s", RawMessage.string("M"))], [])),
        ("a call that names no interface", RawMessage.signal("Changed", "", [], type: 1)),
    ]

    /// One value more than is taken from a message.
    private static let many = RawMessage.little(UInt32(MessageReader.valueLimit * 2)) + [UInt8](repeating: 1, count: MessageReader.valueLimit * 2)

    @Test("What is merely odd does no harm", arguments: odd.indices)
    func oddMessages(index: Int) async throws {
        let bus = try bus(sending: Self.odd[index].1)
        let (client, events, signals) = try await client(of: bus)
        guard case .connected = await events.next() else { throw PrivateBus.Failure("connected") }
        var signal = await signals.next()
        while signal.member != "End" {
            #expect(signal.member == "Disconnected", "\(Self.odd[index].0)")
            signal = await signals.next()
        }
        #expect(events.rest.isEmpty)
        await client.close()
    }

    @Test("A reply with too many values is an error")
    func tooManyValues() async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            guard let serial = peer.message() else { return }
            peer.send(RawMessage.reply(to: serial, "an", Self.many))
            while peer.message() != nil {}
        }
        let client = DBusConnection(bus.address, loop: DispatchLoop())
        try await client.opened()
        let error = await #expect(throws: DBusError.self) { try await client.settle() }
        #expect(error?.name == DBusError.limitsExceeded)
        await client.close()
    }

    @Test("An error without a text, or with something else in its place, is told", arguments: [("", []), ("u", RawMessage.little(5))])
    func errorsWithoutText(signature: String, body: [UInt8]) async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            guard let serial = peer.message() else { return }
            peer.send(RawMessage.error("test.Error.X", to: serial, signature, body))
            while peer.message() != nil {}
        }
        let client = DBusConnection(bus.address, loop: DispatchLoop())
        try await client.opened()
        let error = await #expect(throws: DBusError.self) { try await client.settle() }
        #expect(error?.name == "test.Error.X")
        #expect(error?.message == "")
        await client.close()
    }

    @Test("The bus may close the connection in the middle of a message")
    func cutOff() async throws {
        let bus = try FakeBus { peer in
            peer.greet()
            _ = peer.message()
            peer.send(Array(RawMessage.signal("Changed", "s", RawMessage.string("half")).dropLast(3)))
        }
        let (client, events, signals) = try await client(of: bus)
        guard case .connected = await events.next() else { throw PrivateBus.Failure("connected") }
        guard case .lost(let error) = await events.next() else { throw PrivateBus.Failure("lost") }
        #expect(error.name == DBusError.disconnected)
        #expect(signals.rest.isEmpty)
        await client.close()
    }
}
