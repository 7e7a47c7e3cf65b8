import FlicClient

/// What was told of one button's downs and ups. Downs have the counters 1, 5, 9 …, ups 3, 7, 11 …; each is to be told once, in order.
struct PressAccount {
    /// How many were told.
    private(set) var told = 0
    /// How many of them had waited in the button.
    private(set) var queued = 0
    /// What was told in another order, or twice, or not at all.
    private(set) var faults: [String] = []
    private var next: UInt32

    /// - Parameter count: What comes after this counter counts.
    init(after count: UInt32) { next = count + 1 + count % 2 }

    mutating func note(_ event: PressEvent) {
        guard event.kind == .down || event.kind == .up else { return }
        told += 1
        if event.isQueued { queued += 1 }
        if event.eventCount != next { faults.append("\(event.eventCount) was told when \(next) was due") }
        next = max(next, event.eventCount + 2)
    }

    /// Whether all up to the counter have been told.
    func isComplete(at count: UInt32) -> Bool { next > count }

    /// All up to the counter have to be told by now.
    mutating func close(at count: UInt32) {
        if !isComplete(at: count) { faults.append("\(next) up to \(count) were never told") }
    }
}
