internal import CSockets
@preconcurrency internal import Dispatch
internal import Glibc
internal import Synchronization

/// The descriptors that a loop watches: an epoll(7) set, which libdispatch watches as a single descriptor.
///
/// libdispatch is not told of descriptors that come and go: where one hangs up while its source is cancelled on another thread, the thread that manages
/// its events may use what has just been freed.
final class DescriptorSet: Sendable {
    /// Taken from the system in one go.
    private static let mostAtOnce = 64

    private let set: Descriptor
    private let source: any DispatchSourceRead
    private let state = Mutex(State())

    private struct State {
        var handlers: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
    }

    /// Nil if the system has no room for it.
    init?(on queue: DispatchQueue) {
        let number = epoll_create1(O_CLOEXEC)
        guard number >= 0 else { return nil }
        let set = Descriptor(number)
        self.set = set
        source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        source.setEventHandler { [weak self] in self?.tell() }
        source.setCancelHandler { withExtendedLifetime(set) {} }
        source.activate()
    }

    deinit { source.cancel() }

    /// Watches a descriptor until it is ready for the first time.
    ///
    /// - Parameters:
    ///   - number: Is in the set once at most.
    ///   - handler: Called on the loop.
    /// - Returns: What names it here; nil if the system has no room for it.
    func add(_ number: Int32, for events: UInt32, _ handler: @escaping @Sendable () -> Void) -> UInt64? {
        let token = state.withLock { state in
            state.last += 1
            state.handlers[state.last] = handler
            return state.last
        }
        guard control(EPOLL_CTL_ADD, number, events, token) else {
            state.withLock { _ = $0.handlers.removeValue(forKey: token) }
            return nil
        }
        return token
    }

    /// Watches it until it is ready once more.
    func arm(_ token: UInt64, _ number: Int32, for events: UInt32) { _ = control(EPOLL_CTL_MOD, number, events, token) }

    /// Watches it no more. It must not have been closed.
    func remove(_ token: UInt64, _ number: Int32) {
        state.withLock { _ = $0.handlers.removeValue(forKey: token) }
        _ = control(EPOLL_CTL_DEL, number, 0, token)
    }

    private func control(_ operation: Int32, _ number: Int32, _ events: UInt32, _ token: UInt64) -> Bool {
        var event = epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: token))
        return epoll_ctl(set.number, operation, number, &event) == 0
    }

    private func tell() {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.mostAtOnce) { events in
            // What is left is told in the next turn: the set stays ready.
            let count = epoll_wait(set.number, events.baseAddress, Int32(events.count), 0)
            for event in events.prefix(Int(max(count, 0))) {
                let token = event.data.u64
                state.withLock { $0.handlers[token] }?()  // those before may have removed it
            }
        }
    }
}
