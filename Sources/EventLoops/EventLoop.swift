/// The one serial world in which a transport and everything above it run.
///
/// An event loop is the executor of the actors above a transport, so that a value which the transport reads is handled up to
/// the last actor without a change of queue. It also tells the time and runs delayed work, which lets a simulation put its own
/// clock under unchanged code.
///
/// All members may be used from any thread; work always runs on the loop, one piece at a time, in the order in which it came.
///
/// For actors on a loop: in a task that prefers an executor, each `await` may let other work of the loop pass first, `await withCheckedContinuation` included. So
/// what a wait depends on, a cancellation as well, is looked at within its closure; from there on nothing comes between.
public protocol EventLoop: SerialExecutor, TaskExecutor {
    /// Time since an origin that never changes while the process runs. It never goes back, and it goes on while the machine is suspended.
    var now: Duration { get }

    /// Runs `work` on the loop as soon as what was handed over before is done.
    func execute(_ work: @escaping @Sendable () -> Void)

    /// Runs `work` on the loop once `delay` is over; not before, even if `delay` is zero or negative, the current work is done.
    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> ScheduledWork
}

extension EventLoop {
    /// The form in which an actor names its executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// Delayed work that can be called off.
public struct ScheduledWork: Sendable {
    private let revoke: @Sendable () -> Void

    /// - Parameter revoke: Called by ``cancel()``; must tolerate repeated calls and calls after the work has run.
    public init(revoke: @escaping @Sendable () -> Void) {
        self.revoke = revoke
    }

    /// Calls the work off. Called on the loop it is certain that the work will not run; elsewhere it may just be running.
    public func cancel() { revoke() }
}
