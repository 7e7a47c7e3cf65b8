import FlicProtocol
import Testing

@Suite("Sessions with a Flic Duo (protocol 13)")
struct DuoSessionTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton(flags: HostSession.duoFlag)
    private static let known = EventPosition(bootID: 7, eventCount: 400, smallEventCount: 20)

    private static func memory(isDuo: Bool = true) -> HostSession.Memory {
        var memory = ScriptedButton.memory(known)
        memory.isDuo = isDuo
        return memory
    }

    private static let request = InitButtonEventsDuoLightRequest.with {
        $0.eventCounts = DuoEventCounts(big: 400, small: 20)
        $0.bootID = 7
        $0.autoDisconnectTime = 511
        $0.maximumQueued = 31
        $0.maximumAge = 0xFFFFF
    }

    /// A session whose Quick Verify is through, with a button that says it is a Duo.
    private mutating func initialising(isDuo: Bool = true, isKnown: Bool = true, settings: SessionSettings = SessionSettings()) -> HostSession {
        var session = button.client(Self.memory(isDuo: isKnown), settings: settings)
        _ = session.start()
        button.beginQuickSession()
        var answer = button.quickVerifyResponse
        answer.isDuo = isDuo
        let told: [Action] = isDuo && !isKnown ? [.isDuo, .verified] : [.verified]
        let expected = told + (isDuo ? button.hears(Self.request) : button.hears(button.initRequest(Self.known)))
        #expect(session.receive(button.says(answer)) == expected)
        return session
    }

    private static func answer(
        big: UInt32 = 400,
        small: UInt32 = 20,
        at time: UInt64 = 0,
        hasQueue: Bool = false
    ) -> InitButtonEventsDuoResponseWithoutBootId {
        .with {
            $0.hasQueuedEvents = hasQueue
            $0.timestamp = time
            $0.eventCounts = DuoEventCounts(big: big, small: small)
        }
    }

    private mutating func running() -> HostSession {
        var session = initialising()
        _ = session.receive(button.says(Self.answer()))
        _ = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        return session
    }

    private static func acknowledgement(big: UInt32, small: UInt32) -> AckButtonEventsDuoInd {
        .with { $0.eventCounts = DuoEventCounts(big: big, small: small) }
    }

    private static func packet(_ events: [DuoEvent], _ stream: inout DuoEventStream) throws -> ButtonEventDuoNotification {
        let written = stream.write(events)
        let payload = try #require(written)
        return .with { $0.events = payload }
    }

    @Test("A button that was taken for a Flic 2 tells that it is a Duo, once")
    mutating func discovery() {
        _ = initialising(isKnown: false)
        button = ScriptedButton(flags: HostSession.duoFlag)
        _ = initialising(isKnown: true)
    }

    @Test("A Flic 2 that is asked in the manner of a Duo goes on as a Flic 2")
    mutating func flic2() {
        var session = initialising(isDuo: false, isKnown: false)
        #expect(
            session.receive(button.says(button.sameBoot(count: 400))).prefix(2) == [
                .progress(EventPosition(bootID: 7, eventCount: 400)), .queueFinished,
            ]
        )
    }

    @Test("A client that does not understand Duo packets takes a Duo for a Flic 2")
    func withoutFlag() {
        var button = ScriptedButton()
        var session = button.client(Self.memory(isDuo: false))
        _ = session.start()
        button.beginQuickSession()
        var answer = button.quickVerifyResponse
        answer.isDuo = true
        #expect(session.receive(button.says(answer)) == [.verified] + button.hears(button.initRequest(Self.known)))
    }

    @Test("A Duo may answer as a Flic 2, and goes on as one")
    mutating func answersAsFlic2() {
        var session = initialising()
        _ = session.receive(button.says(button.sameBoot(count: 400)))
        _ = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        var item = EventItem()
        item.eventCode = EventCode(1)
        let event = ButtonEventNotification.with {
            $0.eventCount = 401
            $0.items = [item]
        }
        #expect(session.receive(button.says(event)) == [.event(.live(1, count: 401)), .progress(EventPosition(bootID: 7, eventCount: 401))])
    }

    @Test("Live events of both buttons, told in their order; a decided press is acknowledged with both counts")
    mutating func live() throws {
        var session = running()
        var stream = DuoEventStream(counts: DuoEventCounts(big: 400, small: 20), hasQueuedEvents: false)
        let level = DuoEvent.Acceleration(x: 1, y: -2, z: 64)
        let downs = [
            DuoEvent(button: .big, count: 401, timestamp: 1000, kind: .down, acceleration: level),
            DuoEvent(button: .small, count: 21, timestamp: 1001, kind: .down),
        ]
        let first: [Action] = [
            .event(Self.event(1, 401, 1000, .big, acceleration: level)), .event(Self.event(1, 21, 1001, .small)),
            .progress(EventPosition(bootID: 7, eventCount: 401, smallEventCount: 21)),
        ]
        #expect(session.receive(button.says(try Self.packet(downs, &stream))) == first)
        let swipe = [DuoEvent(button: .small, count: 23, timestamp: 30_000, kind: .slowClickUp, gesture: .left)]
        let second: [Action] =
            [
                .event(Self.event(10, 23, 30_000, .small, gesture: .left)),
                .progress(EventPosition(bootID: 7, eventCount: 401, smallEventCount: 23)),
            ] + button.hears(Self.acknowledgement(big: 401, small: 23))
        #expect(session.receive(button.says(try Self.packet(swipe, &stream))) == second)
    }

    @Test("Queued events: nothing is stored before the first notification, ages go by the button's clock, the last one completes the start-up")
    mutating func queue() throws {
        var session = initialising()
        #expect(session.receive(button.says(Self.answer(at: 200_000, hasQueue: true))) == [])
        var stream = DuoEventStream(counts: DuoEventCounts(big: 400, small: 20), hasQueuedEvents: true)
        let events = [
            DuoEvent(button: .small, count: 21, timestamp: 100_000, kind: .down, queueMark: .queued),
            DuoEvent(button: .big, count: 401, timestamp: 200_000 - 32_768, kind: .down, queueMark: .queuedLast),
        ]
        let expected: [Action] =
            [
                .event(Self.event(1, 21, 100_000, .small, queuedFor: 100_000)),
                .event(Self.event(1, 401, 200_000 - 32_768, .big, queuedFor: 32_768)),
                .progress(EventPosition(bootID: 7, eventCount: 401, smallEventCount: 21)), .queueFinished,
            ] + button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(try Self.packet(events, &stream))) == expected)
    }

    @Test("A queue whose end was discarded is finished before the live event that says so")
    mutating func lostQueue() throws {
        var session = initialising()
        _ = session.receive(button.says(Self.answer(hasQueue: true)))
        var stream = DuoEventStream(counts: DuoEventCounts(big: 400, small: 20), hasQueuedEvents: true)
        let event = DuoEvent(button: .big, count: 401, timestamp: 5, kind: .down, queueMark: .liveAfterLostQueue)
        let expected: [Action] = [
            .queueFinished, .event(Self.event(1, 401, 5, .big)), .progress(EventPosition(bootID: 7, eventCount: 401, smallEventCount: 20)),
        ]
        #expect(session.receive(button.says(try Self.packet([event], &stream))).prefix(3) == expected[...])
    }

    @Test("What was delivered before is dropped, for each button by its own count")
    mutating func duplicates() throws {
        var session = initialising()
        _ = session.receive(button.says(Self.answer(big: 396, small: 20, hasQueue: true)))
        var stream = DuoEventStream(counts: DuoEventCounts(big: 396, small: 20), hasQueuedEvents: true)
        let events = [
            DuoEvent(button: .big, count: 397, timestamp: 5, kind: .down, queueMark: .queued),
            DuoEvent(button: .small, count: 21, timestamp: 6, kind: .down, queueMark: .queuedLast),
        ]
        let actions = session.receive(button.says(try Self.packet(events, &stream)))
        let expected: [Action] = [
            .ignored(.duplicate(count: 397)), .event(Self.event(1, 21, 6, .small, queuedFor: 0)),
            .progress(EventPosition(bootID: 7, eventCount: 400, smallEventCount: 21)), .queueFinished,
        ]
        #expect(Array(actions.prefix(4)) == expected)
    }

    @Test("After a reboot both counts begin anew")
    mutating func reboot() {
        var session = initialising()
        let answer = InitButtonEventsDuoResponseWithBootId.with {
            $0.bootID = 8
            $0.eventCounts = DuoEventCounts(big: 3, small: 4)
        }
        let actions = session.receive(button.says(answer))
        #expect(actions.prefix(2) == [.progress(EventPosition(bootID: 8, eventCount: 3, smallEventCount: 4)), .queueFinished])
        #expect(session.bootID == 8)
    }

    @Test("Events before the answer, without an event in them, or to a Flic 2 are left alone")
    mutating func stray() {
        var session = initialising()
        let empty = ButtonEventDuoNotification.with { $0.events = [1, 2] }
        #expect(session.receive(button.says(empty)) == [.ignored(.unexpected(opcode: ButtonEventDuoNotification.opcode))])
        _ = session.receive(button.says(Self.answer()))
        _ = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(empty)) == [.ignored(.noItems)])
        #expect(session.receive(button.says(Self.answer())) == [.ignored(.unrequested(opcode: InitButtonEventsDuoResponseWithoutBootId.opcode))])
    }

    @Test("Push and twist is switched on in the start-up or at once, and reports the button that is held")
    mutating func pushTwist() {
        var settings = SessionSettings()
        settings.pushTwist = .small
        var session = initialising(settings: settings)
        let wish = EnablePushTwistInd.with { $0.smallButton = true }
        let expected: [Action] =
            [.progress(Self.known), .queueFinished] + button.hears(button.parameters()) + button.hears(wish)
            + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(Self.answer())) == expected)

        let report = PushTwistDataNotification.with {
            $0.smallIsPressed = true
            $0.smallIsFirst = true
            $0.angle = -16_384
        }
        #expect(session.receive(button.says(report)) == [.pushTwist(PushTwist(button: .small, angle: -16_384, isFirst: true, isLong: false))])
        #expect(session.receive(button.says(PushTwistDataNotification.with { $0.angle = 3 })) == [.ignored(.noItems)])

        var actions: [Action] = []
        session.setPushTwist([], into: &actions)
        #expect(actions == button.hears(EnablePushTwistInd()))
    }

    private static func event(
        _ code: UInt8,
        _ count: UInt32,
        _ time: UInt64,
        _ button: DuoButton,
        gesture: DuoEvent.Gesture? = nil,
        acceleration: DuoEvent.Acceleration = DuoEvent.Acceleration(),
        queuedFor age: UInt64? = nil
    ) -> ButtonEvent {
        ButtonEvent(
            code: EventCode(code),
            count: count,
            timestamp: time,
            wasQueued: age != nil,
            ageTicks: age ?? 0,
            button: button,
            gesture: gesture,
            acceleration: acceleration
        )
    }
}
