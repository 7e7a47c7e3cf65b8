@preconcurrency public import Dispatch
internal import Synchronization

/// The event loop of a real program: one serial dispatch queue.
///
/// A simulation can put its own clock under it (`VirtualLoop.makeLoop`), so that what needs real sockets runs on simulated time.
public final class DispatchLoop: EventLoop {
    /// The queue on which everything runs; a transport puts its dispatch sources here.
    public let queue: DispatchQueue

    /// Nil for the system's.
    private let clock: (any LoopClock)?
    private let origin = ContinuousClock.now
    private let watched = Mutex<DescriptorSet?>(nil)

    /// What is watched on the loop; nil if the system has no room for it.
    var descriptors: DescriptorSet? {
        watched.withLock { watched in
            if watched == nil { watched = DescriptorSet(on: queue) }
            return watched
        }
    }

    /// - Parameter label: Name of the queue, for debuggers.
    public convenience init(label: String = "flickit.loop") {
        self.init(label: label, clock: nil)
    }

    /// - Parameters:
    ///   - label: Name of the queue, for debuggers.
    ///   - clock: Where the time comes from; nil for the system's clock.
    package init(label: String, clock: (any LoopClock)?) {
        queue = DispatchQueue(label: label)
        self.clock = clock
    }

    /// Time since the loop, or its clock, was made; goes on while the machine is suspended.
    public var now: Duration { clock?.now ?? origin.duration(to: .now) }

    /// Runs `work` on the queue.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        guard let clock else { return queue.async(execute: work) }
        clock.workBegan()
        queue.async {
            work()
            clock.workEnded()
        }
    }

    /// Runs `work`, which may block, on a queue of its own.
    package func executeElsewhere(label: String, _ work: @escaping @Sendable () -> Void) {
        clock?.workBegan()
        DispatchQueue(label: label).async { [clock] in
            work()
            clock?.workEnded()
        }
    }

    /// Runs `work` on the queue once `delay` is over.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        if let clock {
            let delayed = DelayedWork(work)
            let timer = clock.schedule(after: delay) { [self] in execute(delayed.run) }
            return ScheduledWork {
                timer.cancel()
                delayed.cancel()
            }
        }
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
        execute {
            // Not in both roles at once (isolatedTo:taskExecutor:): there Swift 6.3 loses a task that goes on as the last step of another.
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    /// For the runtime: traps unless it is called on the queue.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    // MARK: Channels

    /// The clock, if it is not the system's, has to ask this channel before it moves on.
    package func add(_ channel: LoopChannel) {
        clock?.add(channel)
        clock?.noteTraffic()
    }

    /// The channel is closed, which those at its far end have yet to see.
    package func remove(_ channel: LoopChannel) {
        clock?.noteTraffic()
        clock?.remove(channel)
    }

    /// Something is being sent by a channel.
    package func noteTraffic() { clock?.noteTraffic() }
}

/// Work on its way from a clock to the loop, where it can still be called off.
private final class DelayedWork: Sendable {
    private let work: Mutex<(@Sendable () -> Void)?>

    init(_ work: @escaping @Sendable () -> Void) { self.work = Mutex(work) }

    private func take() -> (@Sendable () -> Void)? {
        work.withLock { work in
            defer { work = nil }
            return work
        }
    }

    @Sendable func run() { take()?() }

    func cancel() { _ = take() }
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
