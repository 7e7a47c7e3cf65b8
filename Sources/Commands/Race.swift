/// Runs all at the same time until the first has ended, cancels the others, and waits for them to end.
///
/// - Returns: What the first to end has returned.
/// - Throws: What the first to end has thrown; `CancellationError` if the task was cancelled.
package func race<Value: Sendable>(_ contestants: (@Sendable () async throws -> Value)...) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for contestant in contestants { group.addTask { try await contestant() } }
        defer { group.cancelAll() }
        let first = try await group.next()
        try Task.checkCancellation()  // a wait that was cut short has ended, but has not come to its end
        guard let first else { throw CancellationError() }
        return first
    }
}

/// Waits until the task is cancelled.
package func untilCancelled() async throws -> Never {
    for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
    throw CancellationError()
}
