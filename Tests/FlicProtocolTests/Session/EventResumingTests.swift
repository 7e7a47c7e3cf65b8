import FlicProtocol
import Testing

@Suite("Events: what is stored, and what has been seen (protocol 7.3)")
struct EventResumingTests {
    private var button = ScriptedButton()

    /// A session with the stored position `stored`, and the answer of a button that has been running since then and has a queue.
    private mutating func queueing(_ stored: EventPosition) -> HostSession {
        var session = button.initialisingClient(ScriptedButton.memory(stored))
        #expect(session.receive(button.says(button.sameBoot(count: stored.eventCount, hasQueue: true))) == [])
        return session
    }

    private func position(_ count: UInt32, boot: UInt32 = 7) -> HostSession.Action {
        .progress(EventPosition(bootID: boot, eventCount: count))
    }

    @Test("The client names what it has stored")
    mutating func names() {
        var session = button.client(ScriptedButton.memory(EventPosition(bootID: 0xFFFF_FFFF, eventCount: 0x8000_0001)))
        _ = session.start()
        button.beginQuickSession()
        let request = button.initRequest(EventPosition(bootID: 0xFFFF_FFFF, eventCount: 0x8000_0001))
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(request))
    }

    @Test("Without a queue the answer is stored at once: the same boot")
    mutating func sameBoot() {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.sameBoot(count: 444))).prefix(2) == [position(444), .queueFinished])
    }

    @Test("Without a queue the answer is stored at once: a new boot")
    mutating func newBoot() {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.newBoot(8, count: 6))).prefix(2) == [position(6, boot: 8), .queueFinished])
    }

    @Test("With a queue nothing is stored before the first notification has been delivered", arguments: [false, true])
    mutating func storesLate(isNewBoot: Bool) {
        var session = button.initialisingClient()
        let answer = isNewBoot ? button.says(button.newBoot(8, count: 404, hasQueue: true)) : button.says(button.sameBoot(count: 404, hasQueue: true))
        #expect(session.receive(answer) == [])
        let expected: [HostSession.Action] = [.event(.queued(1, count: 401)), position(401, boot: isNewBoot ? 8 : 7)]
        #expect(session.receive(button.says(ButtonEventNotification.of([.queued(1)], count: 401))) == expected)
    }

    @Test("Events of the same boot that have been delivered are dropped, whether the answer counts before or after the queue", arguments: [400, 408])
    mutating func replayed(answered: UInt32) {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.sameBoot(count: answered, hasQueue: true))) == [])
        let notification = ButtonEventNotification.of(
            [.queued(1), .queued(8), .queued(2), .queued(1), .queued(8), .queued(2, isLast: true)],
            count: 404
        )
        let expected: [HostSession.Action] = [
            .ignored(.duplicate(count: 397)), .ignored(.duplicate(count: 399)), .ignored(.duplicate(count: 400)),
            .event(.queued(1, count: 401)), .event(.queued(8, count: 403)), .event(.queued(2, count: 404)), position(404), .queueFinished,
        ]
        #expect(session.receive(button.says(notification)).prefix(8) == expected[...])
    }

    @Test("A notification that comes twice is delivered once, and acknowledged twice")
    mutating func twice() {
        var session = button.runningClient()
        let notification = ButtonEventNotification.of([.live(1), .live(10)], count: 403)
        let first: [HostSession.Action] = [.event(.live(1, count: 401)), .event(.live(10, count: 403)), position(403)]
        #expect(session.receive(button.says(notification)) == first + button.hears(button.acknowledgement(403)))
        let again: [HostSession.Action] = [.ignored(.duplicate(count: 401)), .ignored(.duplicate(count: 403)), position(403)]
        #expect(session.receive(button.says(notification)) == again + button.hears(button.acknowledgement(403)))
    }

    @Test(
        "Seen is what is at most half of all numbers behind",
        arguments: [0, 1, 400, 0x7FFF_FFFF, 0xFFFF_FFFD, 0xFFFF_FFFF],
        [(0, false), (1, true), (2, true), (0x7FFF_FFFF, true), (0x8000_0000, false), (0xFFFF_FFFF, false)] as [(UInt32, Bool)]
    )
    mutating func distance(stored: UInt32, step: (distance: UInt32, isNew: Bool)) {
        var session = queueing(EventPosition(bootID: 7, eventCount: stored))
        let count = stored &+ step.distance
        let expected: [HostSession.Action] =
            step.isNew ? [.event(.queued(1, count: count)), position(count)] : [.ignored(.duplicate(count: count)), position(stored)]
        #expect(session.receive(button.says(ButtonEventNotification.of([.queued(1)], count: count))) == expected)
    }

    @Test("Counters go on behind 2^32")
    mutating func wrap() {
        var session = queueing(EventPosition(bootID: 7, eventCount: 0xFFFF_FFFD))
        let notification = ButtonEventNotification.of([.queued(1), .queued(8), .queued(2), .queued(1)], count: 1)
        let expected: [HostSession.Action] = [
            .ignored(.duplicate(count: 0xFFFF_FFFD)), .event(.queued(8, count: 0xFFFF_FFFF)), .event(.queued(2, count: 0)),
            .event(.queued(1, count: 1)), position(1),
        ]
        #expect(session.receive(button.says(notification)) == expected + button.hears(button.acknowledgement(1)))
    }

    @Test("After a pairing no event has been seen, not even the one with the counter zero", arguments: [0, 3])
    mutating func afterPairing(boot: UInt32) {
        var session = button.initialisingClient(ScriptedButton.memory(EventPosition()))
        let answer = boot == 0 ? button.says(button.sameBoot(count: 0, hasQueue: true)) : button.says(button.newBoot(boot, count: 0, hasQueue: true))
        #expect(session.receive(answer) == [])
        let expected: [HostSession.Action] = [.event(.queued(2, count: 0)), position(0, boot: boot)]
        let notification = ButtonEventNotification.of([.queued(2)], count: 0)
        #expect(session.receive(button.says(notification)) == expected + button.hears(button.acknowledgement(0)))
    }

    @Test("D5: a button that was rebooted is counted anew, and its events come once")
    mutating func rebooted() {
        var session = button.initialisingClient(ScriptedButton.memory(EventPosition(bootID: 7, eventCount: 400)))
        #expect(session.receive(button.says(button.newBoot(8, count: 6, hasQueue: true))) == [])
        let queue = ButtonEventNotification.of([.queued(8), .queued(2), .queued(1), .queued(3, isLast: true)], count: 6)
        let events: [HostSession.Action] = [
            .event(.queued(8, count: 3)), .event(.queued(2, count: 4)), .event(.queued(1, count: 5)), .event(.queued(3, count: 6)),
            position(6, boot: 8), .queueFinished,
        ]
        let actions = session.receive(button.says(queue))
        #expect(actions.prefix(6) == events[...])

        // The next connection: nothing is new.
        var next = button.initialisingClient(ScriptedButton.memory(EventPosition(bootID: 8, eventCount: 6)))
        #expect(next.receive(button.says(button.sameBoot(count: 6))).prefix(2) == [position(6, boot: 8), .queueFinished])
    }

    @Test("D5: the same queue in a second connection is not delivered again")
    mutating func rebootedReplay() {
        var session = queueing(EventPosition(bootID: 8, eventCount: 6))
        let queue = ButtonEventNotification.of([.queued(8), .queued(2), .queued(1), .queued(3, isLast: true)], count: 6)
        let expected: [HostSession.Action] = [3, 4, 5, 6].map { .ignored(.duplicate(count: $0)) } + [position(6, boot: 8), .queueFinished]
        #expect(session.receive(button.says(queue)).prefix(6) == expected[...])
    }
}
