import Synchronization

/// What somebody has seen, as short lines in order, and waiting for more of it.
final class FakeTranscript: Sendable {
    private struct State {
        var lines: [String] = []
        var listeners: [Int: AsyncStream<[String]>.Continuation] = [:]
        var lastListener = 0
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }

    func note(_ line: String) {
        state.withLock { state in
            state.lines.append(line)
            for listener in state.listeners.values { listener.yield(state.lines) }
        }
    }

    /// What has been noted since the last call.
    func take() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    /// Waits until a condition about the lines holds, or the test's time is over.
    @discardableResult
    func wait(until condition: ([String]) -> Bool) async -> [String] {
        let (updates, continuation) = AsyncStream.makeStream(of: [String].self)
        let listener = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            continuation.yield(state.lines)
            return state.lastListener
        }
        defer { state.withLock { $0.listeners[listener] = nil } }
        for await lines in updates where condition(lines) { return lines }
        return lines
    }

    /// Waits until a line has been noted.
    @discardableResult
    func wait(for line: String) async -> [String] {
        await wait { $0.contains(line) }
    }
}
