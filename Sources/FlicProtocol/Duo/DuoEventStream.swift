/// The button events of one session with a Flic Duo: payloads of ``ButtonEventDuoNotification`` to events, and back (protocol 13.3).
///
/// The stream says only what has changed, so one value must see all payloads of a session in their order, from either side.
package struct DuoEventStream: Equatable, Sendable {
    /// Counts of the last events; to be stored after each packet.
    package private(set) var counts: DuoEventCounts
    /// Button clock at the last event, in ticks.
    package private(set) var time: UInt64 = 0
    /// No queued events are left: the start-up is complete.
    package private(set) var isQueueDone: Bool

    /// - Parameters:
    ///   - counts: From the answer to the start-up.
    ///   - hasQueuedEvents: The same.
    package init(counts: DuoEventCounts, hasQueuedEvents: Bool) {
        self.counts = counts
        isQueueDone = !hasQueuedEvents
    }

    /// The events of a payload. An event that breaks off, and what is too short for one, is left out.
    package mutating func read(_ payload: [UInt8]) -> [DuoEvent] {
        var reader = FieldReader(bytes: payload, from: 0)
        var started: DuoButtons = []
        var events: [DuoEvent] = []
        while reader.bitsLeft >= DuoRecord.smallestBitCount {
            var record = DuoRecord()
            record.code(&reader, started: &started, isQueueDone: isQueueDone)
            guard reader.isComplete else { break }
            events.append(accept(record))
        }
        return events
    }

    private mutating func accept(_ record: DuoRecord) -> DuoEvent {
        var event = record.event
        event.count = Self.count(after: counts[event.button], step: record.countStep, kind: event.kind)
        event.timestamp = time &+ record.timeStep
        counts[event.button] = event.count
        time = event.timestamp
        if event.queueMark == .queuedLast || event.queueMark == .liveAfterLostQueue { isQueueDone = true }
        return event
    }

    private static func count(after last: UInt32, step: UInt32, kind: DuoEvent.Kind) -> UInt32 {
        let count = last &+ step
        return kind.isEdge && count.isMultiple(of: 2) ? count &+ 1 : count
    }

    /// The payload for events that follow on those before; what a simulated button sends.
    ///
    /// - Returns: nil if the stream cannot say it, and then nothing has changed: time goes back or leaps by 2⁴⁸ ticks, a count does not
    ///   follow on that of the event before in the payload, an up or down has an even count, a mark does not fit the queue, or an event
    ///   has a flag or a gesture that its kind never has.
    package mutating func write(_ events: [DuoEvent]) -> [UInt8]? {
        var state = self
        var writer = FieldWriter(opcode: ButtonEventDuoNotification.opcode)
        var started: DuoButtons = []
        for event in events {
            guard var record = state.record(of: event, isFirst: !started.contains(DuoButtons(event.button))) else { return nil }
            record.code(&writer, started: &started, isQueueDone: state.isQueueDone)
            guard state.accept(record) == event else { return nil }
        }
        self = state
        return Array(writer.bytes.dropFirst())
    }

    private func record(of event: DuoEvent, isFirst: Bool) -> DuoRecord? {
        guard event.timestamp >= time, event.timestamp - time < 1 << 48 else { return nil }
        guard (event.queueMark == .live) == isQueueDone else { return nil }
        var record = DuoRecord(event: event)
        record.timeStep = event.timestamp - time
        let last = counts[event.button]
        if isFirst, Self.count(after: last, step: 1, kind: event.kind) != event.count { record.countStep = event.count &- last }
        return record
    }
}
