import EventLoops
import FlicSimulator
import GATT
import Testing
import UARTDoubles

@testable import UART

@Suite("Client and server", .timeLimit(.minutes(2)))
struct EndToEndTests {
    /// Sends in writes of random sizes, and reads so many bytes. Returns what was read.
    private static func exchange(
        _ bytes: [UInt8],
        over connection: UARTConnection,
        on loop: VirtualLoop,
        expecting count: Int
    ) async throws -> [UInt8] {
        let writer = Task(executorPreference: loop) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let next = rest.prefix(.random(in: 1...3000))
                try await connection.write(Array(next))
                rest = rest.dropFirst(next.count)
            }
        }
        var received: [UInt8] = []
        for await piece in connection.bytes {
            received += piece
            if received.count >= count { break }
        }
        try await writer.value
        return received
    }

    @Test("Both ways at the same time, with writes of all sizes, intact", arguments: [23, 247, 517])
    func bothWays(mtu: Int) async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(24 * 3600)) {
            let air = UARTAir(loop: loop, mtu: mtu)
            let (client, server) = (UARTClient(central: air), UARTServer(peripheral: air, name: "A"))
            await server.start()
            await client.connect(to: .named("A"))
            let (up, down) = (pattern(mtu * 300), Array(pattern(mtu * 200).reversed()))
            let far = Task(executorPreference: loop) { () -> [UInt8] in
                for await notice in server.notices {
                    guard case .connected(let connection) = notice else { continue }
                    return try await Self.exchange(down, over: connection, on: loop, expecting: up.count)
                }
                return []
            }
            var received: [UInt8] = []
            for await notice in client.notices {
                guard case .connected(let connection) = notice else { continue }
                received = try await Self.exchange(up, over: connection, on: loop, expecting: down.count)
                break
            }
            #expect(received == down)
            #expect(try await far.value == up)
        }
    }

    @Test("Links that drop at any time: each connection has a beginning of what was sent over it, and no byte of another")
    func drops() async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(24 * 3600)) {
            let air = UARTAir(loop: loop, mtu: 60)
            let (client, server) = (UARTClient(central: air), UARTServer(peripheral: air, name: "A"))
            await server.start()
            await client.connect(to: .named("A"))
            let far = Task(executorPreference: loop) { () -> [[UInt8]] in
                var received: [[UInt8]] = []
                for await notice in server.notices {
                    guard case .connected(let connection) = notice else { continue }
                    var bytes: [UInt8] = []
                    for await piece in connection.bytes { bytes += piece }
                    received.append(bytes)
                    if received.count == 20 { break }
                }
                return received
            }
            var handedOver: [Int] = []
            for await notice in client.notices {
                guard case .connected(let connection) = notice else { continue }
                let number = UInt8(handedOver.count + 1)
                loop.schedule(after: .milliseconds(.random(in: 0...300))) { air.assumeIsolated { $0.drop() } }
                do throws(UARTError) {
                    while true { try await connection.write([UInt8](repeating: number, count: 100_000)) }
                } catch {
                    handedOver.append(error.handedOver)
                }
                if handedOver.count == 20 { break }
            }
            let received = await far.value
            for (index, bytes) in received.enumerated() {
                #expect(bytes.allSatisfy { $0 == UInt8(index + 1) })
                // What was on its way when the link was lost is not counted.
                #expect((handedOver[index]...handedOver[index] + 57).contains(bytes.count))
            }
        }
    }
}
