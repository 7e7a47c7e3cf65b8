import FlicProtocol
import Testing

@Suite("D4: queued presses in the smallest frames")
struct SmallMTUTests {
    @Test("Six queued events in fragments, and a live one, are the same at every MTU", arguments: [23, 24, 30, 46, 50, 51, 52, 53, 140])
    func queue(mtu: Int) {
        var button = ScriptedButton(mtu: mtu)
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.sameBoot(at: 100_000, hasQueue: true))) == [])
        let queue = ButtonEventNotification.of(
            [
                .queued(1, at: 1_000), .queued(8, at: 2_000), .queued(2, at: 17_384),
                .queued(1, at: 50_000), .queued(8, at: 51_000), .queued(2, at: 66_384, isLast: true),
            ],
            count: 408
        )
        let events: [HostSession.Action] = [
            .event(.queued(1, count: 401, at: 1_000, age: 99_000)),
            .event(.queued(8, count: 403, at: 2_000, age: 98_000)),
            .event(.queued(2, count: 404, at: 17_384, age: 82_616)),
            .event(.queued(1, count: 405, at: 50_000, age: 50_000)),
            .event(.queued(8, count: 407, at: 51_000, age: 49_000)),
            .event(.queued(2, count: 408, at: 66_384, age: 33_616)),
            .progress(EventPosition(bootID: 7, eventCount: 408)),
            .queueFinished,
        ]
        let frames = button.says(queue)
        #expect(frames.count == (52 + mtu - 5) / (mtu - 4))
        let requests =
            button.hears(button.acknowledgement(408)) + button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest())
            + button.hears(GetNameRequest())
        #expect(session.receive(frames) == events + requests)

        let live: [HostSession.Action] = [.event(.live(1, count: 409, at: 200_000)), .progress(EventPosition(bootID: 7, eventCount: 409))]
        #expect(session.receive(button.says(ButtonEventNotification.of([.live(1, at: 200_000)], count: 409))) == live)
    }

    @Test("Frames for others between the fragments disturb nothing")
    func interleaved() {
        var button = ScriptedButton(mtu: 23)
        var session = button.runningClient()
        let items = (0..<16).map { EventItem.live($0 % 2 == 0 ? 1 : 8) }
        let frames = button.says(ButtonEventNotification.of(items, count: 431))
        #expect(frames.count == 7)
        var actions: [HostSession.Action] = []
        for frame in frames {
            for other in [[0x86, 1, 2], [0x25, 3], [0xA5, 4], [0xE7, 5, 6], [0x05], [], [0x00, 12]] as [[UInt8]] {
                #expect(session.receive([other]).allSatisfy { if case .ignored = $0 { true } else { false } })
            }
            actions += session.receive([frame])
        }
        let events = (0..<16).map { HostSession.Action.event(.live($0 % 2 == 0 ? 1 : 8, count: 401 + 2 * UInt32($0))) }
        #expect(actions == events + [.progress(EventPosition(bootID: 7, eventCount: 431))])
    }

    @Test("A packet of more than 128 bytes is dropped without being counted, and the next one is right")
    func oversize() {
        var button = ScriptedButton(mtu: 23)
        var session = button.runningClient()
        for filler: UInt8 in 0..<6 { #expect(session.receive([[0x85] + [UInt8](repeating: filler, count: 19)]) == []) }
        #expect(session.receive([[0x85] + [UInt8](repeating: 0xEE, count: 19)]) == [.ignored(.oversize)])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }
}
