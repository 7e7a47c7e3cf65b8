import Synchronization

extension VirtualLoop {
    /// Runs `body` on the loop and lets the clock leap to the next timer whenever nothing else is left to do, until the body has ended.
    ///
    /// The body, its child tasks and the actors on this loop run on the loop; what it starts elsewhere (`Task.detached`, `Task.sleep`) the loop cannot
    /// see, so it may leap meanwhile. One body can run at a time.
    ///
    /// - Parameters:
    ///   - timeLimit: Virtual time after which the body is cancelled and given up.
    ///   - body: What to run. It is cancelled when the caller is.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or ``Failure`` if it was given up.
    public func run<Result: Sendable>(
        timeLimit: Duration = .seconds(24 * 60 * 60),
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let attempt = Attempt<Result>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                attempt.begin(continuation)
                begin(timeLimit) { failure in
                    self.end()
                    attempt.cancel()
                    // What the cancelled body still does at this time comes first.
                    self.execute { self.execute { _ = attempt.end(.failure(failure)) } }
                }
                // Not a child task: a body that is given up may never end.
                attempt.cancels(
                    Task(executorPreference: self) {
                        let result: Swift.Result<Result, any Error>
                        do {
                            result = .success(try await body())
                        } catch {
                            result = .failure(error)
                        }
                        if attempt.end(result) { self.end() }
                    }
                )
            }
        } onCancel: {
            attempt.cancel()
        }
    }
}

/// One body: resumes the caller with the first outcome.
private final class Attempt<Result: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Result, any Error>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func begin(_ continuation: CheckedContinuation<Result, any Error>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Says what to cancel.
    func cancels(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock {
            $0.task = task
            return $0.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock {
            $0.isCancelled = true
            return $0.task
        }
        task?.cancel()
    }

    /// Whether this was the first outcome.
    func end(_ result: Swift.Result<Result, any Error>) -> Bool {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
        return continuation != nil
    }
}
