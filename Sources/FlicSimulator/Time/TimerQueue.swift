/// Delayed work in the order in which it is due; of two with the same time, the one that was scheduled first comes first.
struct TimerQueue {
    typealias Work = @Sendable () -> Void

    /// Names a timer.
    struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Entry {
        let due: Duration
        let id: ID
        let work: Work
    }

    private var entries: [Entry] = []  // sorted
    private var count: UInt64 = 0

    /// How many there are.
    var size: Int { entries.count }

    /// When the first one is due.
    var nextDue: Duration? { entries.first?.due }

    mutating func insert(due: Duration, _ work: @escaping Work) -> ID {
        count += 1
        let entry = Entry(due: due, id: ID(number: count), work: work)
        // Behind all entries that are not later: simulations hold few timers, so a search from the end is quick.
        let position = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        entries.insert(entry, at: position)
        return entry.id
    }

    /// Without effect if the timer has fired or was removed.
    mutating func remove(_ id: ID) {
        entries.removeAll { $0.id == id }
    }

    mutating func popFirst() -> Work? {
        entries.isEmpty ? nil : entries.removeFirst().work
    }
}
