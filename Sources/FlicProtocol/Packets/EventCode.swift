/// The button's own classification of an event, decoded by rule (protocol 7.2).
package struct EventCode: Hashable, Sendable {
    /// What the event is in itself.
    package enum Kind: UInt8, Sendable {
        case up = 0
        case down = 1
        /// Half a second after a down without a second press.
        case singleClickTimeout = 2
        /// Held for a second.
        case hold = 3
    }

    /// Four bits.
    package var rawValue: UInt8

    /// - Parameter rawValue: Bits above the lower four are dropped.
    package init(_ rawValue: UInt8) { self.rawValue = rawValue & 0x0F }

    /// An up that carries the button's decision about the press.
    private var isDecidingUp: Bool { rawValue & 8 != 0 }

    package var kind: Kind { isDecidingUp ? .up : Kind(rawValue: rawValue & 3) ?? .up }

    /// An up after a hold, or a hold of the second press.
    package var isHeld: Bool { isDecidingUp && rawValue & 4 != 0 }

    /// An up that makes the press a single click.
    package var isSingleClick: Bool { isDecidingUp && rawValue & 3 == 2 }

    /// An up that completes a double click.
    package var isDoubleClick: Bool { isDecidingUp && rawValue & 3 == 3 }

    /// A hold during the second press of a double click.
    package var isHoldOfSecondPress: Bool { rawValue == 7 }

    /// The same press without the one before it, which was something else than a click.
    package var alone: EventCode {
        switch rawValue {
        case 7: EventCode(3)
        case 11: EventCode(10)
        case 15: EventCode(14)
        default: self
        }
    }

    /// An up after less than half a second, which may yet become a part of a double click.
    package var isUndecidedUp: Bool { isDecidingUp && rawValue & 3 == 0 }

    /// The event decides a click, so the client acknowledges it (protocol 7.4).
    package var needsAcknowledgement: Bool { kind == .singleClickTimeout || isSingleClick || isDoubleClick }
}
