package import EventLoops

/// Runs programs as processes of the system.
///
/// A program gets a process group of its own, `/` as its directory, standard input with what it is given, and standard output and standard error that
/// lead to `output`: no other descriptor, and no signal that is ignored or blocked. When it is to end, its group is sent SIGTERM, and two seconds later
/// SIGKILL. A program that has ended is not waited for any longer because one that it has started still runs.
///
/// It is an actor on its loop, where programs are watched; nothing there ever waits for one.
package actor ProcessRunner: ProgramRunner {
    private let loop: DispatchLoop
    private let started: @Sendable () -> Void
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter started: Hears on the loop that a program has just been executed.
    package init(loop: DispatchLoop, started: @escaping @Sendable () -> Void = {}) {
        self.loop = loop
        self.started = started
    }

    package func run(_ launch: ProgramLaunch, output: @escaping @Sendable (String) -> Void) async -> ProgramOutcome {
        let child = ChildProcess(launch, on: loop, started: started, output: output)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Nothing in here is the actor's, so any thread may have come here.
                loop.execute { child.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            // From any thread, and before or after the start.
            loop.execute { child.end() }
        }
    }
}
