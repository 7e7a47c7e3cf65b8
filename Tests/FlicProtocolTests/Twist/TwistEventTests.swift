import Testing

@testable import FlicProtocol

@Suite("Events of a Flic Twist (protocol 14.3)")
struct TwistEventTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton.twist

    @Test(
        "Each code has its word in the language of the Flic 2",
        arguments: [
            (0, false, nil, 10), (0, true, nil, 14), (4, false, nil, 8), (4, true, nil, 8), (8, false, nil, 11), (8, true, nil, 15),
            (12, false, nil, 11),
            (12, true, nil, 15), (1, false, nil, 1), (5, false, nil, 1), (9, false, nil, 1), (13, true, nil, 1), (2, false, nil, 2),
            (6, false, nil, 2),
            (10, false, nil, 2), (14, true, nil, 2), (3, false, nil, 3), (11, false, nil, 3), (7, false, 2, 3), (15, true, 2, 3),
        ] as [(UInt8, Bool, UInt8?, UInt8)]
    )
    func codes(_ code: UInt8, _ isHeld: Bool, _ earlier: UInt8?, _ event: UInt8) {
        let translated = EventCode.translated(twist: code, isHeld: isHeld)
        #expect(translated.earlier?.rawValue == earlier && translated.event.rawValue == event)
    }

    private static func facts(_ actions: [Action]) -> [[Int]] {
        actions.compactMap {
            guard case .event(let event) = $0 else { return nil }
            return [Int(event.code.rawValue), Int(event.count), event.twistMode.map(Int.init) ?? -1]
        }
    }

    @Test("A session of presses: counters, modes, and acknowledgements where a click is decided")
    mutating func presses() {
        var session = button.runningTwist()
        func told(_ items: [Twist.EventItem], _ count: UInt32, acknowledged: Bool) -> [[Int]] {
            let acknowledgement = acknowledged ? button.hears(Twist.AckButtonEventsInd(button.acknowledgement(count))) : []
            let actions = session.receive(button.says(Twist.ButtonEventNotificationV2.of(items, count: count)))
            #expect(actions.filter { if case .send = $0 { true } else { false } } == acknowledgement)
            return Self.facts(actions)
        }
        // A click, in mode 0.
        #expect(told([.of(1)], 401, acknowledged: false) == [[1, 401, 0]])
        #expect(told([.of(4)], 403, acknowledged: false) == [[8, 403, 0]])
        #expect(told([.of(2)], 404, acknowledged: true) == [[2, 404, 0]])
        // A hold, in mode 12; its up knows that it was one.
        #expect(told([.of(1, mode: 12), .of(3, mode: 12)], 406, acknowledged: false) == [[1, 405, 12], [3, 406, 12]])
        #expect(told([.of(0, mode: 12)], 407, acknowledged: true) == [[14, 407, 12]])
        // A press of more than half a second.
        #expect(told([.of(1), .of(0)], 411, acknowledged: true) == [[1, 409, 0], [10, 411, 0]])
        // Two presses in quick succession.
        #expect(told([.of(1), .of(4), .of(5), .of(12)], 419, acknowledged: true) == [[1, 413, 0], [8, 415, 0], [1, 417, 0], [11, 419, 0]])
        // The second of two is held: the first is a click after all.
        #expect(told([.of(1), .of(4), .of(5)], 425, acknowledged: false) == [[1, 421, 0], [8, 423, 0], [1, 425, 0]])
        #expect(told([.of(7)], 426, acknowledged: true) == [[2, 424, 0], [3, 426, 0]])
        #expect(told([.of(0)], 427, acknowledged: true) == [[14, 427, 0]])
    }

    @Test("A mode that nobody knows loses no press", arguments: UInt8(0)...15)
    mutating func modes(_ mode: UInt8) {
        var session = button.runningTwist()
        let actions = session.receive(button.says(Twist.ButtonEventNotificationV2.of([.of(1, mode: mode)], count: 401)))
        #expect(Self.facts(actions) == [[1, 401, mode < 13 ? Int(mode) : -1]])
    }

    @Test("Without version 2 the items have seven bytes and no mode", arguments: [nil, 0, 1, 3] as [UInt8?])
    mutating func oldItems(_ version: UInt8?) {
        var session = button.initialisingTwist()
        _ = session.receive(button.says(button.twistAnswer(version: version)))
        let items: [UInt8] = [1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 4]
        let notification = Twist.ButtonEventNotificationV2.with {
            $0.eventCount = 403
            $0.items = items
        }
        #expect(Self.facts(session.receive(button.says(notification))) == [[1, 401, -1], [8, 403, -1]])
    }

    @Test("Queued events have their age, those delivered before are dropped, and the up of a hold is one across sessions")
    mutating func queue() {
        var session = button.initialisingTwist()
        #expect(session.receive(button.says(button.twistAnswer(at: 10 * 32_768, hasQueue: true))) == [])
        let items: [Twist.EventItem] = [
            .of(2, at: 1, queued: true), .of(1, at: 7 * 32_768, queued: true), .of(3, at: 8 * 32_768, queued: true),
            .of(0, at: 9 * 32_768, queued: true, last: true),
        ]
        let actions = session.receive(button.says(Twist.ButtonEventNotificationV2.of(items, count: 403)))
        #expect(actions.first == .ignored(.duplicate(count: 400)))
        #expect(Self.facts(actions) == [[1, 401, 0], [3, 402, 0], [14, 403, 0]])
        let ages = actions.compactMap { if case .event(let event) = $0 { event.ageSeconds } else { nil } }
        #expect(ages == [3, 2, 1] && actions.contains(.queueFinished))
    }

    @Test("Numbers on the air and inside stand for each other, and no two for one", arguments: [Direction.toButton, .fromButton])
    func numbers(_ direction: Direction) {
        let packets = direction == .toButton ? PacketCatalog.twistToButton : PacketCatalog.twistFromButton
        let others =
            direction == .toButton ? PacketCatalog.toButton + PacketCatalog.duoToButton : PacketCatalog.fromButton + PacketCatalog.duoFromButton
        #expect(Set(packets.map { $0.sessionOpcode }).count == packets.count)
        for packet in packets {
            #expect(Dialect.twist.sessionOpcode(of: packet.opcode, direction) == packet.sessionOpcode)
            #expect(Dialect.twist.opcode(of: packet.sessionOpcode, direction) == packet.opcode)
        }
        let known = Set(packets.map { $0.sessionOpcode })
        for other in others where !known.contains(other.opcode) { #expect(Dialect.twist.opcode(of: other.opcode, direction) == nil) }
        for opcode in UInt8.min...UInt8.max {
            #expect(Dialect.flic2.opcode(of: opcode, direction) == opcode && Dialect.flic2.sessionOpcode(of: opcode, direction) == opcode)
        }
    }

    @Test("Two alkaline cells: what a sample in millivolts says")
    func battery() {
        #expect(BatteryLevel(raw: 2950, unit: .millivolt).volts == 2.95)
        let estimates = [1900, 2000, 2300, 2500, 2700, 3000, 3300].map { BatteryLevel(raw: $0, unit: .millivolt).estimatedPercent }
        #expect(estimates == [0, 0, 15, 40, 70, 100, 100])
    }
}
