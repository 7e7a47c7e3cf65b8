extension EventCode {
    /// The code of a Flic Twist in the words of the Flic 2 (protocol 14.3, 7.2).
    ///
    /// Where the Twist lets a long second press make a click of the first one, the Flic 2 has no word for it: there are two events then.
    ///
    /// - Parameters:
    ///   - code: Four bits: two for the kind, one whose meaning depends on that, and one for an up that completes a double click.
    ///   - isHeld: The event right before it was the hold of the same press.
    /// - Returns: What has become of the press before, if that is known only now, and the event itself.
    static func translated(twist code: UInt8, isHeld: Bool) -> (earlier: EventCode?, event: EventCode) {
        let (hasBit2, hasBit3) = (code & 4 != 0, code & 8 != 0)
        return switch code & 3 {
        case 1: (nil, EventCode(1))
        case 2: (nil, EventCode(2))
        case 3: (hasBit2 ? EventCode(2) : nil, EventCode(3))
        default: (nil, EventCode(hasBit3 ? (isHeld ? 15 : 11) : hasBit2 ? 8 : isHeld ? 14 : 10))
        }
    }
}
