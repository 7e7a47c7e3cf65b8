internal import CSockets
internal import Glibc

/// A socket that carries a stream of bytes (`SOCK_STREAM`), read and written on a loop.
///
/// It belongs to its loop: all calls are made there, and so are the handlers. It closes itself when it is released, when ``close()`` is called and when the
/// other end is gone; only the last is told.
///
/// `@unchecked Sendable`: all of it is used on the loop only.
package final class StreamSocket: @unchecked Sendable {
    /// What the other end has done.
    package enum End: Sendable {
        /// It sends nothing more, but may still read.
        case finished
        /// It neither sends nor reads.
        case gone
    }

    /// Bytes read at a time, before others on the loop have their turn.
    private static let mostAtOnce = 1 << 16

    /// Nil once closed.
    private var descriptor: Descriptor?
    private let loop: DispatchLoop
    private let mostWaiting: Int
    private let received: ([UInt8]) -> Void
    private let ended: (End) -> Void
    private var channel: LoopChannel?
    private var reading: Readiness?
    /// There once something had to wait.
    private var writing: Readiness?
    private var buffer = [UInt8](repeating: 0, count: 1 << 14)
    private var waiting: [UInt8] = []
    /// Who waits until nothing waits.
    private var sentHandlers: [() -> Void] = []
    private var isInputOver = false
    private var isOver = false

    /// What the other end sends stays where it is, so that it has to wait.
    package var isPaused = false {
        didSet {
            guard oldValue, !isPaused, !isInputOver else { return }
            loop.noteTraffic()
            reading?.arm()
        }
    }

    /// - Parameters:
    ///   - descriptor: A connected socket.
    ///   - mostWaiting: Bytes that wait for the other end to read. When there are as many, nothing more is taken.
    ///   - received: Bytes came.
    ///   - ended: The other end has ended, or the descriptor never was such a socket. Nothing comes after `gone`, and no bytes after `finished`.
    package init(
        _ descriptor: Descriptor,
        on loop: DispatchLoop,
        mostWaiting: Int,
        received: @escaping ([UInt8]) -> Void,
        ended: @escaping (End) -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.mostWaiting = mostWaiting
        self.received = received
        self.ended = ended
        reading = Readiness(.reading, of: descriptor, on: loop) { [weak self] in self?.read() }
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

    /// No byte comes or goes any more. Those that wait are dropped.
    package func close() {
        isOver = true
        shut()
    }

    private func shut() {
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
        var left = Self.mostAtOnce
        while left > 0 {
            guard let descriptor, !isPaused, !isInputOver else { return true }  // maybe by what was received
            let count = recv(descriptor.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                left -= count
                received(Array(buffer.prefix(count)))
            } else if count < 0 && errno == EAGAIN {
                reading?.arm()
                return true
            } else if count == 0 && !Self.isAlone(descriptor) {
                isInputOver = true
                ended(.finished)
                return true
            } else if count == 0 || errno != EINTR {
                shut()
                tellGone()
                return true
            }
        }
        reading?.arm()
        return false
    }

    private static func isAlone(_ descriptor: Descriptor) -> Bool {
        var state = pollfd(fd: descriptor.number, events: 0, revents: 0)
        return poll(&state, 1, 0) != 0
    }

    private func tellGone() {
        guard !isOver else { return }
        isOver = true
        ended(.gone)
    }

    // MARK: Writing

    /// Until it is closed, by whatever.
    package var isOpen: Bool { descriptor != nil }

    /// Whether bytes are taken.
    package var hasRoom: Bool { descriptor != nil && waiting.count < mostWaiting }

    /// Sends bytes, after those that were sent before.
    ///
    /// - Returns: Whether they were taken: all or none.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        guard hasRoom else { return false }
        loop.noteTraffic()
        let isFirst = waiting.isEmpty
        waiting += bytes
        if isFirst { sendWaiting() }
        return true
    }

    private func sendWaiting() {
        while let descriptor, !waiting.isEmpty {
            let count = Glibc.send(descriptor.number, waiting, waiting.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if count >= 0 {
                waiting.removeFirst(count)
                loop.noteTraffic()
            } else if errno == EAGAIN || errno == ENOBUFS {
                return waitForRoom(descriptor)
            } else if errno != EINTR {
                shut()
                return loop.execute { self.tellGone() }  // not within a call of the owner
            }
        }
        tellSent()
    }

    private func waitForRoom(_ descriptor: Descriptor) {
        if let writing { return writing.arm() }
        writing = Readiness(.writing, of: descriptor, on: loop) { [weak self] in self?.sendWaiting() }
    }

    /// Calls `handler`, once, when all bytes are with the system, or never will be: at once if none waits.
    package func whenSent(_ handler: @escaping () -> Void) {
        if waiting.isEmpty { handler() } else { sentHandlers.append(handler) }
    }

    private func tellSent() {
        let handlers = sentHandlers
        sentHandlers = []
        for handler in handlers { handler() }
    }
}
