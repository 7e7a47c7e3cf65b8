/// Where the events of a session with a Flic Duo stand: what ``EventStream`` is for a Flic 2, for two buttons at once (protocol 13.3).
struct DuoEvents: Sendable {
    private let stored: EventPosition
    private(set) var bootID: UInt32
    /// Counters up to which events are known to have been delivered in the button's current boot.
    private var delivered: DuoEventCounts
    /// Button clock in the init answer.
    private var startTimestamp: UInt64 = 0
    /// nil before the init answer: nobody knows then where the counting begins.
    private var stream: DuoEventStream?

    init(stored: EventPosition) {
        self.stored = stored
        bootID = stored.bootID
        delivered = stored.counts
    }

    /// Whether the init answer is there.
    var hasStarted: Bool { stream != nil }

    /// What the packets up to now have been about, for their acknowledgement.
    var counts: DuoEventCounts { stream?.counts ?? delivered }

    /// What may be stored after the events of a notification were delivered.
    var position: EventPosition { EventPosition(bootID: bootID, eventCount: delivered.big, smallEventCount: delivered.small) }

    /// Handles the init answer; `bootID` is nil in the one without. What is stored when follows the rule of ``EventStream``.
    ///
    /// - Returns: The position to store now, if any.
    mutating func start(bootID newBootID: UInt32?, counts: DuoEventCounts, timestamp: UInt64, hasQueuedEvents: Bool) -> EventPosition? {
        let isSameBoot = newBootID == nil || newBootID == stored.bootID
        bootID = newBootID ?? stored.bootID
        startTimestamp = timestamp
        stream = DuoEventStream(counts: counts, hasQueuedEvents: hasQueuedEvents)
        delivered = hasQueuedEvents ? (isSameBoot ? stored.counts : DuoEventCounts()) : counts
        return hasQueuedEvents ? nil : position
    }

    /// An event of a notification, and what it means for the session.
    struct Received {
        var event: ButtonEvent
        /// It has been delivered before.
        var isDuplicate: Bool
        /// The queue ended before it: its end was discarded.
        var followsLostQueue: Bool
    }

    /// Walks through the events of a notification, in their order.
    ///
    /// - Returns: Whether the notification asks for an acknowledgement, and whether its last queued event was the last of the queue; nil if
    ///   there is no event in it.
    mutating func receive(_ payload: [UInt8], deliver: (Received) -> Void) -> (needsAcknowledgement: Bool, endsQueue: Bool)? {
        guard let events = stream?.read(payload), !events.isEmpty else { return nil }
        var needsAcknowledgement = false
        var endsQueue = false
        for event in events {
            let step = event.count &- delivered[event.button]
            // A difference of 2^31 or more means: before.
            let isDuplicate = step == 0 || step >= 1 << 31
            if !isDuplicate { delivered[event.button] = event.count }
            needsAcknowledgement = needsAcknowledgement || event.code.needsAcknowledgement
            endsQueue = endsQueue || event.queueMark == .queuedLast
            let followsLostQueue = event.queueMark == .liveAfterLostQueue
            deliver(Received(event: buttonEvent(event), isDuplicate: isDuplicate, followsLostQueue: followsLostQueue))
        }
        return (needsAcknowledgement, endsQueue)
    }

    private func buttonEvent(_ event: DuoEvent) -> ButtonEvent {
        let wasQueued = event.queueMark == .queued || event.queueMark == .queuedLast
        return ButtonEvent(
            code: event.code,
            count: event.count,
            timestamp: event.timestamp,
            wasQueued: wasQueued,
            ageTicks: wasQueued && startTimestamp > event.timestamp ? startTimestamp - event.timestamp : 0,
            button: event.button,
            gesture: event.gesture,
            acceleration: event.acceleration
        )
    }
}
