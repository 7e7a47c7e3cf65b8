import EventLoops

/// Notices that bluetoothd has stopped answering, which it does without leaving the bus (bluez/bluez#367).
///
/// A call that stays without an answer raises the suspicion; a question that costs bluetoothd nothing, Peer.Ping, settles it. While all calls
/// are answered nothing is asked, and no time is kept.
struct ServiceWatch {
    /// What to do next.
    enum Step: Equatable {
        /// Look again after this time.
        case wait(Duration)
        /// Ask whether it is there.
        case ask
        /// All is well: nothing is to be waited for.
        case rest
    }

    /// How long a call may stay without an answer before the question is asked.
    static let patience = Duration.seconds(5)
    /// How long the question may.
    static let answerTime = Duration.seconds(5)
    /// Between questions to a bluetoothd that hangs.
    static let askAgain: ClosedRange<Duration> = .seconds(2)...(.seconds(30))

    /// Calls without an answer, by number, and when they were made.
    private var calls: [UInt64: Duration] = [:]
    private var failures = 0
    private var isAsking = false

    /// It has stopped answering.
    var isHung: Bool { failures > 0 }

    /// Everything that was asked is settled: bluetoothd is gone, or another one is there.
    mutating func reset() { self = ServiceWatch() }

    /// - Returns: Whether a look is due after ``patience``: the first call under way.
    mutating func called(_ number: UInt64, now: Duration) -> Bool {
        calls[number] = now
        return calls.count == 1 && !isAsking && !isHung
    }

    /// - Returns: Whether no call is under way any more.
    mutating func answered(_ number: UInt64) -> Bool {
        calls[number] = nil
        return calls.isEmpty
    }

    /// The time to look has come.
    mutating func look(now: Duration) -> Step {
        guard !isAsking else { return .rest }
        if isHung {
            isAsking = true
            return .ask
        }
        guard let oldest = calls.values.min() else { return .rest }
        let due = oldest + Self.patience
        guard due <= now else { return .wait(due - now) }
        isAsking = true
        return .ask
    }

    /// The question was answered, or a signal has come.
    ///
    /// - Returns: What is next, and whether it had been hung.
    mutating func proved(now: Duration) -> (next: Step, wasHung: Bool) {
        defer {
            failures = 0
            isAsking = false
        }
        // What is still without an answer, is so for its own reasons: time starts anew.
        for number in calls.keys { calls[number] = now }
        return (calls.isEmpty ? .rest : .wait(Self.patience), isHung)
    }

    /// The question was not answered.
    ///
    /// - Returns: What is next, and whether that is news.
    mutating func silent() -> (next: Step, isNews: Bool) {
        isAsking = false
        failures += 1
        return (.wait(Self.askAgain.backOff(after: failures)), failures == 1)
    }
}
