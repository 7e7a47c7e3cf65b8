import DBus
import EventLoops
import FlicSimulator
import Testing

@Suite("Private bus", .timeLimit(.minutes(1)), .virtualTime)
struct FakeBusTests {
    @Test("Two buses know nothing of each other")
    func separate() async throws {
        let first = try await FakeStage()
        let second = try PrivateBus()
        #expect(first.bus.address != second.address)
        let other = FakeBlueZ(bus: second.address, loop: VirtualTime.makeLoop("other"))
        try await other.start()  // the name is free here
        let third = FakeBlueZ(bus: first.bus.address, loop: VirtualTime.makeLoop("other"))
        await #expect(throws: DBusError.self) { try await third.start() }
    }

    @Test("The end of the bus is the end of all connections")
    func end() async throws {
        let stage = try await FakeStage()
        let connection = DBusConnection(stage.bus.address, loop: VirtualTime.makeLoop("other"))
        let events = FakeTranscript()
        await connection.open { event in
            switch event {
            case .connected: events.note("connected")
            case .lost: events.note("lost")
            }
        }
        await events.wait(for: "connected")
        stage.bus.stop()
        await events.wait(for: "lost")
        await #expect(throws: DBusError.self) { try await FakeBlueZ(bus: stage.bus.address, loop: VirtualTime.makeLoop("other")).start() }
    }

    @Test("A missing or unfit daemon is an error that says so", arguments: [("no-such-daemon", "no-such-daemon"), ("/bin/false", "ended")])
    func missing(program: String, word: String) {
        do {
            _ = try PrivateBus(program: program)
            Issue.record("\(program) is no bus")
        } catch {
            #expect(error.description.contains(word))
        }
    }
}
