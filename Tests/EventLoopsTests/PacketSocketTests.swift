import Glibc
import Testing

@testable import EventLoops

@Suite("Sockets that keep packets apart", .timeLimit(.minutes(1)))
struct PacketSocketTests {
    /// A socket, its other end, and what has come out of it.
    private actor End {
        nonisolated let loop = DispatchLoop(label: "socket")
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var socket: PacketSocket?
        private let continuation: AsyncStream<[UInt8]?>.Continuation
        /// Packets, and nil at the end.
        nonisolated let events: AsyncStream<[UInt8]?>

        init() { (events, continuation) = AsyncStream.makeStream() }

        func open(_ descriptor: Int32, largestPacket: Int = 8) {
            socket = PacketSocket(
                descriptor,
                largestPacket: largestPacket,
                on: loop,
                received: { [continuation] in continuation.yield($0) },
                ended: { [continuation] in continuation.yield(nil) }
            )
        }

        func send(_ packet: [UInt8]) -> Bool { socket?.send(packet) ?? false }

        func close() { socket?.close() }

        func release() { socket = nil }

        func next(_ count: Int) async -> [[UInt8]?] {
            await events.prefix(count).reduce(into: []) { $0.append($1) }
        }
    }

    private func pair() throws -> (Int32, Int32) { try #require(PacketSocket.pair()) }

    @Test("Packets come as they were sent: empty ones too, those that are too long not, and then the end")
    func packets() async throws {
        let (near, far) = try pair()
        let end = End()
        for packet in [[1, 2, 3], [], [UInt8](repeating: 9, count: 9), [4]] as [[UInt8]] {
            #expect(send(far, packet, packet.count, 0) == packet.count)
        }
        await end.open(near)
        #expect(await end.next(3) == [[1, 2, 3], [], [4]])
        Glibc.close(far)
        #expect(await end.next(1) == [nil])
        #expect(await end.send([1]) == false)
    }

    @Test("What the other end does not read yet waits, in order, and not without limit")
    func waiting() async throws {
        let (near, far) = try pair()
        let end = End()
        await end.open(near)
        var taken = 0
        while await end.send([UInt8(truncatingIfNeeded: taken)]) { taken += 1 }
        #expect(taken > PacketSocket.mostWaiting)
        var byte: UInt8 = 0
        for number in 0..<taken {
            while recv(far, &byte, 1, 0) < 0 { try #require(errno == EAGAIN) }
            try #require(byte == UInt8(truncatingIfNeeded: number))
        }
        #expect(await end.send([7]))
        while recv(far, &byte, 1, 0) < 0 { try #require(errno == EAGAIN) }
        #expect(byte == 7)
        Glibc.close(far)
    }

    @Test("Closed or released, it lets the other end know", arguments: [true, false])
    func closing(isReleased: Bool) async throws {
        let (near, far) = try pair()
        let end = End()
        let other = End()
        await end.open(near)
        await other.open(far)
        if isReleased { await end.release() } else { await end.close() }
        #expect(await other.next(1) == [nil])
        #expect(await end.send([1]) == false)
    }

    @Test("A packet longer than the socket takes is refused, and the socket stays")
    func tooLong() async throws {
        let (near, far) = try pair()
        let end = End()
        await end.open(near)
        #expect(await end.send([UInt8](repeating: 0, count: 10_000_000)) == false)
        #expect(await end.send([1]))
        Glibc.close(far)
    }

    @Test("A descriptor that is no socket is one whose other end is gone")
    func noSocket() async throws {
        // Not a pipe: programs that other tests start would inherit its far end.
        let device = open("/dev/random", O_RDONLY | O_CLOEXEC)
        try #require(device >= 0)
        let end = End()
        await end.open(device)
        #expect(await end.next(1) == [nil])
    }
}
