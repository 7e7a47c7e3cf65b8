import FlicProtocol

extension Packet {
    /// A packet with some fields set; the others are zero or empty.
    static func with(_ setFields: (inout Self) -> Void) -> Self {
        var packet = Self()
        setFields(&packet)
        return packet
    }
}

extension ButtonEventNotification {
    /// A notification whose last item has the counter `count`.
    static func of(_ items: [EventItem], count: UInt32) -> Self {
        .with {
            $0.eventCount = count
            $0.items = items
        }
    }
}

extension EventItem {
    /// An event of this moment.
    static func live(_ code: UInt8, at timestamp: UInt64 = 0) -> Self {
        var item = EventItem()
        item.eventCode = EventCode(code)
        item.timestamp = timestamp
        return item
    }

    /// An event from before the session.
    static func queued(_ code: UInt8, at timestamp: UInt64 = 0, isLast: Bool = false) -> Self {
        var item = live(code, at: timestamp)
        item.wasQueued = true
        item.wasQueuedLast = isLast
        return item
    }
}

extension ButtonEvent {
    /// What becomes of ``EventItem/live(_:at:)``.
    static func live(_ code: UInt8, count: UInt32, at timestamp: UInt64 = 0) -> Self {
        ButtonEvent(code: EventCode(code), count: count, timestamp: timestamp, wasQueued: false, ageTicks: 0)
    }

    /// What becomes of ``EventItem/queued(_:at:isLast:)``.
    static func queued(_ code: UInt8, count: UInt32, at timestamp: UInt64 = 0, age: UInt64 = 0) -> Self {
        ButtonEvent(code: EventCode(code), count: count, timestamp: timestamp, wasQueued: true, ageTicks: age)
    }
}
