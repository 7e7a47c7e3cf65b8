import EventLoops
import FlicSimulator
import GATT
import Testing
import UARTDoubles

@testable import UART

@Suite("The server of the Nordic UART Service", .timeLimit(.minutes(1)))
struct UARTServerTests {
    private static let phone = RemoteCentral(address: BluetoothAddress("C0:00:00:00:00:01", kind: .random)!, mtu: 185)
    private static let tablet = RemoteCentral(address: BluetoothAddress("C0:00:00:00:00:02", kind: .random)!, mtu: 23)

    private struct Scene: Sendable {
        let loop: VirtualLoop
        let transport: ScriptedServer
        let server: UARTServer

        /// The client's connection.
        func connection() async -> UARTConnection {
            await transport.subscribe(phone)
            return await next()
        }

        func next() async -> UARTConnection {
            for await notice in server.notices { if case .connected(let connection) = notice { return connection } }
            fatalError("the notices have ended")
        }

        func settle() async { await loop.pause(for: .zero) }
    }

    /// The service is on the air.
    private func play(_ body: @escaping @Sendable (Scene) async throws -> Void) async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(3600)) {
            let transport = ScriptedServer(loop: loop)
            let scene = Scene(loop: loop, transport: transport, server: UARTServer(peripheral: transport, name: "Weather"))
            await scene.server.start()
            await transport.tell(.state(.poweredOn))
            await scene.settle()
            try await body(scene)
        }
    }

    @Test("C.2: what is published and advertised")
    func content() async throws {
        try await play { scene in
            let service = try #require(await scene.transport.services.first)
            #expect(service.uuid == BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E") && service.isPrimary)
            #expect(
                service.characteristics.map(\.uuid) == [
                    BluetoothUUID("6E400002-B5A3-F393-E0A9-E50E24DCCA9E"), BluetoothUUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E"),
                ]
            )
            #expect(service.characteristics.map(\.flags) == [[.write, .writeWithoutResponse], [.notify]])
            let advertisement = await scene.transport.advertisement
            #expect(advertisement?.services == [service.uuid] && advertisement?.name == "Weather" && advertisement?.isConnectable == true)
        }
    }

    @Test("A client counts from its subscription to the end of that; meanwhile nothing is advertised")
    func client() async throws {
        try await play { scene in
            _ = await scene.transport.takeJournal()
            for way in 0..<3 {
                let connection = await scene.connection()
                #expect(await scene.transport.takeJournal() == ["stop"])
                #expect(connection.address == Self.phone.address && connection.mtu == 185 && connection.name == nil)
                switch way {
                case 0: await scene.transport.unsubscribeAll()
                case 1: await scene.transport.tell(.disconnected(Self.phone.address))
                default: await scene.transport.tell(.state(.poweredOff))
                }
                for await _ in connection.bytes {}
                let problem = await connection.problem
                #expect(problem?.code == [.closedByPeer, .timeout, .notPoweredOn][way])
                if way == 2 { await scene.transport.tell(.state(.poweredOn)) }
                #expect(await scene.transport.takeJournal() == ["advertise"])
            }
        }
    }

    @Test("One client at a time: another is sent away, and its bytes are refused")
    func others() async throws {
        try await play { scene in
            let connection = await scene.connection()
            _ = await scene.transport.takeJournal()
            await scene.transport.subscribe(Self.tablet)
            #expect(await scene.transport.takeJournal() == ["disconnect \(Self.tablet.address)"])
            #expect(await scene.transport.write([1], by: Self.tablet) == .failure(.improperlyConfigured))
            await scene.transport.tell(.disconnected(Self.tablet.address))
            #expect(await scene.transport.write([2], by: Self.phone) == .success([]))
            #expect(await scene.transport.write([3], offset: 1, by: Self.phone) == .failure(.invalidOffset))
            await scene.transport.unsubscribeAll()
            var received: [[UInt8]] = []
            for await bytes in connection.bytes { received.append(bytes) }
            #expect(received == [[2]])
            #expect(await scene.transport.write([4], by: Self.phone) == .failure(.improperlyConfigured))
        }
    }

    @Test("A client that subscribes again has another connection: what came before is not joined with what comes now (D82)")
    func again() async throws {
        try await play { scene in
            let first = await scene.connection()
            _ = await scene.transport.write(Array("hal".utf8), by: Self.phone)
            let second = await scene.connection()
            _ = await scene.transport.write(Array("bes\n".utf8), by: Self.phone)
            await scene.transport.unsubscribeAll()
            var lines: [String] = []
            for await line in first.lines() { lines.append(line) }
            for await line in second.lines() { lines.append(line) }
            #expect(lines == ["hal", "bes"])
        }
    }

    @Test("D94: no more than 16 notifications are under way; a write returns when all of its own are taken")
    func backPressure() async throws {
        try await play { scene in
            let connection = await scene.connection()
            await scene.transport.wait()
            let done = Transcript()
            let bytes = pattern(182 * 40)
            let task = Task(executorPreference: scene.loop) {
                try await connection.write(bytes)
                done.note("done")
            }
            await scene.settle()
            #expect(await scene.transport.updates.count == 16)
            #expect(await scene.transport.waitingFlushes == 1)
            var answers = 0
            while await scene.transport.waitingFlushes > 0 {
                #expect(done.lines.isEmpty)
                let before = await scene.transport.updates.count
                await scene.transport.answerFlush()
                await scene.settle()
                #expect(await scene.transport.updates.count - before <= 16)
                answers += 1
            }
            try await task.value
            #expect(answers >= 3)
            #expect(await Array(scene.transport.updates.joined()) == bytes)
            #expect(await scene.transport.updates.allSatisfy { $0.count == 182 })
        }
    }

    @Test("Bug case D12: the link ends while notifications wait; what follows for the next client is its own")
    func dropped() async throws {
        try await play { scene in
            let connection = await scene.connection()
            await scene.transport.wait()
            let task = Task(executorPreference: scene.loop) { () -> UARTError? in
                do throws(UARTError) { try await connection.write(pattern(182 * 20)) } catch { return error }
                return nil
            }
            await scene.settle()
            await scene.transport.answerFlush()
            await scene.settle()
            await scene.transport.tell(.disconnected(Self.phone.address))
            #expect(await task.value?.handedOver == 182)
            let next = await scene.connection()
            let done = Transcript()
            let writing = Task(executorPreference: scene.loop) {
                try await next.write([1])
                done.note("done")
            }
            await scene.settle()
            await scene.transport.answerFlush()
            await scene.settle()
            #expect(done.lines.isEmpty, "that was the answer for the other one")
            while await scene.transport.waitingFlushes > 0 {
                await scene.transport.answerFlush()
                await scene.settle()
            }
            try await writing.value
        }
    }

    @Test("What was sent to a client that is gone confirms nothing for the next one")
    func confirmations() async throws {
        try await play { scene in
            let former = await scene.connection()
            await scene.transport.wait()
            let writing = Task(executorPreference: scene.loop) { try? await former.write(pattern(182 * 20)) }
            await scene.settle()
            await scene.transport.tell(.disconnected(Self.phone.address))
            await writing.value
            let connection = await scene.connection()
            let done = Transcript()
            for number in 1...2 as ClosedRange<UInt8> {
                Task(executorPreference: scene.loop) {
                    try await connection.write([number])
                    done.note("\(number)")
                }
                await scene.settle()
                await scene.transport.answerFlush()
                await scene.settle()
            }
            #expect(!done.lines.contains("2"), "nobody has asked since it was sent")
            while await scene.transport.waitingFlushes > 0 {
                await scene.transport.answerFlush()
                await scene.settle()
            }
            #expect(done.lines == ["1", "2"])
        }
    }

    @Test("What fails is told, and tried again after ten seconds")
    func failures() async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(3600)) {
            let transport = ScriptedServer(loop: loop)
            let server = UARTServer(peripheral: transport, name: "")
            await transport.refuse(PeripheralError(.denied))
            await server.start()
            await transport.tell(.state(.poweredOn))
            await loop.pause(for: .seconds(9))
            #expect(await transport.takeJournal() == ["publish"])
            await loop.pause(for: .milliseconds(1500))
            #expect(await transport.takeJournal() == ["publish", "advertise"])
            // The next time it is the advertisement.
            await transport.tell(.state(.poweredOff))
            await transport.refuse(PeripheralError(.limitReached))
            await transport.subscribe(Self.phone)
            await transport.unsubscribeAll()
            await loop.pause(for: .seconds(9))
            #expect(await transport.takeJournal() == ["stop"])
            await transport.tell(.state(.poweredOn))
            await loop.pause(for: .seconds(9))
            #expect(await transport.takeJournal() == ["advertise"])
            await loop.pause(for: .seconds(2))
            #expect(await transport.takeJournal() == ["advertise"])
            #expect(await transport.advertisement?.name == nil)
            await server.stop()
            #expect(await transport.takeJournal() == ["stop", "unpublish"])
        }
    }

    @Test("Off: the client is sent away, and nothing is taken any more")
    func stop() async throws {
        try await play { scene in
            let connection = await scene.connection()
            _ = await scene.transport.takeJournal()
            await scene.server.stop()
            for await _ in connection.bytes {}
            #expect(await connection.problem == nil)
            #expect(await scene.transport.takeJournal() == ["disconnect \(Self.phone.address)", "unpublish"])
            #expect(await scene.transport.write([1], by: Self.phone) == .failure(.writeNotPermitted))
        }
    }

    @Test("Who ends waits until the client has no link any more, or Bluetooth is gone, for ten seconds at most", arguments: 0..<4)
    func end(way: Int) async throws {
        try await play { scene in
            if way < 3 { _ = await scene.connection() }
            let begin = scene.loop.now
            let ending = Task(executorPreference: scene.loop) {
                await scene.server.end()
                return scene.loop.now - begin
            }
            await scene.loop.pause(for: .seconds(2))
            await scene.transport.tell(.disconnected(Self.tablet.address))
            await scene.loop.pause(for: .seconds(1))
            switch way {
            case 0: await scene.transport.tell(.disconnected(Self.phone.address))
            case 1: await scene.transport.tell(.state(.resetting))
            default: break
            }
            #expect(await ending.value == [.seconds(3), .seconds(3), .seconds(10), .zero][way])
        }
    }

    @Test("Who ends what has been stopped waits as well; a server that has begun again is on the air")
    func endAfterStop() async throws {
        try await play { scene in
            for _ in 0..<2 {
                _ = await scene.connection()
                await scene.server.stop()
                let begin = scene.loop.now
                let ending = Task(executorPreference: scene.loop) { await scene.server.end() }
                await scene.loop.pause(for: .seconds(7))
                await scene.transport.tell(.disconnected(Self.phone.address))
                await ending.value
                #expect(scene.loop.now - begin == .seconds(7), "each has its own time")
                _ = await scene.transport.takeJournal()
                await scene.server.start()
                await scene.transport.tell(.state(.poweredOn))
                await scene.settle()
                #expect(await scene.transport.takeJournal() == ["publish", "advertise"])
            }
        }
    }
}
