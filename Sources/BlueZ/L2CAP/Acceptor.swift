import CBluetooth
import EventLoops
import Glibc
import Synchronization

/// Accepts what comes to a listening socket. When the system has no room for more it says so once, and tries again after a while.
final class Acceptor: Sendable {
    static let pause = Duration.seconds(1)
    /// Connections accepted in one go.
    private static let mostAtOnce = 16

    private let loop: DispatchLoop
    private let accept: @Sendable (Int32) -> Int32
    private let accepted: @Sendable (Descriptor) -> Void
    private let failed: @Sendable (L2CAPError) -> Void
    private let state: Mutex<State>

    private struct State {
        /// Nil once closed.
        var descriptor: Descriptor?
        var readiness: Readiness?
        var retry: ScheduledWork?
        var isShort = false
    }

    /// - Parameters:
    ///   - descriptor: A socket that listens and does not block.
    ///   - accept: The system call. Tests let it fail.
    ///   - accepted: A connection, on the loop.
    ///   - failed: What is in the way, on the loop.
    init(
        _ descriptor: Descriptor,
        on loop: DispatchLoop,
        accept: @escaping @Sendable (Int32) -> Int32 = Acceptor.accept,
        accepted: @escaping @Sendable (Descriptor) -> Void,
        failed: @escaping @Sendable (L2CAPError) -> Void
    ) {
        self.loop = loop
        self.accept = accept
        self.accepted = accepted
        self.failed = failed
        state = Mutex(State(descriptor: descriptor))
        state.withLock { state in
            state.readiness = Readiness(.reading, of: descriptor, on: loop) { [weak self] in self?.acceptAll() }
        }
    }

    deinit { close() }

    /// The system call: a descriptor, or a negative number and errno.
    @Sendable static func accept(_ number: Int32) -> Int32 {
        accept4(number, nil, nil, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
    }

    /// Nothing is accepted any more.
    func close() {
        state.withLock { state in
            // At once, not when the source is done with the descriptor.
            if let descriptor = state.descriptor { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
            state.descriptor = nil
            state.readiness?.cancel()
            state.readiness = nil
            state.retry?.cancel()
            state.retry = nil
        }
    }

    private func acceptAll() {
        for _ in 0..<Self.mostAtOnce {
            guard let descriptor = state.withLock({ $0.descriptor }) else { return }
            let number = accept(descriptor.number)
            guard number < 0 else {
                state.withLock { $0.isShort = false }
                accepted(Descriptor(number))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue  // that one is gone
            case EAGAIN: return state.withLock { $0.readiness?.arm() }
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause(for: .last("accept"))
            default:
                let error = L2CAPError.last("accept")
                close()
                return failed(error)
            }
        }
        state.withLock { $0.readiness?.arm() }  // others on the loop have their turn
    }

    private func pause(for error: L2CAPError) {
        let isNew = state.withLock { state in
            guard state.descriptor != nil else { return false }
            state.retry = loop.schedule(after: Self.pause) { [weak self] in self?.acceptAll() }
            defer { state.isShort = true }
            return !state.isShort
        }
        if isNew { failed(error) }
    }
}
