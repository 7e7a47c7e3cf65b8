import FlicClient
import Synchronization

/// What an application was told of downs and ups, held against what the button knows of them.
///
/// Downs have the counters 1, 5, 9 …, ups 3, 7, 11 …, and the counters start over with each boot of the button. Each is to be told once,
/// in order. There are three excuses, and each is counted:
///
/// - doubled: an application that was killed had been told, but its store did not know yet;
/// - overflown: the button keeps a limited number of events for those that are away;
/// - rebooted: a button that loses its power forgets what it kept.
final class Ledger: Sendable {
    struct Account: Equatable, CustomStringConvertible {
        var description: String { "\(told) edges told, \(doubled) doubled, \(overflown) overflown, \(rebooted) lost in reboots" }

        var told = 0
        var doubled = 0
        var overflown = 0
        var rebooted = 0
        var faults: [String] = []
    }

    private struct State {
        var account = Account()
        /// The latest counter told in this boot, and the latest before a kill that may have told more than the store knew.
        var last: UInt32
        var toldBeforeKill: UInt32 = 0
        /// A gap that has to be followed by a full queue.
        var queuedSinceGap: Int?
        /// Fewest edges in a full queue; nil for a button that never overflows.
        var fullQueue: Int?
    }

    private let state = Mutex(State(last: 0))

    var account: Account { state.withLock { $0.account } }

    /// From here on, what happens after the counter counts.
    func begin(after count: UInt32, fullQueue: Int?) {
        state.withLock {
            $0.last = count
            $0.fullQueue = fullQueue
        }
    }

    func note(_ event: PressEvent) {
        guard event.kind == .down || event.kind == .up else { return }
        state.withLock { state in
            let count = event.eventCount
            state.account.told += 1
            if count <= state.last {
                state.account.faults.append("\(count) after \(state.last)")
                return
            }
            if Self.edges(between: state.last, and: count) > 0 {
                if state.fullQueue == nil || !event.isQueued { state.account.faults.append("\(count) right after \(state.last)") }
                state.account.overflown += Self.edges(between: max(state.last, state.toldBeforeKill), and: count)
                state.queuedSinceGap = 0
            }
            if let queued = state.queuedSinceGap {
                if event.isQueued {
                    state.queuedSinceGap = queued + 1
                } else {
                    Self.closeGap(&state)
                }
            }
            if count <= state.toldBeforeKill { state.account.doubled += 1 }
            state.last = count
        }
    }

    /// How many edges lie between two counters: theirs are odd.
    private static func edges(between last: UInt32, and next: UInt32) -> Int { max(0, Int(next / 2) - Int((last + 1) / 2)) }

    private static func closeGap(_ state: inout State) {
        if let queued = state.queuedSinceGap, let full = state.fullQueue, queued < full {
            state.account.faults.append("a gap before a queue of only \(queued)")
        }
        state.queuedSinceGap = nil
    }

    /// The application was killed. What its store does not know will be told again.
    func killed(savedUpTo saved: UInt32) {
        state.withLock { state in
            state.queuedSinceGap = nil
            guard saved < state.last else { return }
            state.toldBeforeKill = max(state.toldBeforeKill, state.last)
            state.last = saved
        }
    }

    /// The button has rebooted, or the test is over: everything up to the counter has to be told, but for what a reboot destroys.
    func end(at count: UInt32, isReboot: Bool) {
        state.withLock { state in
            let missing = Self.edges(between: state.last, and: count + 1)
            if isReboot {
                state.account.rebooted += Self.edges(between: max(state.last, state.toldBeforeKill), and: count + 1)
            } else if missing > 0 {
                state.account.faults.append("\(missing) never told before \(count), the last was \(state.last)")
            }
            state.last = 0
            state.toldBeforeKill = 0
            state.queuedSinceGap = nil
        }
    }
}
