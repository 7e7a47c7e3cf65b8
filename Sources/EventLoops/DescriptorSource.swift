@preconcurrency internal import Dispatch
internal import Glibc

/// Tells, again and again, that a descriptor can be read or that it can be written, for as long as that is so.
///
/// It watches a *duplicate*, which it closes itself as soon as it may: whenever the owner closes the descriptor, no dispatch source is left with one that
/// is closed, or that by then means another file. It also keeps the two directions of one descriptor apart, which libdispatch does not always.
///
/// It belongs to its loop: all calls are made there, and so is `ready`. On the loop it is certain that one that is not running, or was cancelled, does not
/// fire any more.
package final class DescriptorSource {
    /// What is waited for.
    package enum Direction {
        case reading
        case writing
    }

    private let source: any DispatchSourceProtocol
    private var isCancelled = false

    /// Whether it fires. Starts with false.
    package var isRunning = false {
        didSet {
            guard isRunning != oldValue, !isCancelled else { return }
            if isRunning { source.resume() } else { source.suspend() }
        }
    }

    /// Nil if the descriptor cannot be duplicated.
    package init?(_ descriptor: Int32, _ direction: Direction, on loop: DispatchLoop, ready: @escaping () -> Void) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return nil }
        source =
            switch direction {
            case .reading: DispatchSource.makeReadSource(fileDescriptor: duplicate, queue: loop.queue)
            case .writing: DispatchSource.makeWriteSource(fileDescriptor: duplicate, queue: loop.queue)
            }
        source.setEventHandler(handler: ready)
        source.setCancelHandler { close(duplicate) }
    }

    deinit { cancel() }

    /// It fires no more.
    package func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        source.cancel()
        // A suspended source neither calls its cancel handler nor may be freed.
        if !isRunning { source.resume() }
    }
}
