import CBluetooth  // includes sys/socket.h: what that declares is found through this module in static builds
package import EventLoops
package import GATT
import Glibc
import Synchronization

/// One end of an L2CAP channel, as a stream of bytes: it keeps what is left of a packet for the next read, and splits what is longer than a packet
/// (contract D105).
///
/// All members may be used from any thread, and none of them waits. It closes itself when it is released.
package final class L2CAPSocket: Sendable {
    /// Something that may be worth another attempt.
    package enum Event: Sendable {
        /// Bytes have come after there were none.
        case bytes
        /// There is room after there was none.
        case room
        /// Nothing comes any more, or nothing can be sent any more.
        case ended
    }

    /// How long a closed channel stays open to send what has been written.
    package static let patience = Duration.seconds(10)
    /// Packets sent in one go.
    private static let mostAtOnce = 32

    /// The number that the channel was opened with.
    package let psm: UInt16
    /// Who is at the other end.
    package let peer: BluetoothAddress
    /// How many bytes this end takes at once.
    package let receiveMTU: Int
    /// How many bytes the other end takes at once.
    package let sendMTU: Int

    private let loop: DispatchLoop
    private let state: Mutex<State>

    fileprivate struct State {
        /// Nil once closed.
        var descriptor: Descriptor?
        var reading: Readiness?
        var writing: Readiness?
        var heard: (@Sendable (Event) -> Void)?

        var packet: [UInt8]
        /// What is left of the packet.
        var rest = 0..<0
        /// Nothing comes after the packet.
        var isDrained = false

        /// Something can be sent. The kernel has then given all that was sent before to the controller.
        var hasRoom = false
        /// Nothing can be sent any more.
        var isBroken = false

        /// Why the channel has ended; nil if the other end closed it.
        var failure: L2CAPError?
        var isClosed = false
    }

    /// - Parameters:
    ///   - descriptor: A connected socket that keeps packets apart.
    ///   - receiveMTU: Longest packet that comes, in bytes. A longer one ends the channel.
    ///   - sendMTU: Longest packet that can be sent, in bytes.
    package init(
        _ descriptor: Descriptor,
        psm: UInt16,
        peer: BluetoothAddress,
        receiveMTU: Int,
        sendMTU: Int,
        on loop: DispatchLoop = DispatchLoop(label: "flickit.l2cap")
    ) {
        self.loop = loop
        self.psm = psm
        self.peer = peer
        self.receiveMTU = max(receiveMTU, 1)
        self.sendMTU = max(sendMTU, 1)
        state = Mutex(State(descriptor: descriptor, packet: [UInt8](repeating: 0, count: self.receiveMTU)))
    }

    deinit { state.withLock { $0.release() } }

    /// Begins to read, a packet ahead. Nothing can be read or written before.
    ///
    /// - Parameter heard: Told what happens from now on, on the socket's loop. Only the first call counts.
    package func start(_ heard: @escaping @Sendable (Event) -> Void) {
        state.withLock { state in
            guard let descriptor = state.descriptor, state.heard == nil else { return }
            state.heard = heard
            state.reading = Readiness(.reading, of: descriptor, on: loop) { [weak self] in self?.readable() }
            state.writing = Readiness(.writing, of: descriptor, on: loop) { [weak self] in self?.writable() }
            state.updateRoom()
        }
    }

    private func tell(_ event: Event) {
        state.withLock { $0.heard }?(event)
    }

    /// Nothing can be sent any more; what has come may still be read.
    private func tellEnd() {
        readable()
        tell(.ended)
    }

    // MARK: Reading

    /// Whether bytes can be read.
    package var hasBytes: Bool { state.withLock { !$0.rest.isEmpty } }

    /// Whether everything that came has been read, and nothing comes any more.
    package var isDrained: Bool { state.withLock { $0.isDrained && $0.rest.isEmpty } }

    /// Takes bytes that have come.
    ///
    /// - Returns: How many; 0 if there are none now.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (count, hasEnded) = state.withLock { state in
            let bytes = state.packet[state.rest].prefix(buffer.count)
            buffer.copyBytes(from: bytes)
            state.rest.removeFirst(bytes.count)
            if state.rest.isEmpty, !bytes.isEmpty { state.fetch() }
            return (bytes.count, state.rest.isEmpty && state.isDrained && !bytes.isEmpty)
        }
        if hasEnded { loop.execute { [weak self] in self?.tell(.ended) } }
        return count
    }

    private func readable() {
        let event: Event? = state.withLock { state in
            guard state.rest.isEmpty, !state.isDrained else { return nil }
            state.fetch()
            if !state.rest.isEmpty { return .bytes }
            return state.isDrained ? .ended : nil
        }
        if let event { tell(event) }
    }

    // MARK: Writing

    /// Whether bytes can be written.
    package var hasRoom: Bool { state.withLock { $0.hasRoom && !$0.isBroken } }

    /// Whether nothing can be written any more.
    package var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Hands bytes over to be sent, in order.
    ///
    /// - Returns: How many of them, from the first on; 0 if there is no room now.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let (count, hasEnded) = state.withLock { state in
            guard !state.isBroken else { return (0, false) }
            var rest = bytes[...]
            for _ in 0..<Self.mostAtOnce where state.hasRoom && !rest.isEmpty {
                let count = state.send(UnsafeRawBufferPointer(rebasing: rest.prefix(sendMTU)))
                rest.removeFirst(count)
                state.updateRoom(isFull: count == 0)
            }
            return (bytes.count - rest.count, state.isBroken)
        }
        if hasEnded { loop.execute { [weak self] in self?.tellEnd() } }
        return count
    }

    private func writable() {
        let event: Event? = state.withLock { state in
            guard !state.isClosed else {
                state.releaseIfSent()
                return nil
            }
            let hadRoom = state.hasRoom
            state.updateRoom()
            if state.isBroken { return .ended }
            return state.hasRoom && !hadRoom ? .room : nil
        }
        switch event {
        case .ended: tellEnd()
        case let event?: tell(event)
        case nil: break
        }
    }

    // MARK: The end

    /// Why the channel has ended; nil as long as it has not, and if the other end closed it.
    package var failure: L2CAPError? { state.withLock { $0.failure } }

    /// Ends the channel: what has come can be read, nothing more comes, nothing can be written. What was written is still sent, if the other end takes it
    /// within ``patience``.
    package func close() {
        let (isFirst, waits) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.isClosed = true
            state.isDrained = true
            state.reading?.cancel()
            state.reading = nil
            let waits = state.heard != nil && !state.hasRoom && !state.isBroken
            state.isBroken = true
            if !waits { state.release() }
            return (true, waits)
        }
        if isFirst { loop.execute { self.tell(.ended) } }
        if waits { loop.schedule(after: Self.patience) { self.state.withLock { $0.release() } } }
    }
}

extension L2CAPSocket.State {
    /// Looks for the next packet, and asks to be told if there is none.
    fileprivate mutating func fetch() {
        var isLastLook = false
        while let descriptor, !isDrained {
            // Bits of what is too long are lost, so its length is asked for.
            let count = recv(descriptor.number, &packet, packet.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
            if count > packet.count {
                failure = .packetTooLong
                isDrained = true
                isBroken = true
            } else if count > 0 {
                rest = 0..<count
                return
            } else if isLastLook {
                isDrained = true
                isBroken = true
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno != EAGAIN {
                // The kernel tells errors before the packets that came first.
                end(.last("recv"))
                isLastLook = true
            } else if descriptor.prospects.isOver || isBroken {
                // Something may have come in between.
                isLastLook = true
            } else if count < 0 {
                reading?.arm()
                return
            }
        }
    }

    /// - Returns: How many bytes were taken.
    fileprivate mutating func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        while let descriptor {
            let count = Glibc.send(descriptor.number, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS, ENOMEM: return 0
            default: end(.last("send"))
            }
            break
        }
        return 0
    }

    /// Sees whether more can be sent, and asks to be told if not.
    ///
    /// - Parameter isFull: Nothing was taken a moment ago.
    fileprivate mutating func updateRoom(isFull: Bool = false) {
        guard !isBroken, let descriptor else { return }
        let prospects = descriptor.prospects
        hasRoom = prospects.hasRoom && !isFull
        if hasRoom { return }
        // Looked at here as well: libdispatch may have told the end before, for the sake of reading.
        if prospects.isOver { return end(descriptor.pendingError("send")) }
        writing?.arm()
    }

    /// Nothing can be sent any more.
    fileprivate mutating func end(_ reason: L2CAPError?) {
        isBroken = true
        failure = failure ?? reason?.unlessClosed
    }

    /// Lets go of the closed socket, unless something still has to be sent.
    fileprivate mutating func releaseIfSent() {
        guard let descriptor else { return }
        let prospects = descriptor.prospects
        if prospects.hasRoom || prospects.isOver { release() } else { writing?.arm() }
    }

    /// Lets go of the socket.
    fileprivate mutating func release() {
        // The other end is to see it at once, not when the last copy of the descriptor is closed.
        if let descriptor { shutdown(descriptor.number, Int32(SHUT_RDWR)) }
        descriptor = nil
        reading?.cancel()
        reading = nil
        writing?.cancel()
        writing = nil
    }
}
