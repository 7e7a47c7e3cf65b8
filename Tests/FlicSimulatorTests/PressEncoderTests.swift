import Fixtures
import FlicSimulator
import Testing

@Suite("The button's event records")
struct PressEncoderTests {
    @Test("47 sequences of presses give the codes and counters of classifier.json", arguments: PressCase.all)
    func records(of vector: PressCase) {
        var encoder = PressEncoder()
        let records = vector.edges.flatMap { $0.isDown ? encoder.down(at: $0.time) : encoder.up(at: $0.time) }
        #expect(records + encoder.advance(to: vector.end) == vector.records)
    }

    @Test("classifier.json holds the 47 sequences that are tested here")
    func numberOfCases() {
        #expect(PressCase.all.count == 47)
    }

    @Test("Edges that cannot be are ignored")
    func impossibleEdges() {
        var encoder = PressEncoder()
        #expect(encoder.up(at: 5).isEmpty)
        #expect(encoder.down(at: 10).map(\.code) == [1])
        #expect(encoder.down(at: 20).isEmpty)
        #expect(encoder.up(at: 30).map(\.code) == [8])
        #expect(encoder.up(at: 40).isEmpty)
        #expect(encoder.counter == 3)
    }

    @Test("A time that goes back is taken for the latest one")
    func timeGoesBack() {
        var encoder = PressEncoder()
        #expect(encoder.down(at: 1_000).map(\.time) == [1_000])
        #expect(encoder.up(at: 900).map(\.time) == [1_000])
    }

    @Test("The deadline is the end of the hold time or of the window, across the wrap of the clock")
    func deadline() {
        var encoder = PressEncoder()
        #expect(encoder.deadline == nil)
        _ = encoder.down(at: (1 << 48) - 1)
        #expect(encoder.deadline == 32_767)
        _ = encoder.up(at: 99)
        #expect(encoder.deadline == 16_383)
        #expect(encoder.advance(to: 16_382).isEmpty)
        #expect(encoder.advance(to: 16_383).map(\.code) == [2])
        #expect(encoder.deadline == nil)
    }

    @Test("The timer fires before a later edge, and not before one with the same time")
    func timerAndEdge() {
        var encoder = PressEncoder()
        _ = encoder.down(at: 0)
        #expect(encoder.up(at: 32_769).map(\.code) == [3, 14])
        _ = encoder.down(at: 100_000)
        #expect(encoder.up(at: 132_768).map(\.code) == [10])
        _ = encoder.down(at: 200_000)
        _ = encoder.up(at: 200_100)
        #expect(encoder.down(at: 216_385).map(\.code) == [2, 1])
    }

    @Test(
        "Each press owns four counters, also where they wrap",
        arguments: [
            (0, 1), (1, 5), (3, 5), (4, 5), (.max - 2, 1), (.max, 1), (.max - 3, .max - 2),
        ] as [(UInt32, UInt32)]
    )
    func counters(latest: UInt32, next: UInt32) {
        var encoder = PressEncoder(counter: latest)
        let records = encoder.down(at: 0) + encoder.up(at: 40_000)
        #expect(records.map(\.counter) == [next, next + 1, next + 2])
        #expect(encoder.counter == next + 2)
    }
}

/// Presses and what a button makes of them.
struct PressCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let edges: [(isDown: Bool, time: UInt64)]
    let end: UInt64
    let records: [PressEncoder.Record]

    static let all = JSONValue.vectors("classifier").cases.array.compactMap(Self.init)

    /// Nothing for sequences that no button sends.
    init?(_ json: JSONValue) {
        guard case .array(let events) = json.button_events, let name = json.name.string, let end = json.until_ms.unsigned else { return nil }
        testDescription = name
        self.end = ticks(end)
        edges = json.edges.array.compactMap { edge in edge.t_ms.unsigned.map { (edge.edge.string == "down", ticks($0)) } }
        records = events.compactMap { event in
            guard let milliseconds = event.t_ms.unsigned, let code = event.code.unsigned, let counter = event.counter.unsigned else { return nil }
            return PressEncoder.Record(time: ticks(milliseconds), code: UInt8(code), counter: UInt32(counter))
        }
    }
}

private func ticks(_ milliseconds: UInt64) -> UInt64 { milliseconds * 32_768 / 1_000 }
