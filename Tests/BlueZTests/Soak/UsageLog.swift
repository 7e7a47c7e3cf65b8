import Synchronization

/// What the process used over time. The first fifth of the notes is the warm-up.
final class UsageLog: Sendable {
    /// Memory may be so much more than after the warm-up: the allocator keeps what it had to get once, for each thread of its own.
    private static let memoryTolerance = 32 << 20
    private static let tolerance = 4

    private let notes = Mutex<[ProcessUsage]>([])

    func note() {
        let usage = ProcessUsage.now
        notes.withLock { $0.append(usage) }
    }

    private var ends: (warm: ProcessUsage, last: ProcessUsage)? {
        notes.withLock { notes in
            guard let last = notes.last else { return nil }
            return (notes[notes.count / 5], last)
        }
    }

    var text: String { ends.map { "after the warm-up \($0.warm), at the end \($0.last)" } ?? "" }

    /// Names what is more than after the warm-up.
    var growth: [String] {
        guard let (warm, last) = ends else { return ["nothing was noted"] }
        var growth: [String] = []
        if last.descriptors > warm.descriptors + Self.tolerance { growth.append("descriptors") }
        // Not the threads: those of libdispatch's pool come and go.
        if last.memory > warm.memory + Self.memoryTolerance { growth.append("memory") }
        return growth.map { "\($0): \(text)" }
    }
}
