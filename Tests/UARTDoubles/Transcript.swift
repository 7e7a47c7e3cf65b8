import Synchronization

/// What somebody has seen, as short lines in order.
package final class Transcript: Sendable {
    private struct State {
        var lines: [String] = []
        var listener: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    package func note(_ line: String) {
        let listener = state.withLock { state in
            state.lines.append(line)
            return state.listener
        }
        listener?.yield()
    }

    package var lines: [String] { state.withLock { $0.lines } }

    /// What has been noted since the last call.
    package func take() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    /// Waits until a condition about the lines holds, or the test's time is over. There can be one waiter at a time.
    @discardableResult
    package func wait(until condition: ([String]) -> Bool) async -> [String] {
        let (updates, continuation) = AsyncStream.makeStream(of: Void.self)
        state.withLock { $0.listener = continuation }
        continuation.yield()
        for await _ in updates where condition(lines) { break }
        return lines
    }

    /// Waits until a line has been noted.
    @discardableResult
    package func wait(for line: String) async -> [String] { await wait { $0.contains(line) } }
}
