@preconcurrency import Dispatch
import Glibc

/// The signal with which people tell a daemon that its configuration has changed.
package enum Reloads {
    /// An element for each SIGHUP. Those that come while nobody looks are one.
    ///
    /// Call it once: from now on the signal has no other effect.
    package static func stream() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            signal(SIGHUP, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "flickit.reloads"))
            source.setEventHandler { continuation.yield() }
            source.activate()
            continuation.onTermination = { _ in source.cancel() }
        }
    }
}
