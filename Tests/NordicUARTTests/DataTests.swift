import EventLoops
import GATT
import Testing
import UART
import UARTDoubles

@testable import NordicUART

@Suite("Bytes and text of NRFManager", .timeLimit(.minutes(1)))
struct DataTests {
    @Test("C10, C28: each packet is one call, closure first; what is no text is nil, as is a character in two halves")
    func received() async throws {
        try await Stage.play { stage in
            await stage.begin()
            let bytes = Array("é".utf8)
            for value in [Array("grün→日本".utf8), [0xFF, 0x00], [bytes[0]], [bytes[1]]] { await stage.tell(.value(value, from: UARTGATT.toClient)) }
            let expected = ["14 grün→日本", "2 nil", "1 nil", "1 nil"]
            #expect(await stage.heard() == expected.flatMap { ["C data \($0), connected uart", "D data \($0), connected uart"] })
        }
    }

    @Test("A26: what was received before the end of a connection is told before it")
    func order() async throws {
        try await Stage.play { stage in
            await stage.begin()
            await stage.central.tell(.value([65], from: UARTGATT.toClient))
            await stage.central.tell(.closed(LinkError(.timeout)))
            let heard = await stage.heard()
            #expect(heard.map { $0.prefix(6) } == ["C data", "D data", "C disc", "D disc"])
            #expect(heard[1].hasSuffix("connected uart"))
        }
    }

    @Test("C14: without a connection nothing is accepted")
    func idle() async throws {
        try await Stage.play { stage in
            #expect(!stage.manager.writeString("x") && !stage.manager.writeData(Data([1])) && !stage.manager.writeData(Data()))
            await stage.begin()
            #expect(stage.manager.writeString("x") && stage.manager.writeData(Data([1])))
        }
    }

    @Test("C29: all bytes of a text are sent")
    func text() async throws {
        try await Stage.play { stage in
            await stage.begin()
            #expect(stage.manager.writeString("é★日本"))
            await stage.settle()
            #expect(await stage.central.pieces == [Array("é★日本".utf8)])
        }
    }

    @Test(
        "C30, bug case D12: in order, in pieces that fit, none between those of another call; no data are no packet",
        arguments: [(23, 20), (185, 182)]
    )
    func pieces(mtu: Int, longest: Int) async throws {
        try await Stage.play { stage in
            await stage.begin(mtu: mtu)
            let first = Data((0..<450).map { UInt8($0 & 0xFF) })
            #expect(stage.manager.writeData(first) && stage.manager.writeData(Data()) && stage.manager.writeString("end"))
            await stage.central.waitForPieces { $0.joined().count == 453 }
            let pieces = await stage.central.pieces
            #expect(pieces.allSatisfy { $0.count <= longest && !$0.isEmpty })
            #expect(pieces.last == Array("end".utf8) && Data(pieces.dropLast().joined()) == first)
        }
    }

    @Test("What waits to be sent is bounded: beyond that nothing is accepted, until it has been sent")
    func bounded() async throws {
        try await Stage.play { stage in
            await stage.begin(mtu: 517)
            await stage.central.wait()
            #expect(stage.manager.writeData(Data(count: 1 << 20)))
            #expect(!stage.manager.writeData(Data([1])))
            await stage.tell(.closed(LinkError(.timeout)))
            await stage.begin()
            #expect((0..<1024).allSatisfy { _ in stage.manager.writeData(Data([1])) })
            #expect(!stage.manager.writeData(Data([1])))
            #expect(stage.program.remarks.lines.contains { $0.contains("of 1048576 bytes") }, "what was lost is told")
        }
    }

    @Test("A greeting from inside the event of the connection is sent, and sending from inside an event of data works")
    func fromCallback() async throws {
        try await Stage.play { stage in
            stage.program.onConnect.withLock { $0 = { _ = $0.writeString("hello") } }
            stage.manager.dataCallback = { [manager = stage.manager!] _, string in _ = manager.writeString(string ?? "") }
            await stage.connect()
            await stage.tell(.value([65], from: UARTGATT.toClient))
            #expect(await stage.central.pieces == [Array("hello".utf8), [65]])
        }
    }
}
