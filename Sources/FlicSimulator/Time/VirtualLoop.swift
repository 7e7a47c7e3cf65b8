import Dispatch
public import EventLoops
import Synchronization

/// An event loop with a clock that only moves when told to, for tests that take no time and always run alike.
///
/// Jobs of actors and tasks, executed work and timers all run on one private queue. The loop counts what was handed over and is not done yet. When
/// nothing is left, and only then, may the clock move on; it moves straight to the next timer. There are two ways to let it move:
///
/// - From outside: ``advance(by:)`` moves it by a known span and returns when everything that falls into that span has run.
/// - From inside: ``run(timeLimit:_:)`` runs a test's body on the loop and lets the clock leap from timer to timer whenever the body waits, so that a
///   wait of an hour takes no longer than one of a millisecond. Every wait has an end: at the limit of virtual time, or when the body waits for
///   something that can never come, it throws a ``Failure``.
///
/// Timers fire in the order of their times, and in the order of scheduling where those are equal; each has run to the end, with all work that it
/// caused, before the next one fires. As long as everything takes place on the loop, two runs of a program do the same things in the same order.
/// Work from other threads is welcome at any time, but the loop cannot know of it beforehand and does not wait for it.
///
/// What needs real sockets runs beside it, on loops of the same time: see ``makeLoop(label:)``.
public final class VirtualLoop: EventLoop {
    /// Why a body was given up.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The body had not ended when the limit of virtual time was reached.
        case timeLimitExceeded(Duration)
        /// The body waits, but no work and no timer is left that could end the wait.
        case deadlock(at: Duration)
        /// What was sent by a socket does not arrive.
        case stuck(at: Duration)

        /// A sentence.
        public var description: String {
            switch self {
            case .timeLimitExceeded(let limit): "the body did not end within \(limit) of virtual time"
            case .deadlock(let time): "at \(time) the body waits for something that never comes: no work and no timer is left"
            case .stuck(let time): "at \(time) something is on its way by a socket and does not arrive"
            }
        }
    }

    /// What may move the clock.
    struct State {
        var now = Duration.zero
        /// Work handed over and not done yet.
        var outstanding = 0
        var timers = TimerQueue()
        /// Calls of `advance`, by the times at which they return.
        var advances = TimerQueue()
        /// The body that lets the clock leap, if one runs.
        var body: Body?
        /// Changes with every piece of work, so that a watchdog sees whether anything has happened.
        var activity: UInt64 = 0
        /// The ways out of the loops beside this one.
        var channels = ChannelInquiry()
    }

    struct Body {
        let limit: Duration
        let fail: @Sendable (Failure) -> Void
    }

    /// What to do when no work is left.
    private enum Step {
        case run(TimerQueue.Work)
        case ask([LoopChannel], ChannelInquiry.Number)
        case fail(Body, Failure)
        case watch(activity: UInt64)
        case rest
    }

    let queue: DispatchQueue
    let state = Mutex(State())
    let patience: Duration

    /// - Parameters:
    ///   - label: Name of the queue, for debuggers.
    ///   - patience: How long in real time ``run(timeLimit:_:)`` waits for help from other threads, and for what is on its way by sockets, before it
    ///     gives up.
    public init(label: String = "flickit.virtual-loop", patience: Duration = .seconds(5)) {
        queue = DispatchQueue(label: label)
        self.patience = min(max(patience, .zero), .seconds(3600))
    }

    /// Virtual time since the loop was made.
    public var now: Duration { state.withLock { $0.now } }

    /// Timers that are set, here and on the loops beside this one.
    package var timerCount: Int { state.withLock { $0.timers.size } }

    /// Runs `work` as soon as what was handed over before is done.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        workBegan()
        perform(work)
    }

    /// Runs work that counts already.
    private func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            work()
            workEnded()
        }
    }

    /// A piece of work was handed over, here or to a loop beside this one.
    package func workBegan() {
        state.withLock {
            $0.outstanding += 1
            $0.activity &+= 1
        }
    }

    /// A piece of work is done.
    package func workEnded() {
        let isIdle = state.withLock {
            $0.outstanding -= 1
            return $0.outstanding == 0
        }
        if isIdle { step() }
    }

    /// Runs `work` when the clock has moved on by `delay`, but never before the current work is done.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork {
        let id = state.withLock { $0.timers.insert(due: $0.now + Self.limited(delay), work) }
        // A thread outside may schedule while nothing runs: look again whether the clock may move.
        if state.withLock({ $0.outstanding == 0 && $0.body != nil }) { execute {} }
        return ScheduledWork { [self] in state.withLock { $0.timers.remove(id) } }
    }

    /// For the runtime: runs a job of an actor or task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        execute { [self] in
            // As in DispatchLoop: not in both roles at once.
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    /// For the runtime: traps unless it is called on the loop.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    // MARK: Moving the clock

    /// Moves the clock on at once, as when the machine was suspended: what falls into that span comes late, in its order.
    ///
    /// - Parameter span: How far; a negative span counts as zero.
    public func jump(by span: Duration) {
        state.withLock { $0.now += Self.limited(span) }
        execute {}
    }

    /// Moves the clock on and returns when all timers due within that span, and all work they caused, have run.
    ///
    /// - Parameter span: How far; with zero, only the work that is ready now is run. A negative span counts as zero.
    public func advance(by span: Duration) async {
        await withCheckedContinuation { continuation in
            beginAdvance(by: span) { continuation.resume() }
        }
    }

    /// The same for plain threads: blocks until it is done. Never call it on the loop itself.
    ///
    /// - Parameter span: How far; with zero, only the work that is ready now is run. A negative span counts as zero.
    @available(*, noasync, message: "use advance(by:)")
    public func advanceAndWait(by span: Duration) {
        dispatchPrecondition(condition: .notOnQueue(queue))
        let isDone = DispatchSemaphore(value: 0)
        beginAdvance(by: span) { isDone.signal() }
        isDone.wait()
    }

    private func beginAdvance(by span: Duration, _ done: @escaping @Sendable () -> Void) {
        state.withLock { _ = $0.advances.insert(due: $0.now + Self.limited(span), done) }
        execute {}
    }

    /// Lets the clock leap while `body` has not ended; its failure ends it.
    func begin(_ timeLimit: Duration, fail: @escaping @Sendable (Failure) -> Void) {
        state.withLock { $0.body = Body(limit: $0.now + Self.limited(timeLimit), fail: fail) }
    }

    /// The body has ended: the clock stands still again.
    func end() {
        state.withLock { $0.body = nil }
    }

    /// From nothing to some ten thousand years, so that sums stay within the range of durations.
    private static func limited(_ span: Duration) -> Duration { min(max(span, .zero), .seconds(1 << 38)) }

    /// Nothing is left to run: moves the clock to the next thing that may happen.
    private func step() {
        let step = state.withLock { state in nextStep(&state) }
        switch step {
        case .run(let work): perform(work)
        case .ask(let channels, let number): ask(channels, number)
        case .fail(let body, let failure): body.fail(failure)
        case .watch(let activity): watch(activity)
        case .rest: break
        }
    }

    private func nextStep(_ state: inout State) -> Step {
        guard state.outstanding == 0 else { return .rest }
        guard state.body != nil || state.advances.nextDue != nil else { return .rest }
        if let (channels, number) = state.channels.begin() {
            state.outstanding += 1
            return .ask(channels, number)
        }
        let timer = state.timers.nextDue
        // An advance returns behind all timers with the same time.
        if let end = state.advances.nextDue, timer.map({ end < $0 }) ?? true {
            state.now = max(state.now, end)
            return Self.begin(state.advances.popFirst(), &state)
        }
        guard let timer else { return .watch(activity: state.activity) }
        if state.advances.nextDue == nil, let body = state.body, timer > body.limit {
            state.now = max(state.now, body.limit)
            return .fail(body, .timeLimitExceeded(body.limit))
        }
        state.now = max(state.now, timer)
        return Self.begin(state.timers.popFirst(), &state)
    }

    /// It counts from here on: others may look for the next step as well.
    private static func begin(_ work: TimerQueue.Work?, _ state: inout State) -> Step {
        guard let work else { return .rest }
        state.outstanding += 1
        state.activity &+= 1
        return .run(work)
    }

    /// Gives other threads some real time to end a wait that the loop itself cannot end.
    private func watch(_ activity: UInt64) {
        afterPatience { [self] in
            let failure = state.withLock { state -> (Body, Failure)? in
                guard state.activity == activity, state.outstanding == 0, let body = state.body else { return nil }
                return (body, .deadlock(at: state.now))
            }
            if let (body, failure) = failure { body.fail(failure) }
        }
    }

    func afterPatience(_ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(patience / .milliseconds(1))), execute: work)
    }
}
