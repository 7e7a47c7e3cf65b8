public import EventLoops
import Synchronization

extension EventLoop {
    /// Waits on the loop's clock. Ends early if the task is cancelled.
    public func pause(for span: Duration) async {
        let pause = Pause()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pause.begin(continuation) { schedule(after: span, pause.end) }
            }
        } onCancel: {
            pause.end()
        }
    }
}

/// A wait that ends by its timer or by cancellation, whichever comes first.
private final class Pause: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, Never>)
        case ended
    }

    private let state = Mutex(State.idle)
    private let timer = Mutex<ScheduledWork?>(nil)

    func begin(_ continuation: CheckedContinuation<Void, Never>, schedule: () -> ScheduledWork) {
        let isOver = state.withLock { state in
            if case .ended = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isOver {
            continuation.resume()
        } else {
            let work = schedule()
            timer.withLock { $0 = work }
        }
    }

    @Sendable func end() {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .ended }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        timer.withLock { $0 }?.cancel()
        continuation?.resume()
    }
}
