/// A rule at work: what it remembers, what runs for it, and what waits.
///
/// `@unchecked Sendable`: it belongs to a ``RuleRunner``, which uses it on its loop only.
final class RuleLane: @unchecked Sendable {
    /// Presses that wait until the program of this rule has ended.
    static let mostWaiting = 32

    /// A program that is to be run for a press.
    struct Job {
        let record: EventRecord
        /// Those with lower numbers have waited for longer.
        let number: Int
        /// After this it is too late; nil if it never is.
        let due: Duration?
    }

    /// What has become of those that cannot be run any more.
    enum Admission: Equatable {
        case waits
        /// It waits, and so many that waited are left out for it.
        case replaces(Int)
        /// Its program still runs, or nothing more can run.
        case busy
        /// So many wait already.
        case full
    }

    var matcher: RuleMatcher
    var counters: RuleCounters
    /// Whether its program runs.
    var isRunning = false
    private(set) var waiting: [Job] = []
    /// Web hooks that have not been answered.
    var hookCount = 0

    var rule: Configuration.Rule { matcher.rule }

    init(_ rule: Configuration.Rule, counters: RuleCounters = RuleCounters()) {
        matcher = RuleMatcher(rule)
        self.counters = counters
    }

    /// Takes a job, as the rule says what is to be done while its program runs.
    ///
    /// - Parameter hasRoom: Whether one more program may run.
    func admit(_ job: Job, for exec: Configuration.Exec, hasRoom: Bool) -> Admission {
        switch exec.concurrency {
        case .skip:
            guard !isRunning, waiting.isEmpty, hasRoom else { return .busy }
            waiting = [job]
            return .waits
        case .queue:
            guard waiting.count < Self.mostWaiting else { return .full }
            waiting.append(job)
            return .waits
        case .restart:
            let count = waiting.count
            waiting = [job]
            return count > 0 ? .replaces(count) : .waits
        }
    }

    /// The job that has waited longest, which does not wait any more.
    func takeNext() -> Job? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Leaves out what waits.
    ///
    /// - Returns: How many those were.
    func drop() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}
