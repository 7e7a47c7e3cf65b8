import EventLoops
import FlicSimulator
import GATT
import Glibc
import Testing

@testable import BlueZ

@Suite("The socket of an L2CAP channel", .timeLimit(.minutes(1)))
struct L2CAPSocketTests {
    private func bench(receiveMTU: Int = 64, sendMTU: Int = 64, isStarted: Bool = true) throws -> SocketBench {
        try #require(SocketBench(receiveMTU: receiveMTU, sendMTU: sendMTU, isStarted: isStarted))
    }

    @Test("D105: what is left of a packet is kept for the next read, and the next packet comes after it")
    func partialReads() async throws {
        let bench = try bench()
        #expect(bench.read().isEmpty && !bench.socket.hasBytes)
        #expect(bench.sendFar([1, 2, 3, 4, 5]) && bench.sendFar([6]))
        #expect(await bench.next(1) == [.bytes])
        #expect(bench.read(2) == [1, 2])
        #expect(bench.read(2) == [3, 4])
        #expect(bench.socket.hasBytes)
        #expect(bench.read(2) == [5])
        #expect(bench.read(2) == [6])
        #expect(!bench.socket.hasBytes && bench.read(2).isEmpty)
        #expect(bench.sendFar([7]))
        #expect(await bench.next(1) == [.bytes])
        #expect(bench.read() == [7])
        #expect(!bench.socket.isDrained)
    }

    @Test("Nothing is read or written before the start")
    func start() async throws {
        let bench = try bench(isStarted: false)
        #expect(bench.sendFar([1]))
        #expect(bench.write([1]) == 0)
        #expect(bench.read().isEmpty && !bench.socket.hasBytes && !bench.socket.hasRoom)
    }

    @Test("D105: what is longer than the other end takes at once is split")
    func splitting() async throws {
        let bench = try bench(sendMTU: 10)
        #expect(bench.socket.hasRoom)
        #expect(bench.write(Array(1...25)) == 25)
        #expect(bench.receiveFar() == Array(1...10))
        #expect(bench.receiveFar() == Array(11...20))
        #expect(bench.receiveFar() == Array(21...25))
        #expect(bench.receiveFar() == nil)
        #expect(bench.write([]) == 0)
        #expect(bench.receiveFar() == nil, "nothing is no packet")
    }

    @Test("D105: without room nothing is taken, and room is told")
    func room() async throws {
        let bench = try bench(sendMTU: 1000)
        var written = 0
        while bench.socket.hasRoom {
            let bytes = (0..<1500).map { UInt8(truncatingIfNeeded: (written + $0) % 251) }
            written += bench.write(bytes)
        }
        #expect(written > 1500)
        #expect(bench.write([1]) == 0)
        var received = 0
        while let packet = bench.receiveFar() {
            for byte in packet {
                try #require(byte == UInt8(truncatingIfNeeded: received % 251))
                received += 1
            }
        }
        #expect(received == written)
        #expect(await bench.next(1) == [.room])
        #expect(bench.socket.hasRoom)
        #expect(bench.write([1]) == 1)
    }

    @Test("Packets of no bytes are none, also right before the end")
    func emptyPackets() async throws {
        let bench = try bench()
        for packet in [[], [1], [], [], [2], []] as [[UInt8]] { #expect(bench.sendFar(packet)) }
        #expect(await bench.next(1) == [.bytes])
        #expect(bench.read() == [1])
        #expect(bench.read() == [2])
        #expect(bench.read().isEmpty && !bench.socket.isDrained)
        #expect(bench.sendFar([3]) && bench.sendFar([]) && bench.sendFar([4]))
        bench.endFar()
        #expect(await bench.next(1) == [.bytes])
        #expect(bench.read() == [3])
        #expect(bench.read() == [4])
        await bench.wait(for: .ended)
        #expect(bench.socket.isDrained && bench.socket.failure == nil)
    }

    @Test("A packet longer than agreed ends the channel, as bytes of it are lost")
    func longPacket() async throws {
        let bench = try bench(receiveMTU: 4)
        #expect(bench.sendFar([1, 2, 3, 4]) && bench.sendFar([5, 6, 7, 8, 9]) && bench.sendFar([10]))
        #expect(await bench.next(1) == [.bytes])
        #expect(bench.read() == [1, 2, 3, 4])
        await bench.wait(for: .ended)
        #expect(bench.socket.isDrained && bench.socket.isBroken && bench.socket.failure == .packetTooLong)
        #expect(bench.read().isEmpty)
        #expect(bench.write([1]) == 0)
    }

    @Test("What came before the other end closed can still be read")
    func otherEndCloses() async throws {
        let bench = try bench()
        for number in 1...50 as ClosedRange<UInt8> { #expect(bench.sendFar([number])) }
        bench.endFar()
        #expect(await bench.readAll() == Array(1...50))
        #expect(bench.socket.failure == nil && bench.socket.isBroken && !bench.socket.hasRoom)
        #expect(bench.write([1]) == 0)
        #expect(bench.read().isEmpty)
    }

    @Test("Who writes learns that the other end has closed, even if nobody reads")
    func writerLearns() async throws {
        let bench = try bench()
        #expect(bench.sendFar([1]))
        #expect(await bench.next(1) == [.bytes])
        bench.endFar()
        #expect(bench.write([1]) == 0)
        #expect(await bench.next(1) == [.ended])
        #expect(bench.socket.isBroken && !bench.socket.isDrained)
        #expect(bench.read() == [1])
        #expect(bench.socket.isDrained && bench.socket.failure == nil)
    }

    @Test("Who waits for room learns that the other end has closed")
    func waiterLearns() async throws {
        let bench = try bench(sendMTU: 1000)
        #expect(bench.sendFar([1]))
        #expect(await bench.next(1) == [.bytes])
        while bench.socket.hasRoom { _ = bench.write([UInt8](repeating: 0, count: 1000)) }
        bench.endFar()
        await bench.wait(for: .ended)
        #expect(bench.socket.isBroken)
        #expect(bench.read() == [1])
    }

    @Test("Closed or released, it lets the other end know", arguments: [true, false])
    func closing(isReleased: Bool) async throws {
        let (near, far) = try #require(PacketSocket.pair())
        let address = BluetoothAddress(value: 1)
        var socket: L2CAPSocket? = L2CAPSocket(Descriptor(near), psm: 0x80, peer: address, receiveMTU: 8, sendMTU: 8)
        let (ends, ended) = AsyncStream.makeStream(of: L2CAPSocket.Event.self)
        let farSocket = L2CAPSocket(Descriptor(far), psm: 0x80, peer: address, receiveMTU: 8, sendMTU: 8)
        farSocket.start { ended.yield($0) }
        socket?.start { _ in }
        if isReleased { socket = nil } else { socket?.close() }
        for await event in ends {
            #expect(event == .ended)
            break
        }
        #expect(farSocket.isDrained)
    }

    @Test("After close() what has come is there to be read, and then the end")
    func closeHere() async throws {
        let bench = try bench()
        #expect(bench.sendFar([1, 2]))
        #expect(await bench.next(1) == [.bytes])
        bench.socket.close()
        bench.socket.close()
        #expect(await bench.next(1) == [.ended])
        #expect(bench.write([1]) == 0)
        #expect(bench.read() == [1, 2])
        #expect(bench.socket.isDrained && bench.socket.failure == nil)
        #expect(bench.receiveFar() == [])
    }

    @Test("What was written before close() is still sent, for a while", arguments: [true, false])
    func lingering(isRead: Bool) async throws {
        let clock = VirtualLoop(label: "test")
        let bench = try #require(SocketBench(sendMTU: 1000, on: clock.makeLoop()))
        var written = 0
        while bench.socket.hasRoom { written += bench.write([UInt8](repeating: 7, count: 1000)) }
        bench.socket.close()
        #expect(await bench.next(1) == [.ended])
        await clock.advance(by: L2CAPSocket.patience - .milliseconds(1))
        // The descriptor is still open: this end of the pair can be sent to.
        #expect(bench.sendFar([1]))
        if isRead {
            var received = 0
            var isOver = false
            while !isOver {
                let packet = bench.receiveFar()
                received += packet?.count ?? 0
                isOver = packet?.isEmpty == true
            }
            #expect(received == written)
        } else {
            await clock.advance(by: .milliseconds(1))
            #expect(!bench.sendFar([1]))
        }
    }

    @Test("Ten megabytes each way at once, in pieces of any size, arrive as they were")
    func bulk() async throws {
        let (near, far) = try #require(PacketSocket.pair())
        let address = BluetoothAddress(value: 1)
        let one = L2CAPSocket(Descriptor(near), psm: 0x80, peer: address, receiveMTU: 2048, sendMTU: 517)
        let two = L2CAPSocket(Descriptor(far), psm: 0x80, peer: address, receiveMTU: 517, sendMTU: 2048)
        let total = 10_000_000
        async let first = Pump(one, seed: 1, expecting: 2, total: total).run()
        async let second = Pump(two, seed: 2, expecting: 1, total: total).run()
        #expect(await first == total)
        #expect(await second == total)
    }

    @Test("A descriptor that is no socket is one whose channel has failed")
    func noSocket() async throws {
        let device = open("/dev/random", O_RDONLY | O_CLOEXEC)
        try #require(device >= 0)
        let socket = L2CAPSocket(Descriptor(device), psm: 0x80, peer: BluetoothAddress(value: 1), receiveMTU: 8, sendMTU: 8)
        let (events, heard) = AsyncStream.makeStream(of: L2CAPSocket.Event.self)
        socket.start { heard.yield($0) }
        for await event in events where event == .ended { break }
        #expect(socket.isDrained && socket.isBroken && socket.failure == .failed(call: "recv", errno: ENOTSOCK))
    }

    @Test("Errors say what was the matter")
    func errors() {
        let errors: [L2CAPError] = [.notSupported, .noFreePSM, .timedOut, .packetTooLong, .failed(call: "bind", errno: EPERM)]
        #expect(errors.map(\.errorNumber) == [EAFNOSUPPORT, EADDRNOTAVAIL, ETIMEDOUT, EMSGSIZE, EPERM])
        #expect(errors.map(\.description).last == "bind: Operation not permitted")
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}
