import Commands
import EventLoops
import FoundationEssentials
import Synchronization
import Testing

@testable import flic_bench

@Suite("Measurements")
struct MeasurementTests {
    private struct Printed: Decodable {
        struct Figure: Decodable {
            let name: String
            let count: Int
            let min: Double
            let max: Double
        }

        let measurement: String
        let figures: [Figure]
    }

    @Test(
        "Each measurement prints its figures as JSON",
        arguments: [
            (["packet", "--batches", "2"], ["tag", "event", "decision", "click"], 2),
            (["verify", "--rounds", "3"], ["full", "full, libsodium", "quick"], 3),
            (["bus", "--batches", "2"], ["read"], 2),
            (["latency", "--presses", "2"], ["flickit"], 2),
            (["restore", "--rounds", "1", "--most", "10"], ["1 pairings", "10 pairings"], 1),
            (["crowd", "--presses", "1", "--most", "10"], ["1 buttons: memory", "10 buttons: press"], 1),
            (["idle", "--seconds", "1", "--buttons", "1"], ["wake-ups", "processor time"], 1),
        ]
    )
    func figures(arguments: [String], names: [String], count: Int) async throws {
        let lines = Mutex<[String]>([])
        let remarks = Mutex<[String]>([])
        let code = await BenchProgram.run(
            arguments,
            on: DispatchLoop(label: "bench"),
            output: Output(print: { text in lines.withLock { $0.append(text) } }, printError: { text in remarks.withLock { $0.append(text) } })
        )
        #expect(code == 0 && remarks.withLock { $0 } == [])
        let printed = try JSONDecoder().decode(Printed.self, from: Data(lines.withLock { $0 }.joined().utf8))
        #expect(printed.measurement == arguments[0])
        for name in names {
            let figure = try #require(printed.figures.first { $0.name == name })
            #expect(figure.count == count && figure.max >= figure.min)
        }
    }

    @Test("Batches count what is done and what is allocated, but not in the first one")
    func batches() {
        var count = 0
        var kept: [UnsafeMutableRawPointer] = []
        let batches = Batches(3, of: 10) { number in
            #expect(number == count)
            count += 1
            kept.append(.allocate(byteCount: number < 10 ? 1 : 1000, alignment: 1))
        }
        for pointer in kept { pointer.deallocate() }
        #expect(count == 40 && batches.times.count == 3)
        #expect(batches.allocations.allSatisfy { $0 >= 1 })
        #expect(Batches(1, of: 10) { _ in }.allocations == [0])
    }
}
