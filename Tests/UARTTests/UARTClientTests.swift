import EventLoops
import FlicSimulator
import GATT
import Testing
import UARTDoubles

@testable import UART

@Suite("The client of the Nordic UART Service", .timeLimit(.minutes(1)))
struct UARTClientTests {
    @Test("Found by its service, and by its name where one is given; others are let be (C20, C23, C27)")
    func finding() async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: .named("A"))
            #expect(await stage.central.takeJournal() == ["listen for uart"])
            await stage.central.hear(Stage.other, "B")
            await stage.central.hear(Stage.other, nil)
            await stage.central.hear(Stage.other, "A", services: [BluetoothUUID(assigned: 0x180F)])
            #expect(await stage.central.takeJournal() == [])
            await stage.central.hear(Stage.device, "A")
            #expect(await stage.central.takeJournal() == ["stop", "open \(Stage.device)"])
        }
    }

    @Test("Service and name may be known from an earlier link rather than from what is heard now")
    func remembered() async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: .named("A"))
            await stage.central.remember(Stage.device, "A")
            await stage.central.hear(Stage.device, nil, services: [])
            #expect(await stage.central.takeJournal().last == "open \(Stage.device)")
        }
    }

    @Test(
        "A device whose advertisement hides what it names is looked at: if it is the one that is meant, or likely to be one",
        arguments: [HiddenServices.likely, .possible, .none],
        ["A", "B", ""]
    )
    func hidden(hidden: HiddenServices, name: String) async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: UARTChoice(name: name))
            await stage.central.hear(Stage.device, "A", services: [], hidden: hidden)
            let isLookedAt = name == "A" && hidden != .none || name == "" && hidden == .likely
            #expect(await stage.central.takeJournal().contains("open \(Stage.device)") == isLookedAt)
        }
    }

    @Test("A stranger is looked at once, and again after a while, longer each time; the search goes on at once")
    func stranger() async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: .named("A"))
            for minutes in [1, 2, 4, 8, 16] {
                await stage.central.hear(Stage.device, "A", services: [], hidden: .possible)
                #expect(await stage.central.takeJournal().last == "open \(Stage.device)")
                await stage.central.tell(.closed(LinkError(.serviceNotFound)))
                #expect(await stage.central.takeJournal() == ["listen for uart"])
                await stage.loop.pause(for: .seconds(60 * minutes) - .seconds(1))
                await stage.central.hear(Stage.device, "A", services: [], hidden: .possible)
                #expect(await stage.central.takeJournal() == [])
                await stage.loop.pause(for: .seconds(1))
            }
        }
    }

    @Test("A stranger that has the service after all is looked at without delay the next time; one that says so, at once")
    func befriended() async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: .named("A"))
            await stage.central.hear(Stage.device, "A", services: [], hidden: .possible)
            await stage.central.tell(.closed(LinkError(.serviceNotFound)))
            await stage.central.hear(Stage.device, "A")
            await stage.central.connect()
            await stage.central.tell(.closed(LinkError(.timeout)))
            await stage.central.hear(Stage.device, "A", services: [], hidden: .possible)
            #expect(await stage.central.takeJournal().last == "open \(Stage.device)")
        }
    }

    @Test("A look that fails for another reason is a failed attempt like any other")
    func failedLook() async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: .named("A"))
            await stage.central.hear(Stage.device, "A", services: [], hidden: .possible)
            await stage.central.tell(.closed(LinkError(.timeout)))
            await stage.loop.pause(for: .seconds(1))
            await stage.central.hear(Stage.device, "A", services: [], hidden: .possible)
            #expect(await stage.central.takeJournal().suffix(3) == ["listen for uart", "stop", "open \(Stage.device)"])
        }
    }

    @Test("C22: a device that others are connected to is used with them, if it is the one that is meant", arguments: ["A", "B", ""])
    func linkedByOthers(name: String) async throws {
        try await Stage.play { stage in
            await stage.central.remember(Stage.device, "A")
            await stage.central.setLinkedByOthers(Stage.device)
            await stage.central.setLinkedByOthers(Stage.other)
            await stage.client.connect(to: UARTChoice(name: name))
            #expect(await stage.central.takeJournal().contains("open \(Stage.device)") == (name != "B"))
        }
    }

    @Test(
        "Bug case D12: 450 bytes arrive in order, in pieces that fit; nothing of another writer is between them",
        arguments: [(23, 20), (185, 182), (247, 244)]
    )
    func writing(mtu: Int, longest: Int) async throws {
        try await Stage.play { stage in
            let connection = await stage.connection(mtu: mtu)
            await withTaskGroup(of: Void.self) { group in
                for number in 1...4 as ClosedRange<UInt8> {
                    group.addTask { try? await connection.write([UInt8](repeating: number, count: 450)) }
                }
            }
            let pieces = await stage.central.pieces
            #expect(pieces.allSatisfy { $0.count <= longest && Set($0).count == 1 })
            let writers = pieces.map { $0[0] }
            #expect(
                writers.enumerated().allSatisfy {
                    $0.offset == 0 || $0.element == writers[$0.offset - 1] || !writers[..<$0.offset].contains($0.element)
                }
            )
            #expect(pieces.joined().count == 1800)
        }
    }

    @Test("Bug case D12: the link drops after 100 bytes, and the writer is told so; a writer behind it has sent nothing")
    func dropped() async throws {
        try await Stage.play { stage in
            let connection = await stage.connection()
            await stage.central.wait()
            let first = stage.write(pattern(450), connection)
            await stage.settle()
            let second = stage.write([1], connection)
            await stage.settle()
            for _ in 0..<5 { await stage.central.take() }
            #expect(await stage.central.pieces.count == 6)
            await stage.central.tell(.closed(LinkError(.timeout, detail: "gone")))
            let error = await first.value
            #expect(error?.handedOver == 100 && error?.byteCount == 450)
            #expect(error?.description.contains("100 of 450") == true)
            #expect(await second.value?.handedOver == 0)
            let late = await stage.write([1, 2], connection).value
            #expect(late == UARTError(.closed, handedOver: 0, byteCount: 2, detail: "timeout: gone"))
        }
    }

    @Test("A write waits until the transport has taken all of it; no bytes are sent at once and need no packet")
    func backPressure() async throws {
        try await Stage.play { stage in
            let connection = await stage.connection()
            await stage.central.wait()
            let done = Transcript()
            let task = Task(executorPreference: stage.loop) {
                try await connection.write(pattern(50))
                done.note("done")
            }
            for count in 1...3 {
                await stage.settle()
                #expect(await stage.central.waitingPieces == 1)
                #expect(await stage.central.pieces.count == count)
                #expect(done.lines.isEmpty)
                await stage.central.take()
            }
            try await task.value
            #expect(await Array(stage.central.pieces.joined()) == pattern(50))
            try await connection.write([])
            #expect(await stage.central.pieces.count == 3)
        }
    }

    @Test("A write that is cancelled sends no more and tells how much was taken; the next one goes on")
    func cancelled() async throws {
        try await Stage.play { stage in
            let connection = await stage.connection()
            await stage.central.wait()
            let task = stage.write(pattern(100), connection)
            await stage.settle()
            await stage.central.take()
            task.cancel()
            #expect(await task.value == UARTError(.cancelled, handedOver: 20, byteCount: 100))
            let next = stage.write([7], connection)
            await stage.settle()
            await stage.central.take()
            await stage.settle()
            await stage.central.take()
            #expect(await next.value == nil)
            #expect(await stage.central.pieces.map(\.count) == [20, 20, 1])
        }
    }

    @Test("A write of a task that was cancelled before ends at once")
    func cancelledBefore() async throws {
        try await Stage.play { stage in
            let connection = await stage.connection()
            await stage.central.wait()
            let task = Task(executorPreference: stage.loop) {
                withUnsafeCurrentTask { $0?.cancel() }
                return await #expect(throws: UARTError.self) { try await connection.write(pattern(100)) }
            }
            #expect(await task.value?.code == .cancelled)
            #expect(await stage.central.waitingPieces <= 1)
        }
    }

    @Test("The end of a client returns, whenever its link ends by itself", arguments: 0...4)
    func end(turns: Int) async throws {
        try await Stage.play { stage in
            _ = await stage.connection()
            let link = Task(executorPreference: stage.loop) {
                for _ in 0..<turns { await Task.yield() }
                await stage.central.tell(.closed(nil))
            }
            await stage.client.end()
            await link.value
            await stage.client.end()
            #expect(await stage.central.takeJournal().last != "listen for uart")
        }
    }

    @Test("A piece that is refused fails its writer only")
    func refused() async throws {
        try await Stage.play { stage in
            let connection = await stage.connection()
            await stage.central.wait()
            let first = stage.write(pattern(30), connection)
            await stage.settle()
            let second = stage.write([7], connection)
            await stage.settle()
            await stage.central.refuse(LinkError(.failed, detail: "no"))
            #expect(await first.value == UARTError(.refused, handedOver: 0, byteCount: 30, detail: "failed: no"))
            await stage.settle()
            await stage.central.take()
            #expect(await second.value == nil)
        }
    }

    @Test("Lines are whole over packets, and halves of two links are never joined")
    func lines() async throws {
        try await Stage.play { stage in
            var connection = await stage.connection()
            let bytes = Array("grün→日本\r\nhal".utf8)
            for byte in bytes { await stage.central.tell(.value([byte], from: UARTGATT.toClient)) }
            await stage.central.tell(.value([1, 2], from: UARTGATT.toServer))
            await stage.central.tell(.closed(LinkError(.timeout)))
            var lines: [String] = []
            for await line in connection.lines() { lines.append(line) }
            #expect(lines == ["grün→日本", "hal"])
            #expect(await connection.problem?.code == .timeout)
            connection = await stage.reconnect()
            await stage.central.tell(.value(Array("bes\n".utf8), from: UARTGATT.toClient))
            await stage.central.tell(.closed(nil))
            lines = []
            for await line in connection.lines() { lines.append(line) }
            #expect(lines == ["bes"])
            #expect(await connection.problem == nil)
        }
    }

    @Test("A reader that is too far behind loses the connection, not bytes without notice")
    func overrun() async throws {
        try await Stage.play { stage in
            let connection = await stage.connection()
            for number in 0...UARTConnection.mostUnread {
                await stage.central.tell(.value(Array("\(number)".utf8), from: UARTGATT.toClient))
            }
            #expect(await stage.central.takeJournal().last == "close")
            #expect(await connection.problem?.detail.contains("not read") == true)
            await stage.central.tell(.closed(nil))
            var count = 0
            for await bytes in connection.bytes {
                #expect(String(decoding: bytes, as: UTF8.self) == "\(count)")
                count += 1
            }
            #expect(count == UARTConnection.mostUnread)
            #expect(await connection.problem != nil)
            #expect(await stage.central.takeJournal() == ["listen for uart"])
        }
    }

    @Test("A failed attempt is told, and tried again after a while (C32)")
    func failure() async throws {
        try await Stage.play { stage in
            await stage.client.connect(to: .any)
            await stage.central.hear(Stage.device, "A")
            await stage.central.tell(.closed(LinkError(.serviceNotFound, detail: "no")))
            #expect(await stage.central.takeJournal() == ["listen for uart", "stop", "open \(Stage.device)"])
            await stage.loop.pause(for: .milliseconds(999))
            #expect(await stage.central.takeJournal() == [])
            await stage.loop.pause(for: .milliseconds(2))
            #expect(await stage.central.takeJournal() == ["listen for uart"])
            var notices: [String] = []
            await stage.client.disconnect()
            for await notice in stage.client.notices {
                switch notice {
                case .bluetooth(let state): notices.append("\(state)")
                case .failed(let address, let error): notices.append("failed \(address) \(error.code)")
                case .searching: notices.append("searching")
                case .idle: notices.append("idle")
                case .connected: notices.append("connected")
                }
                if notices.last == "idle" { break }
            }
            #expect(notices == ["poweredOn", "searching", "failed \(Stage.device) serviceNotFound", "idle"])
        }
    }

    @Test("A client that is let go lets go of its link, and ends its connection")
    func released() async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(3600)) {
            let central = ScriptedCentral(loop: loop)
            var client: UARTClient? = UARTClient(central: central)
            await client?.connect(to: .any)
            await central.tell(.state(.poweredOn))
            await central.hear(Stage.device, "A")
            await central.connect()
            var connection: UARTConnection?
            if let notices = client?.notices {
                for await notice in notices {
                    guard case .connected(let new) = notice else { continue }
                    connection = new
                    break
                }
            }
            client = nil
            var count = 0
            for await _ in try #require(connection).bytes { count += 1 }
            #expect(count == 0)
            #expect(await central.takeJournal().suffix(2) == ["stop", "close"])
        }
    }
}
