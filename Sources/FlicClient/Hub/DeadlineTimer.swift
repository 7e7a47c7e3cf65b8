import EventLoops

/// A timer that is set anew only when its deadline changes.
struct DeadlineTimer {
    private var deadline: Duration?
    private var work: ScheduledWork?

    /// Runs `action` on the loop at `deadline`, in place of what was set before; nil sets nothing.
    mutating func set(_ deadline: Duration?, on loop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
        guard deadline != self.deadline else { return }
        work?.cancel()
        self.deadline = deadline
        work = deadline.map { loop.schedule(after: $0 - loop.now, action) }
    }

    /// The timer has fired: the same deadline may be set again.
    mutating func fired() {
        deadline = nil
        work = nil
    }

    mutating func cancel() {
        work?.cancel()
        fired()
    }
}
