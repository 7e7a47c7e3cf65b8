@preconcurrency internal import Dispatch
internal import Synchronization

/// Tells when a descriptor can be read or written, or its other end is gone: once each time that it is asked to.
///
/// `@unchecked Sendable`: the source is used with the lock held only.
package final class Readiness: @unchecked Sendable {
    /// What a descriptor can be ready for.
    package enum Kind {
        case reading
        case writing
    }

    private enum State {
        case idle
        case armed
        case cancelled
    }

    private let source: any DispatchSourceProtocol
    private let state = Mutex(State.armed)

    /// It is asked already. Of one descriptor `.reading` has to be made first: libdispatch takes it for a second `.writing` otherwise.
    ///
    /// - Parameter ready: Called on the loop.
    package init(_ kind: Kind, of descriptor: Descriptor, on loop: DispatchLoop, _ ready: @escaping @Sendable () -> Void) {
        source =
            switch kind {
            case .reading: DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: loop.queue)
            case .writing: DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: loop.queue)
            }
        source.setEventHandler { [weak self] in
            if self?.rest() == true { ready() }
        }
        source.setCancelHandler { withExtendedLifetime(descriptor) {} }
        source.activate()
    }

    deinit { cancel() }

    /// Returns whether somebody waits for it.
    private func rest() -> Bool {
        state.withLock { state in
            guard state == .armed else { return false }
            state = .idle
            source.suspend()
            return true
        }
    }

    /// Asks for the next time.
    package func arm() {
        state.withLock { state in
            guard state == .idle else { return }
            state = .armed
            source.resume()
        }
    }

    /// Nothing is told any more, and the descriptor not held.
    package func cancel() {
        state.withLock { state in
            guard state != .cancelled else { return }
            source.cancel()
            if state == .idle { source.resume() }  // a suspended one must not be released
            state = .cancelled
        }
    }
}
