import FlicSimulator
import Glibc
import Testing

@testable import EventLoops

@Suite("Sockets that carry streams of bytes")
struct StreamSocketTests {
    /// A socket and what has come out of it; its other end is a plain descriptor.
    private actor End {
        nonisolated let loop: DispatchLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
        private var socket: StreamSocket?
        private(set) var bytes: [UInt8] = []
        private(set) var ends: [StreamSocket.End] = []
        private(set) var sentCount = 0

        init(_ loop: DispatchLoop) { self.loop = loop }

        func open(_ descriptor: Descriptor, mostWaiting: Int = 1000) {
            socket = StreamSocket(
                descriptor,
                on: loop,
                mostWaiting: mostWaiting,
                received: { [weak self] bytes in self?.assumeIsolated { $0.bytes += bytes } },
                ended: { [weak self] end in self?.assumeIsolated { $0.ends.append(end) } }
            )
        }

        func send(_ bytes: [UInt8]) -> Bool { socket?.send(bytes) ?? false }
        func pause(_ isPaused: Bool) { socket?.isPaused = isPaused }
        func close() { socket?.close() }
        func release() { socket = nil }
        func countSent() { socket?.whenSent { [weak self] in self?.assumeIsolated { $0.sentCount += 1 } } }
        var isOpen: Bool { socket?.isOpen ?? false }
    }

    private struct Bench {
        let clock: VirtualLoop
        let end: End
        let far: Int32

        func pass() async { await clock.pause(for: .milliseconds(1)) }

        func write(_ bytes: [UInt8]) {
            #expect(send(far, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
            end.loop.noteTraffic()
        }

        func shut(_ how: Int) {
            shutdown(far, Int32(how))
            end.loop.noteTraffic()
        }

        /// What can be read now; nil at the end.
        func read() -> [UInt8]? {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(far, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { return all.isEmpty ? nil : all }
                guard count > 0 else { return all }
                all += buffer.prefix(count)
            }
        }
    }

    private func play(mostWaiting: Int = 1000, _ body: @escaping @Sendable (Bench) async throws -> Void) async throws {
        let clock = VirtualLoop(label: "test", patience: .seconds(30))
        try await clock.run {
            var descriptors: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &descriptors) == 0)
            let end = End(clock.makeLoop())
            await end.open(Descriptor(descriptors[0]), mostWaiting: mostWaiting)
            let far = Descriptor(descriptors[1])
            try await body(Bench(clock: clock, end: end, far: far.number))
            withExtendedLifetime(far) {}
        }
    }

    @Test("Bytes come in order, more than are read at a time, and go")
    func bytes() async throws {
        try await play { bench in
            let sent = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            for start in stride(from: 0, to: sent.count, by: 50_000) {
                bench.write(Array(sent[start..<start + 50_000]))
                await bench.pass()
            }
            #expect(await bench.end.bytes == sent)
            #expect(await bench.end.send([1, 2, 3]))
            #expect(bench.read() == [1, 2, 3])
        }
    }

    @Test("What the other end does not read waits, up to a bound, and goes when it reads")
    func waiting() async throws {
        try await play(mostWaiting: 100_000) { bench in
            let piece = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
            var taken = 0
            while await bench.end.send(piece) { taken += 1 }
            await bench.end.countSent()
            #expect(await bench.end.sentCount == 0)
            var read: [UInt8] = []
            while read.count < taken * piece.count {
                read += try #require(bench.read())
                await bench.pass()
            }
            #expect(read == (0..<taken).flatMap { _ in piece })
            #expect(await bench.end.sentCount == 1)
            #expect(await bench.end.send([7]))
            #expect(bench.read() == [7])
        }
    }

    @Test("Paused, it leaves bytes where they are, also the end")
    func pausing() async throws {
        try await play { bench in
            await bench.end.pause(true)
            bench.write([1, 2])
            bench.shut(SHUT_WR)
            await bench.pass()
            #expect(await bench.end.bytes.isEmpty)
            await bench.end.pause(false)
            await bench.pass()
            #expect(await bench.end.bytes == [1, 2])
            #expect(await bench.end.ends == [.finished])
        }
    }

    @Test("An end that has said all can still read; one that is gone cannot")
    func ends() async throws {
        try await play { bench in
            bench.write([5])
            bench.shut(SHUT_WR)
            await bench.pass()
            #expect(await bench.end.bytes == [5])
            #expect(await bench.end.ends == [.finished])
            #expect(await bench.end.send([6]))
            #expect(bench.read() == [6])
            bench.shut(SHUT_RD)
            #expect(await bench.end.send([7]))  // taken, but there is nobody
            await bench.pass()
            #expect(await bench.end.ends == [.finished, .gone])
            #expect(await bench.end.isOpen == false)
            #expect(await bench.end.send([8]) == false)
        }
    }

    @Test("One that is gone is told once, with what it has sent before", arguments: [true, false])
    func gone(hasSent: Bool) async throws {
        try await play { bench in
            if hasSent { bench.write([1]) }
            bench.shut(SHUT_RDWR)
            await bench.pass()
            #expect(await bench.end.bytes == (hasSent ? [1] : []))
            #expect(await bench.end.ends == [.gone])
            #expect(await bench.end.isOpen == false)
        }
    }

    @Test("Closed or released, it lets the other end know, and tells nothing", arguments: [true, false])
    func closing(isReleased: Bool) async throws {
        try await play { bench in
            #expect(await bench.end.send([1]))
            if isReleased { await bench.end.release() } else { await bench.end.close() }
            #expect(bench.read() == [1])
            #expect(bench.read() == nil)
            await bench.pass()
            #expect(await bench.end.ends.isEmpty)
            #expect(await bench.end.send([1]) == false)
        }
    }

    @Test("Who waits for bytes to be sent is told when they never will be")
    func closedWhileWaiting() async throws {
        try await play(mostWaiting: 100_000) { bench in
            while await bench.end.send([UInt8](repeating: 1, count: 50_000)) {}
            await bench.end.countSent()
            await bench.end.close()
            #expect(await bench.end.sentCount == 1)
        }
    }

    @Test("A descriptor that is no socket is one whose other end is gone")
    func noSocket() async throws {
        try await play { bench in
            let device = open("/dev/random", O_RDONLY | O_CLOEXEC)
            try #require(device >= 0)
            let end = End(bench.clock.makeLoop())
            await end.open(Descriptor(device))
            await bench.pass()
            #expect(await end.ends == [.gone])
        }
    }
}
