@preconcurrency import Dispatch
import Glibc
import Synchronization

/// The signals with which people end a program.
package enum Interrupts {
    /// With which a program ends that was interrupted.
    package static let exitCode: Int32 = 130

    /// An element for the first SIGINT or SIGTERM, which is to end the program in good order. The second one ends it at once.
    ///
    /// Call it once: from now on the signals have no other effect.
    package static func stream() -> AsyncStream<Void> {
        AsyncStream { continuation in
            let queue = DispatchQueue(label: "flickit.signals")
            let sources = [SIGINT, SIGTERM].map { number in
                signal(number, SIG_IGN)
                return DispatchSource.makeSignalSource(signal: number, queue: queue)
            }
            let isInterrupted = Atomic(false)
            for source in sources {
                source.setEventHandler {
                    if isInterrupted.exchange(true, ordering: .relaxed) { exit(exitCode) }
                    continuation.yield()
                }
                source.activate()
            }
            continuation.onTermination = { _ in for source in sources { source.cancel() } }
        }
    }
}
