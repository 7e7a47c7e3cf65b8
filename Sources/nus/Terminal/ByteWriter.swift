import Dispatch
import EventLoops
import Glibc
import Synchronization

/// Writes a descriptor from a bounded buffer, so that nobody waits for whoever reads there.
final class ByteWriter: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        /// Those included that are just being written.
        var unwritten = 0
        var isWriting = false
    }

    /// Bytes that wait for the reader.
    static let mostWaiting = 1 << 20

    private let descriptor: Descriptor
    private let queue = DispatchQueue(label: "nus.writer")
    private let state = Mutex(State())

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }

    /// Takes bytes, all or none.
    ///
    /// - Returns: Whether they were taken. Not if more than 1 MiB would wait.
    func offer(_ bytes: [UInt8]) -> Bool {
        let (isTaken, begins) = state.withLock { state in
            guard state.unwritten + bytes.count <= Self.mostWaiting else { return (false, false) }
            state.waiting += bytes
            state.unwritten += bytes.count
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if begins { queue.async { self.drain() } }
        return isTaken
    }

    /// Writes until nothing waits.
    private func drain() {
        while true {
            let bytes = state.withLock { state in
                defer { state.waiting = [] }
                state.isWriting = !state.waiting.isEmpty
                return state.waiting
            }
            guard !bytes.isEmpty else { return }
            write(bytes)
        }
    }

    private func wrote(_ count: Int) { state.withLock { $0.unwritten -= count } }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                wrote(count)
            } else if errno != EINTR {
                return wrote(rest.count)  // nobody will ever read there
            }
        }
    }
}
