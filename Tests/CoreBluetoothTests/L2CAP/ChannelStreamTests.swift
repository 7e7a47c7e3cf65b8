import BlueZ
import Fixtures
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite("The streams of an L2CAP channel", .timeLimit(.minutes(1)))
struct ChannelStreamTests {
    private func bench(sendMTU: Int = 64) throws -> ChannelBench { try #require(ChannelBench(sendMTU: sendMTU)) }

    @Test("D105: events in order: open, room, bytes as long as there are any, the end", arguments: Ground.Kind.allCases)
    func story(kind: Ground.Kind) async throws {
        let ground = await Ground(kind)
        let bench = try bench()
        #expect(bench.input.streamStatus == .notOpen && bench.output.streamStatus == .notOpen)
        bench.open(on: ground)
        #expect(bench.input.streamStatus == .open && bench.output.streamStatus == .open)
        #expect(Set(await bench.program.next(3)) == ["input open", "output open", "output space"])
        #expect(!bench.input.hasBytesAvailable && bench.output.hasSpaceAvailable)

        #expect(bench.sendFar([1, 2, 3]))
        #expect(await bench.program.next(1) == ["input bytes"])
        #expect(bench.input.hasBytesAvailable)
        #expect(bench.read(2) == [1, 2])
        #expect(await bench.program.next(1) == ["input bytes"])
        #expect(bench.read(2) == [3])
        #expect(!bench.input.hasBytesAvailable)
        #expect(bench.sendFar([4]) && bench.sendFar([5]))
        #expect(await bench.program.next(1) == ["input bytes"])
        #expect(bench.read() == [4])

        #expect(bench.output.write([7, 8], maxLength: 2) == 2)
        #expect(bench.receiveFar() == [7, 8])
        #expect(Set(await bench.program.next(2)) == ["output space", "input bytes"])
        #expect(bench.read() == [5])

        bench.endFar()
        #expect(Set(await bench.program.next(2)) == ["input end", "output end"])
        #expect(bench.input.streamStatus == .atEnd && bench.output.streamStatus == .atEnd)
        #expect(bench.input.streamError == nil && bench.output.streamError == nil)
        #expect(bench.read() == [])
        #expect(bench.output.write([1], maxLength: 1) == -1)
        bench.input.close()
        bench.output.close()
        #expect(bench.input.streamStatus == .closed && bench.output.streamStatus == .closed)
        if kind == .thread { for await _ in ground.ends {} }
    }

    @Test("A program that echoes in its calls gets every byte back", arguments: Ground.Kind.allCases)
    func echo(kind: Ground.Kind) async throws {
        let ground = await Ground(kind)
        let bench = try bench()
        bench.program.act = { [unowned bench] stream, event in
            guard event == .hasBytesAvailable, let bytes = bench.read(7) else { return }
            #expect(bench.output.write(bytes, maxLength: bytes.count) == bytes.count)
        }
        bench.open(on: ground)
        let all = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        for start in stride(from: 0, to: all.count, by: 50) { #expect(bench.sendFar(Array(all[start..<start + 50]))) }
        var echoed: [UInt8] = []
        while echoed.count < all.count {
            let packet = bench.receiveFar()
            try #require(!packet.isEmpty)
            echoed += packet
        }
        #expect(echoed == all)
        bench.release()
    }

    @Test("read() waits for bytes, and for the end")
    func waitingReader() async throws {
        let bench = try bench()
        bench.input.open()
        let (results, result) = AsyncStream.makeStream(of: [UInt8]?.self)
        Thread.detachNewThread {
            for _ in 0..<3 { result.yield(bench.read()) }
        }
        var iterator = results.makeAsyncIterator()
        #expect(bench.sendFar([1]))
        #expect(await iterator.next() == [1])
        #expect(bench.sendFar([2, 3]))
        #expect(await iterator.next() == [2, 3])
        bench.endFar()
        #expect(await iterator.next() == .some([]))
        #expect(bench.input.streamStatus == .atEnd)
    }

    @Test("close() from another thread ends a read and a write that wait")
    func closing() async throws {
        let bench = try bench()
        bench.input.open()
        bench.output.open()
        let (results, result) = AsyncStream.makeStream(of: Int.self)
        Thread.detachNewThread { result.yield(bench.read()?.count ?? -1) }
        Thread.detachNewThread {
            let bytes = [UInt8](repeating: 0, count: 1000)
            var count = 0
            while count >= 0 { count = bench.output.write(bytes, maxLength: bytes.count) }
            result.yield(count)
        }
        while bench.output.hasSpaceAvailable { await Task.yield() }
        bench.input.close()
        bench.output.close()
        var iterator = results.makeAsyncIterator()
        #expect(await iterator.next() == -1)
        #expect(await iterator.next() == -1)
        #expect(bench.input.streamStatus == .closed && bench.output.streamStatus == .closed)
        #expect(bench.input.streamError == nil && bench.output.streamError == nil)
    }

    @Test("A program that writes without asking for room loses nothing, however slowly it is read")
    func heedlessWriter() async throws {
        let bench = try bench(sendMTU: 500)
        bench.output.open()
        let total = 1_000_000
        Thread.detachNewThread {
            var position = 0
            while position < total {
                let bytes = (position..<min(position + 1777, total)).map { UInt8(truncatingIfNeeded: $0 % 251) }
                let count = bench.output.write(bytes, maxLength: bytes.count)
                if count <= 0 { break }
                position += count
            }
            bench.output.close()
            bench.input.close()
        }
        var received = 0
        while true {
            let packet = bench.receiveFar()
            if packet.isEmpty { break }
            #expect(packet.count <= 500)
            for (index, byte) in packet.enumerated() { try #require(byte == UInt8(truncatingIfNeeded: (received + index) % 251)) }
            received += packet.count
        }
        #expect(received == total)
    }

    @Test("A write for which there never is room fails with ETIMEDOUT", arguments: Ground.Kind.allCases)
    func noRoom(kind: Ground.Kind) async throws {
        let ground = await Ground(kind)
        let bench = try bench(sendMTU: 1000)
        let output = ChannelOutputStream(bench.socket, patience: .zero) {}
        output.delegate = bench.program
        ground.schedule(output)
        output.open()
        let bytes = [UInt8](repeating: 0, count: 1000)
        while output.hasSpaceAvailable { #expect(output.write(bytes, maxLength: 1000) > 0) }
        #expect(output.streamStatus == .open)
        #expect(output.write(bytes, maxLength: 1000) == -1)
        #expect(output.streamStatus == .error)
        let error = try #require(output.streamError as NSError?)
        #expect(error.domain == NSPOSIXErrorDomain && error.code == Int(ETIMEDOUT))
        #expect(error.localizedDescription == "The other device does not answer.")
        #expect(await bench.program.calls.first { $0.event == .errorOccurred } != nil)
        output.close()
    }

    @Test("D106: the socket is closed with the second stream, not with the first", arguments: [true, false])
    func bothClosed(isInputFirst: Bool) async throws {
        let bench = try bench()
        bench.input.open()
        bench.output.open()
        let streams = isInputFirst ? [bench.input, bench.output] : [bench.output, bench.input] as [Stream]
        streams[0].close()
        streams[0].close()
        #expect(bench.sendFar([1]))
        if isInputFirst {
            #expect(bench.output.write([5], maxLength: 1) == 1)
            #expect(bench.receiveFar() == [5])
        } else {
            #expect(bench.read() == [1])
        }
        streams[1].close()
        #expect(bench.receiveFar() == [])
        #expect(!bench.sendFar([1]))
    }

    @Test("D106: when the program lets the channel go, the socket is closed and the streams see the end")
    func released() async throws {
        let ground = await Ground(.thread)
        let bench = try bench()
        bench.open(on: ground)
        #expect(await bench.program.next(3).count == 3)
        bench.release()
        #expect(Set(await bench.program.next(2)) == ["input end", "output end"])
        #expect(bench.receiveFar() == [])
        #expect(bench.read() == [])
        #expect(bench.output.write([1], maxLength: 1) == -1)
        bench.input.close()
        bench.output.close()
        for await _ in ground.ends {}
    }

    @Test("Nothing is told in a run loop that the stream was taken from; it waits for the next")
    func moving() async throws {
        let (first, second) = (await Ground(.thread), await Ground(.thread))
        let bench = try bench()
        first.schedule(bench.input)
        bench.input.schedule(in: first.runLoop, forMode: .default)
        bench.input.open()
        #expect(await bench.program.next(1) == ["input open"])
        let place = Mutex<Thread?>(nil)
        bench.program.act = { _, _ in place.withLock { $0 = .current } }
        bench.input.remove(from: first.runLoop, forMode: .default)
        for await _ in first.ends {}
        #expect(bench.sendFar([1]))
        while !bench.input.hasBytesAvailable { await Task.yield() }
        second.schedule(bench.input)
        #expect(await bench.program.next(1) == ["input bytes"])
        let thread = Mutex<Thread?>(nil)
        await second.run { thread.withLock { $0 = .current } }
        #expect(place.withLock { $0 } === thread.withLock { $0 })
        bench.input.close()
        for await _ in second.ends {}
    }

    @Test("What has been read before it could be told is not told")
    func stale() async throws {
        let ground = await Ground(.thread)
        let bench = try bench()
        ground.schedule(bench.input)
        bench.input.open()
        #expect(await bench.program.next(1) == ["input open"])
        await ground.run {
            // The run loop is busy while bytes come, and reads them before it is told.
            #expect(bench.sendFar([1]))
            #expect(bench.read() == [1])
        }
        await bench.settle()
        await ground.run {}
        #expect(bench.sendFar([2]))
        #expect(await bench.program.next(1) == ["input bytes"])
        #expect(bench.read() == [2])
        bench.endFar()
        #expect(await bench.program.next(1) == ["input end"])
        bench.input.close()
    }

    @Test("Bytes that came before the streams were opened are told and read")
    func early() async throws {
        let ground = await Ground(.thread)
        let bench = try bench()
        #expect(bench.sendFar([1, 2]))
        bench.endFar()
        bench.open(on: ground)
        var calls: [String] = []
        while !calls.contains("input bytes") { calls += await bench.program.next(1) }
        #expect(calls.contains("input open"))
        #expect(bench.read() == [1, 2])
        while !calls.contains("input end") || !calls.contains("output end") { calls += await bench.program.next(1) }
        bench.release()
    }

    @Test("Misuse is answered, not obeyed")
    func misuse() async throws {
        let bench = try bench()
        #expect(bench.sendFar([1]))
        #expect(bench.read() == nil)
        #expect(bench.output.write([1], maxLength: 1) == -1)
        #expect(!bench.input.hasBytesAvailable && !bench.output.hasSpaceAvailable)
        bench.input.open()
        bench.input.open()
        bench.output.open()
        #expect(bench.read(0) == [])
        #expect(bench.output.write([1], maxLength: 0) == 0)
        #expect(bench.output.write([1], maxLength: -1) == 0)
        var pointer: UnsafeMutablePointer<UInt8>?
        var length = 0
        #expect(!bench.input.getBuffer(&pointer, length: &length))
        #expect(bench.input.property(forKey: .fileCurrentOffsetKey) == nil && bench.output.property(forKey: .fileCurrentOffsetKey) == nil)
        #expect(!bench.input.setProperty(nil, forKey: .networkServiceType) && !bench.output.setProperty(nil, forKey: .networkServiceType))
        #expect(bench.read() == [1])
        bench.input.delegate = nil
        #expect(bench.input.delegate == nil)
        bench.input.close()
        bench.input.open()
        bench.input.schedule(in: .main, forMode: .default)
        #expect(bench.input.streamStatus == .closed && bench.read() == nil)
    }

    @Test("Two hundred channels, used and let go, all close their sockets")
    func many() async throws {
        let benches = try (0..<200).map { _ in try bench() }
        for (number, bench) in benches.enumerated() {
            bench.input.open()
            bench.output.open()
            #expect(bench.output.write([UInt8(number)], maxLength: 1) == 1)
            #expect(bench.receiveFar() == [UInt8(number)])
        }
        for (number, bench) in benches.enumerated() {
            if number.isMultiple(of: 2) { bench.release() } else { bench.input.close() }
            bench.output.close()
        }
        for bench in benches { #expect(bench.receiveFar() == []) }
    }

    @Test("Ten megabytes each way at once, read slowly, arrive as they were")
    func bulk() async throws {
        let bench = try bench(sendMTU: 2000)
        bench.input.open()
        bench.output.open()
        let total = 10_000_000
        let (results, result) = AsyncStream.makeStream(of: Int.self)
        // At each end one thread writes while another one reads.
        Thread.detachNewThread { result.yield(Self.send(total, seed: 1) { bench.write($0) }) }
        Thread.detachNewThread { result.yield(Self.send(total, seed: 2) { bench.sendFarWaiting($0) }) }
        Thread.detachNewThread { result.yield(Self.receive(total, seed: 1) { bench.receiveFar() }) }
        Thread.detachNewThread { result.yield(Self.receive(total, seed: 2) { bench.read(1500) ?? [] }) }
        var iterator = results.makeAsyncIterator()
        for _ in 0..<4 { #expect(await iterator.next() == total) }
        bench.release()
    }

    /// Returns how many bytes were taken.
    private static func send(_ total: Int, seed: UInt64, _ write: ([UInt8]) -> Int) -> Int {
        var sequence = ByteSequence(seed: seed)
        var random = Random(seed: seed)
        var sent = 0
        while sent < total {
            var bytes = sequence.next(min(Int.random(in: 1...5000, using: &random), total - sent))[...]
            while !bytes.isEmpty {
                let count = write(Array(bytes))
                guard count > 0 else { return sent }
                bytes.removeFirst(count)
                sent += count
            }
        }
        return sent
    }

    /// Returns how many bytes came as they should.
    private static func receive(_ total: Int, seed: UInt64, _ read: () -> [UInt8]) -> Int {
        var sequence = ByteSequence(seed: seed)
        var received = 0
        while received < total {
            let bytes = read()
            guard !bytes.isEmpty, bytes == sequence.next(bytes.count) else { return received }
            received += bytes.count
        }
        return received
    }
}
