import Synchronization

extension VirtualLoop {
    /// Runs `body` on the loop and lets the clock leap to the next timer whenever nothing else is left to do, until the body has ended.
    ///
    /// The body, its child tasks and the actors on this loop run on the loop; what it starts elsewhere (`Task.detached`, `Task.sleep`) the loop cannot
    /// see, so it may leap meanwhile. One body can run at a time.
    ///
    /// - Parameters:
    ///   - timeLimit: Virtual time after which the body is cancelled and given up.
    ///   - body: What to run.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or ``Failure`` if it was given up.
    public func run<Result: Sendable>(
        timeLimit: Duration = .seconds(24 * 60 * 60),
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = Once(continuation)
            // Waits for the failure handler before its first step, since a body without a single wait could end before there is one.
            execute { [self] in
                let task = Task(executorPreference: self) {
                    let result: Swift.Result<Result, any Error>
                    do {
                        result = .success(try await body())
                    } catch {
                        result = .failure(error)
                    }
                    if outcome.resume(with: result) { self.end() }
                }
                begin(timeLimit) { failure in
                    self.end()
                    task.cancel()
                    // What the cancelled body still does at this time comes first.
                    self.execute { self.execute { _ = outcome.resume(with: .failure(failure)) } }
                }
            }
        }
    }
}

/// Resumes a continuation with the first outcome.
private final class Once<Result: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Result, any Error>?>

    init(_ continuation: CheckedContinuation<Result, any Error>) {
        self.continuation = Mutex(continuation)
    }

    /// Whether this was the first.
    func resume(with result: Swift.Result<Result, any Error>) -> Bool {
        let taken = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(with: result)
        return taken != nil
    }
}
