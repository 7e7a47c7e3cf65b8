/// Where rounds that share a fault wait for each other.
actor Gate {
    private let size: Int
    private var waiting: [CheckedContinuation<Duration, Never>] = []

    init(_ size: Int) {
        self.size = size
    }

    /// Waits for the others. The last one to come does what is to be done once for all of them.
    ///
    /// - Returns: When it was begun.
    func meet(_ action: @Sendable () async -> Void = {}) async -> Duration {
        if waiting.count < size - 1 { return await withCheckedContinuation { waiting.append($0) } }
        let all = waiting
        waiting = []
        let time = Chronicle.now
        await action()
        for other in all { other.resume(returning: time) }
        return time
    }
}
