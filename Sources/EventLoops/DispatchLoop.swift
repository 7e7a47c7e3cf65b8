@preconcurrency public import Dispatch

/// The event loop of a real program: one serial dispatch queue.
public final class DispatchLoop: EventLoop {
    /// The queue on which everything runs; a transport puts its dispatch sources here.
    public let queue: DispatchQueue

    private let clock = ContinuousClock()
    private let origin: ContinuousClock.Instant

    /// - Parameter label: Name of the queue, for debuggers.
    public init(label: String = "flickit.loop") {
        queue = DispatchQueue(label: label)
        origin = clock.now
    }

    /// Time since the loop was made; goes on while the machine is suspended.
    public var now: Duration { origin.duration(to: clock.now) }

    /// Runs `work` on the queue.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Runs `work` on the queue once `delay` is over.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        // A timer source rather than asyncAfter: once cancelled it no longer wakes the process.
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler {
            timer.cancel()  // also ends the cycle between the timer and this closure
            work()
        }
        timer.schedule(deadline: .now() + max(delay, .zero).dispatchInterval)
        timer.activate()
        return ScheduledWork { timer.cancel() }
    }

    /// For the runtime: runs a job of an actor or task on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            // Not in both roles at once (isolatedTo:taskExecutor:): there Swift 6.3 loses a task that goes on as the last step of another.
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    /// For the runtime: traps unless it is called on the queue.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

extension Duration {
    /// Rounded up to the next nanosecond; durations beyond 292 years are cut to that.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .nanoseconds(Int.max) }
        let (sum, carry) = nanoseconds.addingReportingOverflow((attoseconds + 999_999_999) / 1_000_000_000)
        return .nanoseconds(carry ? Int.max : Int(sum))
    }
}
