import EventLoops
import GATT
import Glibc

@testable import BlueZ

/// A channel's end, the bare socket at its other end, and what the channel's end has told.
final class SocketBench: Sendable {
    let socket: L2CAPSocket
    /// Kept by the bench; does not block.
    let far: Descriptor
    let events: AsyncStream<L2CAPSocket.Event>

    /// Nil if there are no more sockets.
    init?(receiveMTU: Int = 64, sendMTU: Int = 64, on loop: DispatchLoop = DispatchLoop(label: "socket"), isStarted: Bool = true) {
        guard let (near, far) = PacketSocket.pair() else { return nil }
        self.far = Descriptor(far)
        let address = BluetoothAddress(value: 0x00AA_0101_0001)
        socket = L2CAPSocket(Descriptor(near), psm: 0x80, peer: address, receiveMTU: receiveMTU, sendMTU: sendMTU, on: loop)
        let (events, heard) = AsyncStream.makeStream(of: L2CAPSocket.Event.self)
        self.events = events
        if isStarted { socket.start { heard.yield($0) } }
    }

    func next(_ count: Int) async -> [L2CAPSocket.Event] {
        await events.prefix(count).reduce(into: []) { $0.append($1) }
    }

    /// Waits for an event of this kind.
    func wait(for event: L2CAPSocket.Event) async {
        for await heard in events where heard == event { return }
    }

    // MARK: The channel's end

    func read(_ size: Int = 1000) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = socket.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Reads until it is told that there is no more.
    func readAll() async -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let part = read()
            bytes += part
            if part.isEmpty {
                if socket.isDrained { return bytes }
                _ = await next(1)
            }
        }
    }

    func write(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { socket.write($0) } }

    // MARK: The other end

    func sendFar(_ packet: [UInt8]) -> Bool { send(far.number, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count }

    /// The next packet: empty at the end, nil if there is none now.
    func receiveFar() -> [UInt8]? {
        var packet = [UInt8](repeating: 0, count: 4096)
        let count = recv(far.number, &packet, packet.count, 0)
        return count < 0 ? nil : Array(packet.prefix(count))
    }

    func endFar() { shutdown(far.number, Int32(SHUT_RDWR)) }
}
