/// One button event of a ``ButtonEventNotification`` (protocol 7.1).
package struct EventItem: FieldGroup {
    package static let byteCount = 7

    /// Ticks of the button clock at the event, 48 bits; for a hold or a time-out: when the timer fired.
    package var timestamp: UInt64 = 0
    /// What happened.
    package var eventCode = EventCode(0)
    /// Happened before this session was ready.
    package var wasQueued = false
    /// The queue is finished with this event.
    package var wasQueuedLast = false
    package var reserved: UInt8 = 0

    package init() {}

    /// Reads the item that begins at `offset` without allocating; the caller has checked that seven bytes are there.
    package init(_ bytes: Span<UInt8>, at offset: Int) {
        for index in (0..<6).reversed() { timestamp = timestamp << 8 | UInt64(bytes[offset + index]) }
        let flags = bytes[offset + 6]
        eventCode = EventCode(flags)
        wasQueued = flags & 0x10 != 0
        wasQueuedLast = flags & 0x20 != 0
        reserved = flags >> 6
    }

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("timestamp", &timestamp, bits: 48)
        coder.integer("event_encoded", &eventCode.rawValue, bits: 4)
        coder.flag("was_queued", &wasQueued)
        coder.flag("was_queued_last", &wasQueuedLast)
        coder.integer("rfu", &reserved, bits: 2)
    }
}

/// A refused client of a ``NoLogicalConnectionSlotsInd``.
package struct TemporaryID: FieldGroup {
    package static let byteCount = 4
    package var value: UInt32 = 0

    package init() {}

    package init(_ value: UInt32) { self.value = value }

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("tmp_id", &value, bits: 32)
    }
}
