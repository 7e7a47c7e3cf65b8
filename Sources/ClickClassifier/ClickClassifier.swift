/// Makes clicks, double clicks and holds of the downs and ups of one button.
///
/// A pure function of the button's own clock: it is told of edges and of the passing of time, and answers with what is to be delivered, raw edges
/// included, in order. It does not matter when a call is made, only which time it names, so that bursts and queued presses come out right.
///
/// ```swift
/// var classifier = ClickClassifier(mode: .clickAndDoubleClickAndHold)
/// classifier.down(at: 1_000)          // down
/// classifier.up(at: 4_000)            // up
/// classifier.deadline                 // 17_384
/// classifier.advance(to: 17_384)      // click, at 17_384
/// ```
///
/// **Time** counts ticks: 32,768 a second, 48 bits, wrapping. Higher bits are ignored. A time before the latest one seen is taken for that one.
///
/// **Series.** Presses form series, in every mode, as the button itself forms them (protocol 7.2). A down continues the series if the press before was
/// shorter than the double-click window and the window, which runs from down to down, has not passed. The series is complete with its second press
/// (its third, if triple clicks are wanted), with a press as long as the window, or when the window has passed. The mode says when and as what the
/// presses are told (protocol 8):
///
/// | mode                       | down  | up    | hold time reached                       | series complete               |
/// |----------------------------|-------|-------|-----------------------------------------|-------------------------------|
/// | clickAndHold               |       | click | hold                                    |                               |
/// | clickAndDoubleClick        |       |       |                                         | click, double or triple click |
/// | clickAndDoubleClickAndHold |       |       | hold, if the press stands alone         | click, double or triple click |
/// | click                      | click |       |                                         |                               |
///
/// **Boundaries.** An edge wins over a limit that is reached at the same tick: a press of exactly the hold time is no hold, a down exactly at the end
/// of the window makes a double click. A press exactly as long as the window is a click at its up. What was decided before an edge is told before it,
/// what the edge decides after it.
///
/// **Irregular input.** An up without a down is told and decides nothing. A down without an up: the up was lost, and what its series has not told yet
/// is forgotten.
///
/// **Change of the mode.** Each press remembers whether it has been told. So it is told once, at the first event that decides anything about it in the
/// mode then set (contract B44). Several untold presses are a double or triple click in a mode that has them, and else as many clicks.
///
/// With the standard limits the button's records of holds and single-click time-outs are all the clock a classifier needs: pass their times to
/// ``advance(to:)``. With other limits call it as well when the button's clock must have passed ``deadline``, with some slack for the radio.
public struct ClickClassifier: Sendable, Equatable {
    /// The resolution of all times: 32,768 ticks are a second.
    public static let ticksPerSecond: UInt64 = 32_768

    /// What presses are told as. May be changed at any time, also in the middle of a press.
    public var mode: TriggerMode

    /// The times that tell clicks, double clicks and holds apart.
    public let limits: Limits

    private var series: Series?
    private var latest: UInt64?

    /// Presses of which each began within the double-click window of the one before.
    private struct Series: Equatable {
        /// The time of the latest down.
        var down: UInt64
        var presses = 1
        /// How many of the presses, always the latest ones, have not been told yet.
        var untold = 1
        /// Whether the latest press still goes on.
        var isPressed = true
    }

    /// A classifier of a button that is not pressed.
    public init(mode: TriggerMode, limits: Limits = Limits()) {
        self.mode = mode
        self.limits = limits
    }

    /// The button went down.
    ///
    /// - Parameter time: the button's clock, in ticks.
    /// - Returns: what is to be delivered, the down included.
    public mutating func down(at time: UInt64) -> Events {
        var events = Events()
        let time = proceed(to: time, isEdge: true, into: &events)
        events.append(.down, at: time)
        if let open = series, !open.isPressed {
            // Its window is still open, or it would have been settled just now.
            series = Series(down: time, presses: open.presses + 1, untold: open.untold + 1)
        } else {
            series = Series(down: time)
        }
        if mode == .click {
            tell(at: time, into: &events)
        }
        return events
    }

    /// The button was released.
    ///
    /// - Parameters:
    ///   - time: the button's clock, in ticks.
    ///   - isClick: false if the press was something else, such as a swipe: only the up is told of it, and what came before stands alone.
    /// - Returns: what is to be delivered, the up included.
    public mutating func up(at time: UInt64, isClick: Bool = true) -> Events {
        var events = Events()
        let time = proceed(to: time, isEdge: true, into: &events)
        events.append(.up, at: time)
        guard let pressed = series, pressed.isPressed else { return events }
        guard isClick else {
            if pressed.untold > 0 {
                series?.untold -= 1
                tell(at: time, into: &events)
            }
            series = nil
            return events
        }
        series?.isPressed = false
        let isComplete = pressed.presses == limits.pressesInSeries || Self.ticks(from: pressed.down, to: time) >= limits.doubleClick
        if isComplete || !mode.hasDoubleClick {
            tell(at: time, into: &events)
        }
        if isComplete {
            series = nil
        }
        return events
    }

    /// Time has passed, and no edge up to now is still to come.
    ///
    /// - Parameter time: the button's clock, in ticks. A limit that is reached exactly then takes effect.
    /// - Returns: what is to be delivered.
    public mutating func advance(to time: UInt64) -> Events {
        var events = Events()
        _ = proceed(to: time, isEdge: false, into: &events)
        return events
    }

    /// The link was lost: forgets what has not been told yet, and tells nothing more of it (protocol 8).
    ///
    /// Forgets the latest time seen as well: a button that has been without a battery starts its clock anew.
    public mutating func reset() {
        series = nil
        latest = nil
    }

    /// The time at which the next event is due if no edge comes before, in ticks (48 bits); nil if only an edge can bring one.
    ///
    /// After a change of ``mode`` this may be the latest time seen: something is due at once.
    public var deadline: UInt64? {
        guard let series, let limit, series.untold > 0 else { return nil }
        return due(series, after: limit)
    }
}

// MARK: - Deciding

extension ClickClassifier {
    /// How many ticks after the latest down something is decided, unless an edge comes before.
    private var limit: UInt64? {
        guard let series else { return nil }
        guard series.isPressed else { return limits.doubleClick }
        let canHold = mode.hasDoubleClick ? series.untold == 1 : series.untold > 0
        return mode.hasHold && canHold ? limits.hold : nil
    }

    /// When a limit is reached. Not before the latest time seen: the limit may exist only since the mode was changed.
    private func due(_ series: Series, after limit: UInt64) -> UInt64 {
        let passed = Self.ticks(from: series.down, to: latest ?? series.down)
        return (series.down &+ max(limit, passed)) & Self.clock
    }

    /// Lets time go on to that of a call, and tells what has been decided on the way. At most one limit can be reached: none follows another
    /// without an edge in between.
    ///
    /// - Returns: the time of the call, in 48 bits and not before the latest one.
    private mutating func proceed(to time: UInt64, isEdge: Bool, into events: inout Events) -> UInt64 {
        let now = latest ?? time
        let isBack = Self.ticks(from: now, to: time) > Self.clock / 2
        let time = (isBack ? now : time) & Self.clock
        defer { latest = time }
        guard let series, let limit else { return time }
        let passed = Self.ticks(from: series.down, to: time)
        guard passed > limit || passed == limit && !isEdge else { return time }
        let due = due(series, after: limit)
        if series.isPressed {
            self.series?.untold -= 1
            tell(at: due, into: &events)
            events.append(.hold, at: due)
            self.series?.presses = limits.pressesInSeries  // nothing continues a hold
        } else {
            tell(at: due, into: &events)
            self.series = nil
        }
        return time
    }

    /// Tells the presses that have not been told yet.
    private mutating func tell(at time: UInt64, into events: inout Events) {
        guard let untold = series?.untold else { return }
        series?.untold = 0
        switch untold {
        case 2 where mode.hasDoubleClick: events.append(.doubleClick, at: time)
        case 3 where mode.hasDoubleClick: events.append(.tripleClick, at: time)
        default: for _ in 0..<untold { events.append(.click, at: time) }
        }
    }

    /// All ones in the 48 bits of the button's clock.
    private static let clock: UInt64 = 0xFFFF_FFFF_FFFF

    /// The time from one clock value to a later one.
    private static func ticks(from start: UInt64, to end: UInt64) -> UInt64 { (end &- start) & clock }
}
