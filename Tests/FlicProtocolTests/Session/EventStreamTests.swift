import Fixtures
import FlicProtocol
import Testing

@Suite("Events: counters, ages, marks (protocol 7)")
struct EventStreamTests {
    static let counters = JSONValue.vectors("packets").event_counters.vectors
    static let ages = JSONValue.vectors("packets").ages.vectors

    private var button = ScriptedButton()

    @Test("No vector is lost")
    func counts() {
        #expect(Self.counters.count == 13)
        #expect(Self.ages.count == 8)
    }

    @Test("13 notifications give the right counters, and are acknowledged if a click is decided", arguments: counters)
    mutating func counter(_ vector: Vector) throws {
        let codes = vector.codes.array.compactMap { $0.unsigned.map(UInt8.init) }
        let counters = vector.counters.array.compactMap { $0.unsigned.map(UInt32.init) }
        let count: UInt32 = try vector.integer("event_count")
        let before = try #require(counters.first) &- 1
        var session = button.runningClient(ScriptedButton.memory(EventPosition(bootID: 7, eventCount: before)))

        let notification = ButtonEventNotification.of(codes.map { .live($0) }, count: count)
        let events = zip(codes, counters).map { HostSession.Action.event(.live($0, count: $1)) }
        let progress = HostSession.Action.progress(EventPosition(bootID: 7, eventCount: count))
        let acknowledgement = vector.acknowledge.bool == true ? button.hears(button.acknowledgement(count)) : []
        #expect(session.receive(button.says(notification)) == events + [progress] + acknowledgement)
    }

    @Test("8 ages are the time between the event and the init answer", arguments: ages)
    mutating func age(_ vector: Vector) throws {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.sameBoot(at: try vector.integer("init_timestamp"), hasQueue: true))) == [])
        var item = EventItem.live(1, at: try vector.integer("item_timestamp"))
        item.wasQueued = vector.was_queued.bool == true
        let actions = session.receive(button.says(ButtonEventNotification.of([item], count: 401)))
        guard case .event(let event) = actions.first else {
            Issue.record("no event")
            return
        }
        #expect(event.ageTicks == vector.age_ticks.unsigned)
        #expect(event.ageSeconds == Int(try vector.integer("age_rounded") as UInt64))
        #expect(event.timestamp == vector.item_timestamp.unsigned)
        #expect(event.wasQueued == vector.was_queued.bool)
    }

    @Test("A notification is acknowledged once, after the events, with its own count")
    mutating func acknowledgedOnce() {
        var session = button.runningClient()
        let notification = ButtonEventNotification.of([.live(1), .live(10), .live(1), .live(10)], count: 407)
        let events: [HostSession.Action] = [
            .event(.live(1, count: 401)), .event(.live(10, count: 403)), .event(.live(1, count: 405)), .event(.live(10, count: 407)),
            .progress(EventPosition(bootID: 7, eventCount: 407)),
        ]
        #expect(session.receive(button.says(notification)) == events + button.hears(button.acknowledgement(407)))
    }

    @Test("Sixteen items fill a packet; what does not make a whole item is left alone", arguments: 1...16, 0...6)
    mutating func itemCount(_ count: Int, _ rest: Int) {
        guard count < 16 || rest == 0 else { return }  // would not be a packet of 128 bytes
        var session = button.runningClient()
        let codes = (0..<count).map { UInt8($0 % 2 == 0 ? 1 : 8) }
        let last = 401 + 2 * UInt32(count - 1)
        let body = ButtonEventNotification.of(codes.map { .live($0) }, count: last).body
        let events = codes.enumerated().map { HostSession.Action.event(.live($1, count: 401 + 2 * UInt32($0))) }
        let progress = HostSession.Action.progress(EventPosition(bootID: 7, eventCount: last))
        #expect(session.receive(button.says(body: body + [UInt8](repeating: 0x21, count: rest))) == events + [progress])
    }

    @Test("A notification without an item is ignored, one without a count is too short", arguments: 1...11)
    mutating func withoutItems(_ length: Int) {
        var session = button.runningClient()
        let body = [12] + [UInt8](repeating: 0xFF, count: length - 1)
        #expect(session.receive(button.says(body: body)) == [.ignored(length < 5 ? .tooShort : .noItems)])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    // MARK: The end of the queue

    @Test("Events before the init answer belong to no boot that is known: they are ignored")
    mutating func beforeInitAnswer() {
        var session = button.initialisingClient()
        let notification = ButtonEventNotification.of([.queued(1, isLast: true)], count: 401)
        #expect(session.receive(button.says(notification)) == [.ignored(.unexpected(opcode: 12))])
        #expect(session.receive(button.says(button.sameBoot(hasQueue: true))) == [])
        #expect(session.receive(button.says(notification)).first == .event(.queued(1, count: 401)))
    }

    @Test("The start-up goes on with the last queued event, wherever in its notification that is")
    mutating func lastQueued() {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.sameBoot(hasQueue: true))) == [])
        let first = ButtonEventNotification.of([.queued(1), .queued(10)], count: 403)
        let events: [HostSession.Action] = [
            .event(.queued(1, count: 401)), .event(.queued(10, count: 403)), .progress(EventPosition(bootID: 7, eventCount: 403)),
        ]
        #expect(session.receive(button.says(first)) == events + button.hears(button.acknowledgement(403)))
        let second = ButtonEventNotification.of([.queued(1), .queued(10, isLast: true), .live(1)], count: 409)
        let rest: [HostSession.Action] = [
            .event(.queued(1, count: 405)), .event(.queued(10, count: 407)), .event(.live(1, count: 409)),
            .progress(EventPosition(bootID: 7, eventCount: 409)), .queueFinished,
        ]
        let requests =
            button.hears(button.acknowledgement(409)) + button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest())
            + button.hears(GetNameRequest())
        #expect(session.receive(button.says(second)) == rest + requests)
    }

    @Test("Live events may come before the queue ends; they are delivered, and the start-up waits")
    mutating func liveBeforeLast() {
        var session = button.initialisingClient()
        _ = session.receive(button.says(button.sameBoot(hasQueue: true)))
        let live: [HostSession.Action] = [.event(.live(1, count: 401)), .progress(EventPosition(bootID: 7, eventCount: 401))]
        #expect(session.receive(button.says(ButtonEventNotification.of([.live(1)], count: 401))) == live)
        let actions = session.receive(button.says(ButtonEventNotification.of([.queued(8, isLast: true)], count: 403)))
        #expect(actions.contains(.queueFinished))
    }

    @Test("The queue ends once: a second mark, and one without a queue, mean nothing", arguments: [true, false])
    mutating func markAgain(hasQueue: Bool) {
        var session = button.initialisingClient()
        _ = session.receive(button.says(button.sameBoot(count: 400, hasQueue: hasQueue)))
        if hasQueue { _ = session.receive(button.says(ButtonEventNotification.of([.queued(1, isLast: true)], count: 401))) }
        let expected: [HostSession.Action] = [.event(.queued(8, count: 403)), .progress(EventPosition(bootID: 7, eventCount: 403))]
        #expect(session.receive(button.says(ButtonEventNotification.of([.queued(8, isLast: true)], count: 403))) == expected)
    }

    @Test("A queue of which everything has been seen ends all the same")
    mutating func duplicateLast() {
        var session = button.initialisingClient()
        _ = session.receive(button.says(button.sameBoot(hasQueue: true)))
        let actions = session.receive(button.says(ButtonEventNotification.of([.queued(2, isLast: true)], count: 400)))
        let expected: [HostSession.Action] = [.ignored(.duplicate(count: 400)), .progress(.known), .queueFinished]
        #expect(actions.prefix(3).elementsEqual(expected))
        #expect(actions.dropFirst(3).first == button.hears(button.acknowledgement(400)).first)
    }
}
