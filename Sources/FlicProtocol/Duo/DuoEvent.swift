/// One event of a button of a Flic Duo (protocol 13.3).
package struct DuoEvent: Hashable, Sendable {
    /// What happened; the raw value is the protocol's number.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// Before half a second; what it makes of the press is not decided.
        case up = 0
        /// After half a second to a second: a single click.
        case slowClickUp = 1
        /// After a hold: a single click.
        case heldClickUp = 2
        /// Completes a double click.
        case doubleClickUp = 3
        /// Completes a double click whose second press took half a second or more.
        case slowDoubleClickUp = 4
        case down = 5
        /// Half a second after a down without a second press.
        case singleClickTimeout = 6
        /// Held for a second.
        case hold = 7

        /// Ups and downs have odd counts.
        var isEdge: Bool { rawValue <= Self.down.rawValue }
        var hasFlag: Bool { self == .slowDoubleClickUp || self == .hold }
        var hasGesture: Bool { self != .down && self != .hold }
    }

    /// A movement of the hand during the press; the raw value is the protocol's number.
    package enum Gesture: UInt8, CaseIterable, Sendable {
        case left = 0
        case right = 1
        case up = 2
        case down = 3
        /// There was one, but which?
        case unrecognized = 255
    }

    /// Signed, about 64.04 per g.
    package struct Acceleration: Hashable, Sendable {
        package var x: Int8
        package var y: Int8
        package var z: Int8

        package init(x: Int8 = 0, y: Int8 = 0, z: Int8 = 0) {
            self.x = x
            self.y = y
            self.z = z
        }
    }

    /// Where the event stands to the queue of events that happened before the session was ready.
    package enum QueueMark: Hashable, Sendable {
        /// Happened in this session.
        case live
        case queued
        /// The queue is finished with it.
        case queuedLast
        /// Happened in this session; the end of the queue was discarded.
        case liveAfterLostQueue
    }

    package var button: DuoButton
    /// Count of the button at the event.
    package var count: UInt32
    /// Ticks of the button clock at the event.
    package var timestamp: UInt64
    package var kind: Kind
    /// Of a ``Kind/slowDoubleClickUp``: the second press was also a hold. Of a ``Kind/hold``: it is one of the second press.
    package var isHoldOfSecondPress: Bool
    package var gesture: Gesture?
    package var acceleration: Acceleration
    package var queueMark: QueueMark

    package init(
        button: DuoButton,
        count: UInt32,
        timestamp: UInt64,
        kind: Kind,
        isHoldOfSecondPress: Bool = false,
        gesture: Gesture? = nil,
        acceleration: Acceleration = Acceleration(),
        queueMark: QueueMark = .live
    ) {
        self.button = button
        self.count = count
        self.timestamp = timestamp
        self.kind = kind
        self.isHoldOfSecondPress = isHoldOfSecondPress
        self.gesture = gesture
        self.acceleration = acceleration
        self.queueMark = queueMark
    }

    /// The code with which a Flic 2 would say the same. If it ``EventCode/needsAcknowledgement``, so does the packet.
    package var code: EventCode {
        switch kind {
        case .up: EventCode(8)
        case .slowClickUp: EventCode(10)
        case .heldClickUp: EventCode(14)
        case .doubleClickUp: EventCode(11)
        case .slowDoubleClickUp: EventCode(isHoldOfSecondPress ? 15 : 11)
        case .down: EventCode(1)
        case .singleClickTimeout: EventCode(2)
        case .hold: EventCode(isHoldOfSecondPress ? 7 : 3)
        }
    }
}
