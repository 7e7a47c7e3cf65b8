import DBus
import EventLoops
import Testing

@Suite("Owners of names", .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.missing)"), .timeLimit(.minutes(2)))
struct OwnerTests {
    let bus: PrivateBus

    init() throws {
        bus = try PrivateBus(startable: "test.Service")
    }

    @Test("A watch is told that there is no owner, that one appears, changes and vanishes")
    func changes() async throws {
        let client = try await connect(to: bus)
        let owners = Inbox<String?>()
        let id = await client.watchOwner(of: "test.Service") { owners.add($0) }
        #expect(await owners.next() == nil)  // and the bus didn't try to start it
        let first = try await connect(to: bus)
        try await first.take("test.Service")
        #expect(await owners.next() == first.name)
        await first.releaseName("test.Service")
        #expect(await owners.next() == nil)
        let second = try await connect(to: bus)
        try await second.take("test.Service")
        #expect(await owners.next() == second.name)
        await second.close()
        #expect(await owners.next() == nil)
        await client.unsubscribe(id)
        try await first.take("test.Service")
        try await client.settle()
        #expect(owners.rest.isEmpty)
    }

    @Test("A second watch of a name is told the present owner, too, and each once")
    func secondWatch() async throws {
        let (client, owner) = (try await connect(to: bus), try await connect(to: bus))
        try await owner.take("test.Service")
        let (first, second) = (Inbox<String?>(), Inbox<String?>())
        let id = await client.watchOwner(of: "test.Service") { first.add($0) }
        #expect(await first.next() == owner.name)
        _ = await client.watchOwner(of: "test.Service") { second.add($0) }
        #expect(await second.next() == owner.name)
        await client.unsubscribe(id)
        await owner.close()
        #expect(await second.next() == nil)
        try await client.settle()
        #expect(first.rest.isEmpty)
        #expect(second.rest.isEmpty)
    }

    @Test("A unique name can be watched; a name that cannot exist has no owner")
    func otherNames() async throws {
        let (client, peer) = (try await connect(to: bus), try await connect(to: bus))
        let owners = Inbox<String?>()
        _ = await client.watchOwner(of: peer.name) { owners.add($0) }
        #expect(await owners.next() == peer.name)
        await peer.close()
        #expect(await owners.next() == nil)
        for name in ["", "nodots", "a.b\0c", "a'b.c"] {
            _ = await client.watchOwner(of: name) { owners.add($0) }
            #expect(await owners.next() == nil)
        }
        try await client.settle()
    }

    @Test("A name that somebody has cannot be taken; one's own can be taken again")
    func taken() async throws {
        let (first, second) = (try await connect(to: bus), try await connect(to: bus))
        try await first.take("test.Service")
        try await first.take("test.Service")
        let error = await #expect(throws: DBusError.self) { try await second.take("test.Service") }
        #expect(error?.name == DBusError.nameTaken)
        let invalid = await #expect(throws: DBusError.self) { try await second.take("nodots") }
        #expect(invalid?.name == DBusError.invalidArguments)
    }

    @Test("Nobody but the bus is believed about owners")
    func impostor() async throws {
        let (client, impostor) = (try await connect(to: bus), try await connect(to: bus))
        let (owners, seen) = (Inbox<String?>(), Inbox<Signal>())
        _ = await client.watchOwner(of: "test.Service") { owners.add($0) }
        _ = await client.subscribe(MatchRule(sender: impostor.name)) { seen.add($0) }
        #expect(await owners.next() == nil)
        try await client.settle()
        let arguments: [DBusValue] = [.string("test.Service"), .string(""), .string(await impostor.name)]
        await impostor.send(Signal(at: "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", arguments))
        #expect(await seen.next().member == "NameOwnerChanged")
        #expect(owners.rest.isEmpty)
    }
}
