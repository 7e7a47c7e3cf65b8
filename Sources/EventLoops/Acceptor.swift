internal import CSockets
internal import Glibc
internal import Synchronization

/// Accepts what comes to a listening socket. When the system has no room for more it says so once, and tries again after a while.
package final class Acceptor: Sendable {
    /// Before it tries again.
    package static let pause = Duration.seconds(1)
    /// Connections accepted in one go.
    private static let mostAtOnce = 16

    private let loop: DispatchLoop
    private let accept: @Sendable (Int32) -> Int32
    private let accepted: @Sendable (Descriptor) -> Void
    private let failed: @Sendable (_ errno: Int32) -> Void
    private let state: Mutex<State>

    private struct State {
        /// Nil once closed.
        var descriptor: Descriptor?
        var readiness: Readiness?
        var channel: LoopChannel?
        var retry: ScheduledWork?
        var isShort = false
    }

    /// - Parameters:
    ///   - descriptor: A socket that listens and does not block.
    ///   - accept: The system call. Tests let it fail.
    ///   - accepted: A connection, on the loop.
    ///   - failed: What is in the way, by its number in errno, on the loop.
    package init(
        _ descriptor: Descriptor,
        on loop: DispatchLoop,
        accept: @escaping @Sendable (Int32) -> Int32 = Acceptor.accept,
        accepted: @escaping @Sendable (Descriptor) -> Void,
        failed: @escaping @Sendable (_ errno: Int32) -> Void
    ) {
        self.loop = loop
        self.accept = accept
        self.accepted = accepted
        self.failed = failed
        state = Mutex(State(descriptor: descriptor))
        state.withLock { state in
            state.readiness = Readiness(.reading, of: descriptor, on: loop) { [weak self] in self?.acceptAll() }
            let channel = LoopChannel { [weak self, loop] done in
                loop.execute { [weak self] in
                    guard let self else { return done() }
                    settle(done)
                }
            }
            state.channel = channel
            loop.add(channel)
        }
    }

    deinit { close() }

    /// The system call: a descriptor, or a negative number and errno.
    @Sendable package static func accept(_ number: Int32) -> Int32 {
        accept4(number, nil, nil, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
    }

    /// Nothing is accepted any more.
    package func close() {
        state.withLock { state in
            // At once, not when the source is done with the descriptor.
            if let descriptor = state.descriptor { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
            state.descriptor = nil
            if let channel = state.channel { loop.remove(channel) }
            state.channel = nil
            state.readiness?.cancel()
            state.readiness = nil
            state.retry?.cancel()
            state.retry = nil
        }
    }

    /// - Returns: Whether nobody is left who waits.
    @discardableResult
    private func acceptAll() -> Bool {
        for _ in 0..<Self.mostAtOnce {
            guard let descriptor = state.withLock({ $0.descriptor }) else { return true }
            let number = accept(descriptor.number)
            guard number < 0 else {
                state.withLock { $0.isShort = false }
                accepted(Descriptor(number))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue  // that one is gone
            case EAGAIN:
                state.withLock { $0.readiness?.arm() }
                return true
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                pause(for: errno)
                return true
            case let error:
                close()
                failed(error)
                return true
            }
        }
        state.withLock { $0.readiness?.arm() }  // others on the loop have their turn
        return false
    }

    private func settle(_ done: @escaping @Sendable () -> Void) {
        guard state.withLock({ $0.retry }) == nil, !acceptAll() else { return done() }
        loop.execute { self.settle(done) }
    }

    private func pause(for error: Int32) {
        let isNew = state.withLock { state in
            guard state.descriptor != nil else { return false }
            state.retry = loop.schedule(after: Self.pause) { [weak self] in
                self?.state.withLock { $0.retry = nil }
                self?.acceptAll()
            }
            defer { state.isShort = true }
            return !state.isShort
        }
        if isNew { failed(error) }
    }
}
