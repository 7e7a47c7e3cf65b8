import EventLoops
import FlicSimulator
import GATT
import Glibc
import Testing
import UART
import UARTDoubles

@testable import nus

@Suite("nus pty", .timeLimit(.minutes(1)))
struct PtyTests {
    /// A program that opens the terminal like a serial port.
    private struct Program {
        let descriptor: Descriptor
        let reader: ByteReader

        init(_ path: String) {
            descriptor = Descriptor(open(path, O_RDWR | O_NOCTTY))
            reader = ByteReader(descriptor)
        }

        /// Writes all, on a thread of its own, as it may have to wait.
        func write(_ bytes: [UInt8]) { #expect(ByteWriter(descriptor).offer(bytes)) }

        func read(_ count: Int) async -> [UInt8] {
            var received: [UInt8] = []
            while received.count < count, let bytes = await reader.next() { received += bytes }
            return received
        }
    }

    /// A server, and `nus pty` connected to it.
    private func play(_ body: @escaping @Sendable (Stage, Run, UARTServer, UARTConnection) async throws -> Void) async throws {
        try await Stage.playInRealTime(mtu: 517) { stage in
            let server = UARTServer(peripheral: stage.air, name: "Weather")
            await server.start()
            let run = stage.start("pty", "Weather")
            for await notice in server.notices {
                guard case .connected(let connection) = notice else { continue }
                await run.remarks.wait { $0.contains { $0.hasPrefix("Connected to Weather") } }
                try await body(stage, run, server, connection)
                break
            }
            #expect(await run.end() == .interrupted)
        }
    }

    @Test("Bytes pass as they are, all of them, both ways")
    func bytes() async throws {
        try await play { stage, run, _, connection in
            let program = Program(run.results.lines[0])
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
            program.write(bytes)
            var received: [UInt8] = []
            for await piece in connection.bytes {
                received += piece
                if received.count >= bytes.count { break }
            }
            #expect(received == bytes)
            let writer = Task(executorPreference: stage.loop) { try await connection.write(bytes) }
            let came = await program.read(bytes.count)
            #expect(came.count == bytes.count)
            #expect(came.elementsEqual(bytes.prefix(came.count)))
            try await writer.value
        }
    }

    @Test("What comes while no program is there waits for one, up to 1 MiB; what is lost then is told")
    func nobody() async throws {
        try await play { stage, run, _, connection in
            let bytes = [UInt8](repeating: 7, count: 1000) + [8]
            try await connection.write(bytes)
            do {
                let program = Program(run.results.lines[0])
                #expect(await program.read(bytes.count) == bytes)
            }
            try await connection.write([UInt8](repeating: 9, count: (1 << 20) + 100_000))
            await run.remarks.wait { $0.contains { $0.hasSuffix("is not read: bytes are being lost.") } }
            let program = Program(run.results.lines[0])
            let kept = await program.read(1 << 19)
            #expect(kept.allSatisfy { $0 == 9 })
            _ = await program.read((1 << 20) - kept.count - 10_000)
            try await connection.write([10])
            await run.remarks.wait { $0.contains { $0.contains("reads again:") } }
        }
    }

    @Test("What was being sent when the link was lost is told, in bytes, and not sent over the next link")
    func notSent() async throws {
        try await Stage.playInRealTime(mtu: 23) { stage in
            let central = ScriptedCentral(loop: stage.loop)
            let device = BluetoothAddress(value: 1)
            let run = stage.start("pty", "--json", central: central)
            await run.results.wait { !$0.isEmpty }
            await central.wait()
            await central.tell(.state(.poweredOn))
            await run.results.wait { $0.contains { $0.contains("searching") } }
            await central.hear(device, "A")
            await central.connect(mtu: 23)
            let path = try #require(run.results.lines[0].split(separator: "\"").last { $0.hasPrefix("/dev/") })
            let program = Program(String(path))
            program.write(Array("0123456789012345678901234567890123456789".utf8))
            await central.waitForPieces { $0.count == 1 }
            await central.take()
            await central.tell(.closed(LinkError(.timeout)))
            await run.results.wait { $0.contains { $0.contains("disconnected") } }
            let told = try #require(run.results.lines.first { $0.contains("notSent") })
            #expect(told.contains(#""lost":20,"#) && told.contains("20 of 40 bytes"))
            #expect(await central.pieces.count == 2)
            #expect(await run.end() == .interrupted)
        }
    }

    @Test("A drop is told; what is written meanwhile waits for the next connection")
    func drop() async throws {
        try await play { stage, run, server, _ in
            await stage.air.drop()
            await run.remarks.wait { $0.contains { $0.hasPrefix("The connection has ended: timeout") } }
            let program = Program(run.results.lines[0])
            program.write(Array("later".utf8))
            for await notice in server.notices {
                guard case .connected(let connection) = notice else { continue }
                var received: [UInt8] = []
                for await piece in connection.bytes {
                    received += piece
                    if received.count >= 5 { break }
                }
                #expect(received == Array("later".utf8))
                break
            }
        }
    }
}
