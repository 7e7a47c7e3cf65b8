import DBus

/// A daemon that hangs.
extension FakeBlueZ {
    /// The daemon hangs, as if it was stopped by a signal: it keeps its name and its links, answers nothing, not even Ping, and tells nothing. It may go
    /// on later, or ``crash()``. Without effect if it hangs already, or does not run.
    public func hang() {
        guard backlog == nil, let connection else { return }
        backlog = []
        connection.assumeIsolated { $0.setPaused(true) }
    }

    /// The daemon goes on, with all that has come meanwhile; advertisements are lost. Without effect if it does not hang.
    public func goOn() {
        guard let waiting = backlog else { return }
        backlog = nil
        for work in waiting { work(self) }
        connection?.assumeIsolated { $0.setPaused(false) }
    }

    /// Does what has come from the radio or a timer, or keeps it for later.
    func unlessHung(_ work: @escaping @Sendable (isolated FakeBlueZ) -> Void) {
        if backlog == nil { work(self) } else { backlog?.append(work) }
    }
}
