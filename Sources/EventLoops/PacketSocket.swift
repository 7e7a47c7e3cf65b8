internal import CSockets
internal import Glibc

/// A socket that keeps packets apart (`SOCK_SEQPACKET`), read and written on a loop.
///
/// It belongs to its loop: all calls are made there, and so are the handlers. It closes itself when it is released, when ``close()`` is called and when the
/// other end is gone; only the last is told.
///
/// `@unchecked Sendable`: all of it is used on the loop only.
package final class PacketSocket: @unchecked Sendable {
    /// Packets that wait for the other end to read; one more is refused.
    package static let mostWaiting = 256
    /// Packets read at a time, before others on the loop have their turn.
    private static let mostAtOnce = 64

    /// Nil once closed.
    private var descriptor: Descriptor?
    private let loop: DispatchLoop
    private var channel: LoopChannel?
    private var buffer: [UInt8]
    private let received: ([UInt8]) -> Void
    private let ended: () -> Void
    private var reading: Readiness?
    /// There while packets wait.
    private var writing: Readiness?
    private var waiting: [[UInt8]] = []
    /// Who waits until nothing waits.
    private var sentHandlers: [() -> Void] = []

    /// - Parameters:
    ///   - descriptor: A connected socket. It is closed by this object from now on.
    ///   - largestPacket: Size of the largest packet that is expected. Larger ones are dropped.
    ///   - received: A packet came.
    ///   - ended: The other end is gone, or the descriptor never was such a socket. Nothing comes after it.
    package init(
        _ descriptor: Int32,
        largestPacket: Int,
        on loop: DispatchLoop,
        received: @escaping ([UInt8]) -> Void,
        ended: @escaping () -> Void
    ) {
        let held = Descriptor(descriptor)
        self.descriptor = held
        self.loop = loop
        buffer = [UInt8](repeating: 0, count: max(largestPacket, 1))
        self.received = received
        self.ended = ended
        reading = Readiness(.reading, of: held, on: loop) { [weak self] in
            self?.read()
            self?.reading?.arm()
        }
        let channel = LoopChannel { [weak self, loop] done in
            loop.execute { [weak self] in
                guard let self else { return done() }
                settle(done)
            }
        }
        self.channel = channel
        loop.add(channel)
    }

    deinit { close() }

    /// Two sockets that are connected with each other.
    ///
    /// - Returns: Their descriptors, nil if there are no more to be had.
    package static func pair() -> (Int32, Int32)? {
        var descriptors: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return socketpair(AF_UNIX, type, 0, &descriptors) == 0 ? (descriptors[0], descriptors[1]) : nil
    }

    /// No packet comes or goes any more. Those that wait are dropped.
    package func close() {
        // The other end is to see it at once, not when the last copy of the descriptor is closed.
        if let descriptor { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
        if let channel { loop.remove(channel) }
        channel = nil
        waiting = []
        writing?.cancel()
        writing = nil
        reading?.cancel()
        reading = nil
        descriptor = nil
        tellSent()
    }

    /// Sends and reads what can be.
    private func settle(_ done: @escaping @Sendable () -> Void) {
        sendWaiting()
        guard !read() else { return done() }
        loop.execute { self.settle(done) }
    }

    // MARK: Reading

    /// - Returns: Whether nothing is left to be read.
    @discardableResult
    private func read() -> Bool {
        for _ in 0..<Self.mostAtOnce {
            guard let descriptor else { return true }  // closed by what was received
            let count = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { end() }
                return true
            }
            // A packet of no bytes looks like the end, but only at the end is nobody there.
            if count == 0, Self.isAlone(descriptor) {
                end()
                return true
            }
            if count <= buffer.count { received(Array(buffer.prefix(count))) }
        }
        return false
    }

    private static func isAlone(_ descriptor: Descriptor) -> Bool {
        var state = pollfd(fd: descriptor.number, events: 0, revents: 0)
        return poll(&state, 1, 0) != 0
    }

    private func end() {
        guard descriptor != nil else { return }
        close()
        ended()
    }

    // MARK: Writing

    /// Sends a packet, after those that were sent before.
    ///
    /// - Returns: Whether it was taken. False if the socket is closed, the packet too long for it, or too many wait already.
    package func send(_ packet: [UInt8]) -> Bool {
        guard let descriptor, waiting.count < Self.mostWaiting else { return false }
        loop.noteTraffic()
        guard waiting.isEmpty else {
            waiting.append(packet)
            return true
        }
        switch Self.attempt(packet, descriptor) {
        case .sent: return true
        case .failed: return false
        case .full:
            waiting.append(packet)
            writing = Readiness(.writing, of: descriptor, on: loop) { [weak self] in
                self?.sendWaiting()
                self?.writing?.arm()
            }
            return true
        }
    }

    private enum Outcome {
        case sent
        case full
        case failed
    }

    private static func attempt(_ packet: [UInt8], _ descriptor: Descriptor) -> Outcome {
        while true {
            guard Glibc.send(descriptor.number, packet, packet.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) < 0 else { return .sent }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .full
            default: return .failed
            }
        }
    }

    private func sendWaiting() {
        while let descriptor, let packet = waiting.first {
            if Self.attempt(packet, descriptor) == .full { return }
            waiting.removeFirst()  // a failure shows as the end of the socket
            loop.noteTraffic()
        }
        writing?.cancel()
        writing = nil
        tellSent()
    }

    /// Calls `handler`, once, when all packets are with the other end, or never will be: at once if none waits.
    package func whenSent(_ handler: @escaping () -> Void) {
        if waiting.isEmpty { handler() } else { sentHandlers.append(handler) }
    }

    private func tellSent() {
        let handlers = sentHandlers
        sentHandlers = []
        for handler in handlers { handler() }
    }
}
