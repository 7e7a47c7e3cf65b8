/// An event as it is in the bit stream of a ``ButtonEventDuoNotification``: steps instead of counts and times (protocol 13.3).
///
/// Like a packet, it is described once, for reading and writing; what is there depends on what was before.
struct DuoRecord {
    /// Shortest of all: a down after the first event of its button.
    static let smallestBitCount = 39

    var event = DuoEvent(button: .big, count: 0, timestamp: 0, kind: .up)
    /// From the count of the event before. Only the first one in a packet can be other than 1.
    var countStep: UInt32 = 1
    /// In ticks, from the event before.
    var timeStep: UInt64 = 0

    /// - Parameters:
    ///   - started: Buttons that have had an event in the packet. That of this event is added.
    ///   - isQueueDone: Events are no longer marked as queued or not.
    mutating func code(_ coder: inout some FieldCoder, started: inout DuoButtons, isQueueDone: Bool) {
        code(&event.button, "button", bits: 1, &coder)
        if started.insert(DuoButtons(event.button)).inserted { codeCountStep(&coder) }
        codeTimeStep(&coder)
        if !isQueueDone { codeQueueMark(&coder) }
        code(&event.kind, "type", bits: 3, &coder)
        if event.kind.hasFlag { coder.flag("flag", &event.isHoldOfSecondPress) } else { event.isHoldOfSecondPress = false }
        if event.kind.hasGesture { codeGesture(&coder) } else { event.gesture = nil }
        coder.integer("x", &event.acceleration.x, bits: 8)
        coder.integer("y", &event.acceleration.y, bits: 8)
        coder.integer("z", &event.acceleration.z, bits: 8)
    }

    /// An enumeration that has a case for each value of its bits.
    private func code<Value: RawRepresentable<UInt8>>(_ value: inout Value, _ name: StaticString, bits: Int, _ coder: inout some FieldCoder) {
        var raw = value.rawValue
        coder.integer(name, &raw, bits: bits)
        value = Value(rawValue: raw) ?? value
    }

    /// A number with the index of its width before it: the narrowest one is written. There are a power of two of widths.
    private func code<Value: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Value,
        _ name: StaticString,
        widths: [Int],
        _ coder: inout some FieldCoder
    ) {
        var index = UInt(widths.firstIndex { value >> $0 == 0 } ?? widths.count - 1)
        coder.integer("width_index", &index, bits: widths.count.trailingZeroBitCount)
        coder.integer(name, &value, bits: widths[Int(index)])
    }

    private mutating func codeCountStep(_ coder: inout some FieldCoder) {
        var isLonger = countStep != 1
        coder.flag("count_step_is_longer", &isLonger)
        guard isLonger else {
            countStep = 1
            return
        }
        var isLong = countStep != 2
        coder.flag("count_step_is_long", &isLong)
        guard isLong else {
            countStep = 2
            return
        }
        var value = countStep &- 1
        code(&value, "count_step", widths: [2, 4, 8, 32], &coder)
        countStep = value &+ 1
    }

    private mutating func codeTimeStep(_ coder: inout some FieldCoder) {
        code(&timeStep, "time_step", widths: [8, 10, 13, 16, 24, 32, 40, 48], &coder)
    }

    private mutating func codeQueueMark(_ coder: inout some FieldCoder) {
        var isEnd = event.queueMark != .queued
        coder.flag("queue_ends", &isEnd)
        guard isEnd else {
            event.queueMark = .queued
            return
        }
        var isLive = event.queueMark != .queuedLast
        coder.flag("queue_was_lost", &isLive)
        event.queueMark = isLive ? .liveAfterLostQueue : .queuedLast
    }

    private mutating func codeGesture(_ coder: inout some FieldCoder) {
        var exists = event.gesture != nil
        coder.flag("has_gesture", &exists)
        guard exists else {
            event.gesture = nil
            return
        }
        var isRecognized = event.gesture != .unrecognized
        coder.flag("is_recognized", &isRecognized)
        guard isRecognized else {
            event.gesture = .unrecognized
            return
        }
        var gesture = event.gesture ?? .left
        code(&gesture, "gesture", bits: 2, &coder)
        event.gesture = gesture
    }
}
