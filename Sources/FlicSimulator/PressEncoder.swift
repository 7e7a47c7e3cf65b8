/// The button's own classification: turns downs, ups and the passing of time into the event records that a Flic 2 sends.
///
/// A code says what has been decided, for every trigger mode at once (protocol 7.2). A counter tells the kind in its lowest two bits, and each press
/// owns four values of which only those that happen are used (protocol 7.3).
///
/// All times are ticks of the button's clock: 32,768 a second, 48 bits, wrapping. A time before the latest one is taken for that.
package struct PressEncoder: Sendable, Equatable {
    /// One item of the button's event notifications.
    package struct Record: Sendable, Hashable {
        /// When it happened, or when the timer fired, in ticks (48 bits).
        package let time: UInt64
        /// What happened: 4 bits (protocol 7.2).
        package let code: UInt8
        /// The event's number since the button started: modulo 4, 1 is a down, 2 a hold, 3 an up, 0 a single-click time-out.
        package let counter: UInt32

        /// A record with the given contents.
        package init(time: UInt64, code: UInt8, counter: UInt32) {
            self.time = time
            self.code = code
            self.counter = counter
        }
    }

    private enum State: Equatable {
        case idle
        case pressed(at: UInt64, isSecond: Bool, isHeld: Bool)
        /// Released, and a click unless a second press comes within the window that began with its down.
        case waiting(since: UInt64)
    }

    private static let doubleClickWindow: UInt64 = 16_384
    private static let holdTime: UInt64 = 32_768

    /// The counter of the latest record.
    package private(set) var counter: UInt32

    private var state = State.idle
    private var latest: UInt64?

    /// A button that is not pressed.
    ///
    /// - Parameter counter: the number of its latest event: 0 if it has just started.
    package init(counter: UInt32 = 0) {
        self.counter = counter
    }

    /// The button goes down. Without effect if it is down.
    ///
    /// - Returns: the records of what is decided before, and of the down.
    package mutating func down(at time: UInt64) -> [Record] {
        var records: [Record] = []
        let time = proceed(to: time, isEdge: true, into: &records)
        switch state {
        case .pressed: return records
        case .idle: state = .pressed(at: time, isSecond: false, isHeld: false)
        // In time, or its time-out would have come (protocol 10.2).
        case .waiting: state = .pressed(at: time, isSecond: true, isHeld: false)
        }
        records.append(record(0b0001, at: time))
        return records
    }

    /// The button is released. Without effect if it is not down.
    ///
    /// - Returns: the records of what is decided before, and of the up.
    package mutating func up(at time: UInt64) -> [Record] {
        var records: [Record] = []
        let time = proceed(to: time, isEdge: true, into: &records)
        guard case .pressed(let start, let isSecond, let isHeld) = state else { return records }
        let isDecided = isSecond || Self.ticks(from: start, to: time) >= Self.doubleClickWindow
        let decision: UInt8 = isSecond ? 0b11 : isDecided ? 0b10 : 0b00
        records.append(record(0b1000 | (isHeld ? 0b0100 : 0) | decision, at: time))
        state = isDecided ? .idle : .waiting(since: start)
        return records
    }

    /// Time passes; a timer due exactly at the given time fires.
    ///
    /// - Returns: the record of the timer, if one fired.
    package mutating func advance(to time: UInt64) -> [Record] {
        var records: [Record] = []
        _ = proceed(to: time, isEdge: false, into: &records)
        return records
    }

    /// Whether the button is down.
    var isDown: Bool { if case .pressed = state { true } else { false } }

    /// When the next timer fires, in ticks (48 bits); nil if none is running.
    package var deadline: UInt64? {
        switch state {
        case .pressed(let start, _, isHeld: false): (start &+ Self.holdTime) & Self.clock
        case .waiting(let start): (start &+ Self.doubleClickWindow) & Self.clock
        case .idle, .pressed: nil
        }
    }

    /// Fires the timer if it is due before the time of an edge, which goes first if both have the same time (protocol 8).
    ///
    /// - Returns: the time in 48 bits, not before the latest one.
    private mutating func proceed(to time: UInt64, isEdge: Bool, into records: inout [Record]) -> UInt64 {
        let now = latest ?? time
        let isBack = Self.ticks(from: now, to: time) > Self.clock / 2
        let time = (isBack ? now : time) & Self.clock
        defer { latest = time }
        guard let deadline, deadline != time || !isEdge, Self.ticks(from: deadline, to: time) <= Self.clock / 2 else { return time }
        switch state {
        case .pressed(let start, let isSecond, _):
            state = .pressed(at: start, isSecond: isSecond, isHeld: true)
            records.append(record(isSecond ? 0b0111 : 0b0011, at: deadline))
        case .waiting:
            state = .idle
            records.append(record(0b0010, at: deadline))
        case .idle: break
        }
        return time
    }

    /// A record with the next counter of its kind.
    private mutating func record(_ code: UInt8, at time: UInt64) -> Record {
        let kind: UInt32 = code & 0b1000 != 0 ? 3 : code & 0b11 == 1 ? 1 : code & 0b11 == 3 ? 2 : 0  // up, down, hold, time-out
        repeat { counter &+= 1 } while counter & 0b11 != kind
        return Record(time: time, code: code, counter: counter)
    }

    /// All ones in the 48 bits of the clock.
    private static let clock: UInt64 = 0xFFFF_FFFF_FFFF

    private static func ticks(from start: UInt64, to end: UInt64) -> UInt64 { (end &- start) & clock }
}
