/// Where the events of a session stand: what the button was told, what has been delivered, what may be stored (protocol 7.3).
///
/// The storing rule is safe for both readings of the init answer (protocol 12): with nothing queued its boot id and count are
/// stored at once; with something queued nothing is stored until the first notification has been handled, and then both together.
struct EventStream: Sendable {
    /// Most items that a notification of 128 bytes can hold.
    static let mostItems = 16

    /// How the items of a notification are written, and what their codes mean.
    enum Items: Sendable {
        case flic2
        /// Codes of their own, and the mode only where both sides have agreed to it (protocol 14.2, 14.3).
        case twist(hasMode: Bool)

        var byteCount: Int {
            switch self {
            case .flic2, .twist(hasMode: false): EventItem.byteCount
            case .twist(hasMode: true): Twist.EventItem.byteCount
            }
        }

        /// What the event is in itself.
        func kind(_ item: EventItem) -> EventCode.Kind {
            switch self {
            case .flic2: item.eventCode.kind
            case .twist: EventCode.Kind(rawValue: item.eventCode.rawValue & 3) ?? .up
            }
        }

        /// In which mode of a Flic Twist the item that begins at `offset` happened; nil if it does not say so, or names a mode that nobody knows.
        func mode(_ item: EventItem, _ bytes: Span<UInt8>, at offset: Int) -> UInt8? {
            guard case .twist(hasMode: true) = self else { return nil }
            let mode = item.reserved | (bytes[offset + EventItem.byteCount] & 3) << 2
            return mode < Twist.Configuration.count ? mode : nil
        }
    }

    var items = Items.flic2
    private let stored: EventPosition
    private(set) var bootID: UInt32
    /// Counter up to which events are known to have been delivered in the button's current boot; nil if none is.
    private var lastDelivered: UInt32?
    /// Button clock in the init answer; nil before it.
    private var startTimestamp: UInt64?
    private(set) var isQueueFinished = false

    init(stored: EventPosition) {
        self.stored = stored
        bootID = stored.bootID
    }

    /// Handles the init answer; `bootID` is nil in the one without.
    ///
    /// - Returns: The position to store now, if any.
    mutating func start(bootID newBootID: UInt32?, eventCount: UInt32, timestamp: UInt64, hasQueuedEvents: Bool) -> EventPosition? {
        let isSameBoot = newBootID == nil || newBootID == stored.bootID
        bootID = newBootID ?? stored.bootID
        startTimestamp = timestamp
        isQueueFinished = !hasQueuedEvents
        guard hasQueuedEvents else {
            lastDelivered = eventCount
            return EventPosition(bootID: bootID, eventCount: eventCount)
        }
        lastDelivered = isSameBoot && stored != EventPosition() ? stored.eventCount : nil
        return nil
    }

    /// Whether the init answer is there. Before it, nobody knows which boot an event belongs to.
    var hasStarted: Bool { startTimestamp != nil }

    /// Walks through the items of a notification, oldest first, and says which have been seen before.
    ///
    /// Does not allocate.
    ///
    /// - Parameter body: At least five bytes.
    /// - Returns: Whether the notification asks for an acknowledgement and the queue ended in it; nil if there is no item.
    mutating func receive(
        _ body: Span<UInt8>,
        deliver: (ButtonEvent, _ isDuplicate: Bool) -> Void
    ) -> (eventCount: UInt32, needsAcknowledgement: Bool, endsQueue: Bool)? {
        let size = items.byteCount
        let count = min((body.count - 5) / size, Self.mostItems)
        guard count > 0 else { return nil }
        var eventCount: UInt32 = 0
        for index in (1...4).reversed() { eventCount = eventCount << 8 | UInt32(body[index]) }

        // The counter in the notification is that of the last item; the others follow backwards.
        var counters = InlineArray<16, UInt32>(repeating: 0)
        var counter = eventCount
        for index in (0..<count).reversed() {
            counters[index] = counter
            guard index > 0 else { break }
            counter = Self.counter(before: counter, of: items.kind(EventItem(body, at: 5 + (index - 1) * size)))
        }

        let start = startTimestamp ?? 0
        var needsAcknowledgement = false
        var endsQueue = false
        for index in 0..<count {
            let item = EventItem(body, at: 5 + index * size)
            var event = ButtonEvent(
                code: item.eventCode,
                count: counters[index],
                timestamp: item.timestamp,
                wasQueued: item.wasQueued,
                ageTicks: item.wasQueued && start > item.timestamp ? start - item.timestamp : 0,
                twistMode: items.mode(item, body, at: 5 + index * size)
            )
            // A difference of 2^31 or more means: before.
            let isDuplicate = lastDelivered.map { counters[index] == $0 || counters[index] &- $0 >= 1 << 31 } ?? false
            if case .twist = items {
                let isHeld = lastDelivered == counters[index] &- 1
                let (earlier, code) = EventCode.translated(twist: item.eventCode.rawValue, isHeld: isHeld)
                if let earlier {
                    // The counter that the press before has for it.
                    event.code = earlier
                    event.count = counters[index] &- 2
                    needsAcknowledgement = true
                    if !isDuplicate { deliver(event, false) }
                }
                event.code = code
                event.count = counters[index]
            }
            if !isDuplicate { lastDelivered = counters[index] }
            needsAcknowledgement = needsAcknowledgement || event.code.needsAcknowledgement
            endsQueue = endsQueue || (item.wasQueuedLast && !isQueueFinished)
            deliver(event, isDuplicate)
        }
        if endsQueue { isQueueFinished = true }
        return (eventCount, needsAcknowledgement, endsQueue)
    }

    /// What may be stored after the events of a notification were delivered.
    var position: EventPosition { EventPosition(bootID: bootID, eventCount: lastDelivered ?? stored.eventCount) }

    /// The counter of the item of the kind `kind` that comes right before the one with the counter `counter`.
    static func counter(before counter: UInt32, of kind: EventCode.Kind) -> UInt32 {
        switch counter % 4 {
        case 1: counter &- (kind == .singleClickTimeout ? 1 : 2)
        case 3: counter &- (kind == .hold ? 1 : 2)
        default: counter &- 1
        }
    }
}
