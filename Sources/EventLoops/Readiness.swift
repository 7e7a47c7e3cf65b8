internal import CSockets
internal import Glibc
internal import Synchronization

/// Tells when a descriptor can be read or written, or its other end is gone: once each time that it is asked to.
package final class Readiness: Sendable {
    /// What a descriptor can be ready for.
    package enum Kind {
        case reading
        case writing
    }

    /// Where the system has no room to watch a descriptor, its owner is asked to try this often.
    private static let pause = Duration.milliseconds(100)

    private struct State {
        /// Nil once cancelled.
        var descriptor: Descriptor?
        /// Nil if it is not watched.
        var token: UInt64?
        var isArmed = true
        var retry: ScheduledWork?
    }

    private let loop: DispatchLoop
    private let events: UInt32
    private let ready: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - isArmed: Whether it is asked already.
    ///   - ready: Called on the loop.
    package init(
        _ kind: Kind,
        of descriptor: Descriptor,
        on loop: DispatchLoop,
        isArmed: Bool = true,
        _ ready: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.ready = ready
        events = kind == .reading ? EPOLLIN.rawValue : EPOLLOUT.rawValue
        // A set has a descriptor once only: that of the writing direction is another one of the same.
        state = Mutex(State(descriptor: kind == .reading ? descriptor : descriptor.duplicate() ?? descriptor))
        state.withLock { state in
            state.isArmed = isArmed
            let wanted = isArmed ? events : 0
            state.token = state.descriptor.flatMap { loop.descriptors?.add($0.number, for: wanted) { [weak self] in self?.fired() } }
            if state.token == nil, isArmed { retryLater(&state) }
        }
    }

    deinit { cancel() }

    private func fired() {
        let isWanted = state.withLock { state in
            defer { state.isArmed = false }
            return state.isArmed && state.descriptor != nil
        }
        if isWanted { ready() }
    }

    private func retryLater(_ state: inout State) {
        state.retry = loop.schedule(after: Self.pause) { [weak self] in self?.fired() }
    }

    /// Asks for the next time.
    package func arm() {
        state.withLock { state in
            guard let descriptor = state.descriptor, !state.isArmed else { return }
            state.isArmed = true
            if let token = state.token {
                loop.descriptors?.arm(token, descriptor.number, for: events)
            } else {
                retryLater(&state)
            }
        }
    }

    /// Nothing is told any more, and the descriptor not held.
    package func cancel() {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            if let token = state.token { loop.descriptors?.remove(token, descriptor.number) }
            state.retry?.cancel()
            state = State(descriptor: nil)
        }
    }
}

extension Descriptor {
    /// Another one of the same file; nil if the system has no room for it.
    fileprivate func duplicate() -> Descriptor? {
        let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
        return duplicate < 0 ? nil : Descriptor(duplicate)
    }
}
