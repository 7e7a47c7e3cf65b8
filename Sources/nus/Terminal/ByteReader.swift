import Dispatch
import EventLoops
import Glibc
import Synchronization

/// Reads a descriptor as it is asked to: what is not asked for stays where it is, so that whoever writes there waits.
final class ByteReader: Sendable {
    private struct State {
        /// Bytes for which nobody has waited.
        var chunk: [UInt8]?
        var waiter: CheckedContinuation<[UInt8]?, Never>?
        var isReading = false
        var hasEnded = false
        /// Waits that were cut short before they began.
        var cancelled: Set<Int> = []
        var lastWait = 0
    }

    /// At a time.
    private static let mostBytes = 4096

    // Not closed under a thread that reads: another file may get its number.
    private let descriptor: Descriptor
    // A thread that waits: dispatch sources and event polls treat files, terminals and hang-ups each in their own way.
    private let queue = DispatchQueue(label: "nus.reader")
    private let state = Mutex(State())

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// What comes next; nil at the end, or if the task is cancelled, which loses nothing. There can be one waiter at a time.
    func next() async -> [UInt8]? {
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, number) }
        } onCancel: {
            cut(number)
        }
    }

    /// Has the next wait begin with bytes that were given already.
    func putBack(_ bytes: [UInt8]) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.chunk = bytes + (state.chunk ?? [])
                return nil as CheckedContinuation<[UInt8]?, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: bytes)
    }

    private enum Step {
        case give([UInt8]?)
        case read
        case wait
    }

    private func wait(_ waiter: CheckedContinuation<[UInt8]?, Never>, _ number: Int) {
        let step = state.withLock { state -> Step in
            if state.cancelled.remove(number) != nil { return .give(nil) }
            if let chunk = state.chunk {
                state.chunk = nil
                return .give(chunk)
            }
            if state.hasEnded { return .give(nil) }
            state.waiter = waiter
            defer { state.isReading = true }
            return state.isReading ? .wait : .read
        }
        switch step {
        case .give(let bytes): waiter.resume(returning: bytes)
        case .read: queue.async { self.read() }
        case .wait: break
        }
    }

    private func cut(_ number: Int) {
        let waiter = state.withLock { state in
            guard state.lastWait == number, let waiter = state.waiter else {
                if state.lastWait == number { state.cancelled = [number] }
                return nil as CheckedContinuation<[UInt8]?, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: nil)
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.mostBytes)
        var count = Glibc.read(descriptor.number, &buffer, buffer.count)
        while count < 0 && errno == EINTR { count = Glibc.read(descriptor.number, &buffer, buffer.count) }
        let bytes = count > 0 ? Array(buffer.prefix(count)) : nil
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isReading = false
            if bytes == nil { state.hasEnded = true }
            if state.waiter == nil { state.chunk = bytes }
            return state.waiter
        }
        waiter?.resume(returning: bytes)
    }
}
