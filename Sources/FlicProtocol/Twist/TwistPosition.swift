/// Where a Flic Twist is turned to in one of its modes, on either side of the link (protocol 14.3).
///
/// The position has no bounds; what is seen of it is a window of one turn. Where the position leaves the window, the window follows.
package struct TwistPosition: Hashable, Sendable {
    /// 49,152 a turn, from zero at the start of the session. Both sides of a link agree about it, but for what is on its way.
    package private(set) var unbounded: Int64 = 0
    /// Where the window begins.
    package private(set) var minimum: Int64

    /// - Parameter visible: Where to begin, 0 to 49,152; more is taken as that.
    package init(visible: UInt16) { minimum = -min(Int64(visible), Twist.turn) }

    /// 0 to 49,152.
    package var visible: UInt16 { UInt16(clamping: unbounded &- minimum) }

    /// What has happened since the last report: the way in all, and its ends on the way.
    package struct Turning: Hashable, Sendable {
        package var total: Int32
        /// Zero or less.
        package var lowest: Int32
        /// Zero or more.
        package var highest: Int32
        /// Of both ends of the window, the upper one was left last.
        package var topWasLast: Bool

        package init(total: Int32, lowest: Int32, highest: Int32, topWasLast: Bool) {
            self.total = total
            self.lowest = lowest
            self.highest = highest
            self.topWasLast = topWasLast
        }

        /// Whether a knob can have been turned so.
        package var isPossible: Bool { lowest <= 0 && highest >= 0 && lowest <= total && total <= highest }
    }

    /// Follows a report. One that is not possible is left alone.
    package mutating func turn(_ turning: Turning) {
        guard turning.isPossible else { return }
        let lowest = unbounded &+ Int64(turning.lowest)
        let highest = unbounded &+ Int64(turning.highest)
        unbounded = unbounded &+ Int64(turning.total)
        if turning.topWasLast {
            include(lowest)
            include(highest)
        } else {
            include(highest)
            include(lowest)
        }
        include(unbounded)  // without effect, unless the report is at odds with itself
    }

    /// Moves the window as far as it takes.
    private mutating func include(_ position: Int64) {
        if position &- minimum < 0 { minimum = position }
        if position &- minimum > Twist.turn { minimum = position &- Twist.turn }
    }

    /// Moves the window so that this is what is seen.
    package mutating func show(_ visible: UInt16) { minimum = unbounded &- min(Int64(visible), Twist.turn) }

    /// Moves the window to where the other side has put it, which did not know of the latest turns yet, and follows those once more.
    package mutating func setMinimum(_ minimum: Int64, before turnings: [Turning]) {
        unbounded = turnings.reduce(unbounded) { $0 &- Int64($1.total) }
        self.minimum = minimum
        include(unbounded)  // nobody has to believe a host
        for turning in turnings { turn(turning) }
    }
}
