import Fixtures
import FlicProtocol
import Testing

/// Protocol 13.3; `duo_event_streams` of `packets.json`.
@Suite("Duo event stream")
struct DuoEventStreamTests {
    static let streams = JSONValue.vectors("packets").duo_event_streams.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.streams.count == 6)
        let packets = Self.streams.flatMap(\.packets.array)
        #expect(packets.count == 13)
        #expect(DuoEvent.Kind.allCases.count == 8)
        #expect(packets.reduce(0) { $0 + $1.events.array.count } == 27)
    }

    @Test("6 streams are read into the right events, counts and acknowledgements", arguments: streams)
    func reading(_ vector: Vector) throws {
        var stream = try stream(vector)
        for packet in vector.packets.array {
            let isQueueDone = stream.isQueueDone
            let events = stream.read(try #require(packet.payload.bytes))
            #expect(events.map(JSONValue.init) == packet.events.array)
            #expect([stream.counts.big, stream.counts.small].map { .integer(Int64($0)) } == packet.counts_after.array)
            #expect(events.contains { $0.code.needsAcknowledgement } == packet.acknowledge.bool)
            let endsQueue = events.contains { $0.queueMark == .queuedLast || $0.queueMark == .liveAfterLostQueue }
            #expect(stream.isQueueDone == (isQueueDone || endsQueue))
            #expect(stream.time == events.last?.timestamp)
        }
    }

    @Test("6 streams are written as they were", arguments: streams)
    func writing(_ vector: Vector) throws {
        var reader = try stream(vector)
        var writer = reader
        for packet in vector.packets.array {
            let payload = try #require(packet.payload.bytes)
            #expect(writer.write(reader.read(payload))?.hex == payload.hex)
            #expect(writer == reader)
        }
    }

    @Test("Payloads of 6 streams that break off give the events before the break", arguments: streams)
    func breaks(_ vector: Vector) throws {
        var stream = try stream(vector)
        for packet in vector.packets.array {
            let payload = try #require(packet.payload.bytes)
            var whole = stream
            let events = whole.read(payload)
            for length in payload.indices {
                var broken = stream
                let some = broken.read(Array(payload[..<length]))
                #expect(some.count < events.count && some == Array(events.prefix(some.count)))
                #expect(broken.time == some.last?.timestamp ?? stream.time)
            }
            stream = whole
        }
    }

    @Test("Random payloads of 0 to 123 bytes do no harm", arguments: [true, false])
    func randomPayloads(_ hasQueuedEvents: Bool) {
        var random = Random(seed: 0xD00)
        for _ in 0..<2000 {
            let counts = DuoEventCounts(big: .max, small: UInt32.random(in: 0...9, using: &random))
            var stream = DuoEventStream(counts: counts, hasQueuedEvents: hasQueuedEvents)
            let payload = random.bytes(Int.random(in: 0...123, using: &random))
            let events = stream.read(payload)
            #expect(events.count <= payload.count * 8 / 39)
            #expect((events.count + 1) * 122 > payload.count * 8)  // the longest event has 122 bits
            for event in events where event.code.kind == .up || event.code.kind == .down { #expect(event.count % 2 == 1) }
        }
    }

    @Test("500 random sequences of events survive writing and reading")
    func identity() {
        var random = Random(seed: 0xD01)
        for _ in 0..<500 {
            let counts = DuoEventCounts(big: random.next32() % 1000, small: .max - random.next32() % 9)
            let hasQueue = Bool.random(using: &random)
            var button = DuoEventStream(counts: counts, hasQueuedEvents: hasQueue)
            var host = button
            for packet in 0..<3 {
                let events = random.events(after: button, endQueue: packet == 1)
                let payload = button.write(events)
                #expect(payload.map { host.read($0) } == events)
                #expect(host == button)
            }
        }
    }

    @Test("What the stream cannot say is refused, and changes nothing")
    func refusals() {
        var stream = DuoEventStream(counts: DuoEventCounts(), hasQueuedEvents: false)
        #expect(stream.write([DuoEvent(button: .big, count: 1, timestamp: 100, kind: .down)]) != nil)
        let before = stream
        let down = DuoEvent(button: .big, count: 3, timestamp: 200, kind: .down)
        let refused: [[DuoEvent]] = [
            [down.with { $0.timestamp = 99 }],
            [down.with { $0.timestamp = 100 + 1 << 48 }],
            [down.with { $0.count = 4 }],
            [down, down.with { $0.count = 9 }],
            [down.with { $0.queueMark = .queued }],
            [down.with { $0.queueMark = .queuedLast }],
            [down.with { $0.gesture = .left }],
            [down.with { $0.isHoldOfSecondPress = true }],
        ]
        for events in refused {
            #expect(stream.write(events) == nil)
            #expect(stream == before)
        }
        #expect(stream.write([down]) != nil)

        var queue = DuoEventStream(counts: DuoEventCounts(), hasQueuedEvents: true)
        #expect(queue.write([down]) == nil)
        #expect(queue.write([down.with { $0.queueMark = .queuedLast }]) != nil)
    }

    @Test("Counts wrap around", arguments: [UInt32.max, UInt32.max - 1])
    func wrapping(_ count: UInt32) {
        var button = DuoEventStream(counts: DuoEventCounts(big: count, small: 7), hasQueuedEvents: false)
        var host = button
        let next = DuoEvent(button: .big, count: count == .max ? 1 : .max, timestamp: 5, kind: .down)
        #expect(button.write([next]).map { host.read($0) } == [next])
        #expect(host.counts == DuoEventCounts(big: next.count, small: 7))
    }

    @Test(
        "8 kinds with and without flag mean the same as codes of the Flic 2",
        arguments: zip(DuoEvent.Kind.allCases, [(8, 8), (10, 10), (14, 14), (11, 11), (11, 15), (1, 1), (2, 2), (3, 7)])
    )
    func codes(_ kind: DuoEvent.Kind, _ codes: (without: Int, with: Int)) {
        var event = DuoEvent(button: .small, count: 0, timestamp: 0, kind: kind)
        #expect(Int(event.code.rawValue) == codes.without)
        event.isHoldOfSecondPress = true
        #expect(Int(event.code.rawValue) == codes.with)
    }

    private func stream(_ vector: Vector) throws -> DuoEventStream {
        let counts = vector.counts_before.array.compactMap { $0.unsigned.flatMap(UInt32.init(exactly:)) }
        try #require(counts.count == 2)
        let isQueueDone = try #require(vector.queue_done_before.bool as Bool?)
        return DuoEventStream(counts: DuoEventCounts(big: counts[0], small: counts[1]), hasQueuedEvents: !isQueueDone)
    }
}

extension JSONValue {
    /// The event as the vectors write it.
    fileprivate init(_ event: DuoEvent) {
        let acceleration = [event.acceleration.x, event.acceleration.y, event.acceleration.z]
        self = .object([
            "button": .integer(Int64(event.button.rawValue)),
            "count": .integer(Int64(event.count)),
            "timestamp": .integer(Int64(event.timestamp)),
            "type": .integer(Int64(event.kind.rawValue)),
            "flag": .bool(event.isHoldOfSecondPress),
            "gesture": event.gesture.map { .string("\($0)") } ?? .null,
            "accel": .array(acceleration.map { .integer(Int64($0)) }),
            "was_queued": .bool(event.queueMark == .queued || event.queueMark == .queuedLast),
            "was_queued_last": .bool(event.queueMark == .queuedLast),
            "queue_ended_before": .bool(event.queueMark == .liveAfterLostQueue),
        ])
    }
}

extension DuoEvent {
    fileprivate func with(_ change: (inout DuoEvent) -> Void) -> DuoEvent {
        var event = self
        change(&event)
        return event
    }
}

extension Random {
    fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }

    /// One to twelve events that may follow in one payload.
    fileprivate mutating func events(after stream: DuoEventStream, endQueue: Bool) -> [DuoEvent] {
        var counts = stream.counts
        var time = stream.time
        var isQueueDone = stream.isQueueDone
        let length = Int.random(in: 1...12, using: &self)
        var started: Set<DuoButton> = []
        return (0..<length).map { index in
            let button = DuoButton.allCases.randomElement(using: &self) ?? .big
            let kind = DuoEvent.Kind.allCases.randomElement(using: &self) ?? .down
            let isFirst = started.insert(button).inserted
            counts[button] &+= isFirst ? 1 + next32() >> UInt32.random(in: 0...31, using: &self) : 1
            if kind.rawValue <= 5, counts[button] % 2 == 0 { counts[button] &+= 1 }
            time += next() >> UInt64.random(in: 20...63, using: &self)
            var mark = DuoEvent.QueueMark.live
            if !isQueueDone {
                isQueueDone = endQueue && index == length / 2
                mark = !isQueueDone ? .queued : Bool.random(using: &self) ? .queuedLast : .liveAfterLostQueue
            }
            let gestures: [DuoEvent.Gesture?] = DuoEvent.Gesture.allCases + [nil]
            return DuoEvent(
                button: button,
                count: counts[button],
                timestamp: time,
                kind: kind,
                isHoldOfSecondPress: (kind == .hold || kind == .slowDoubleClickUp) && Bool.random(using: &self),
                gesture: kind == .hold || kind == .down ? nil : gestures.randomElement(using: &self) ?? nil,
                acceleration: .init(x: .random(in: -128...127, using: &self), y: .random(in: -9...9, using: &self), z: -1),
                queueMark: mark
            )
        }
    }
}
