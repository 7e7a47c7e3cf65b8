import ClickClassifier
import Fixtures
import Testing

@Suite("Vectors of the classifier")
struct ClassifierVectorTests {
    @Test("61 cases of classifier.json, each in 4 modes", arguments: VectorCase.all, TriggerMode.allCases)
    func sequence(of vector: VectorCase, in mode: TriggerMode) throws {
        let expected = try #require(vector.expected[mode])
        #expect(transcript(vector.steps, mode: mode) == expected)
    }

    @Test("classifier.json holds the 61 cases and 3 wraps that are tested here")
    func numberOfCases() {
        #expect(VectorCase.all.count == 61)
        #expect(VectorCase.all.allSatisfy { $0.expected.count == 4 })
        #expect(WrapCase.all.count == 3)
    }

    @Test("3 presses across the wrap of the clock, each in 4 modes, are as anywhere else", arguments: WrapCase.all, TriggerMode.allCases)
    func wrap(_ vector: WrapCase, mode: TriggerMode) {
        let start = vector.down
        let end = start + vector.duration + 2 * ClickClassifier.ticksPerSecond
        let wrapped = transcript([.down(start), .up(vector.up), .advance(end)], mode: mode)
        let plain = transcript([.down(0), .up(vector.duration), .advance(end - start)], mode: mode)
        #expect(wrapped == plain.map { ClickClassifier.Event($0.kind, at: ($0.time + start) % (1 << 48)) })
        #expect(wrapped.count == 3)
    }
}

/// Edges and what each mode makes of them.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: [Step]
    let expected: [TriggerMode: [ClickClassifier.Event]]

    static let all = JSONValue.vectors("classifier").cases.array.compactMap(Self.init)

    init?(_ json: JSONValue) {
        guard let name = json.name.string, let end = json.until_ms.unsigned else { return nil }
        var steps: [Step] = []
        for edge in json.edges.array {
            guard let milliseconds = edge.t_ms.unsigned else { return nil }
            switch edge.edge.string {
            case "down": steps.append(.down(ms(milliseconds)))
            case "up": steps.append(.up(ms(milliseconds)))
            case "disconnect": steps += [.advance(ms(milliseconds)), .reset]
            default: return nil
            }
        }
        testDescription = name
        self.steps = steps + [.advance(ms(end))]
        var expected: [TriggerMode: [ClickClassifier.Event]] = [:]
        for mode in TriggerMode.allCases {
            expected[mode] = json.expected["\(mode)"].array.compactMap { event in
                guard let milliseconds = event.t_ms.unsigned else { return nil }
                let kind = ClickClassifier.Event.Kind.allCases.first { "\($0)" == event.event.string }
                return kind.map { ClickClassifier.Event($0, at: ms(milliseconds)) }
            }
            guard expected[mode]?.count == json.expected["\(mode)"].array.count else { return nil }
        }
        self.expected = expected
    }
}

/// A press during which the 48-bit clock starts over.
struct WrapCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let down: UInt64
    let up: UInt64
    let duration: UInt64

    static let all = JSONValue.vectors("classifier").tick_wrap.array.compactMap(Self.init)

    init?(_ json: JSONValue) {
        guard let name = json.name.string, let down = json.down.unsigned, let up = json.up.unsigned, let duration = json.duration_ticks.unsigned
        else { return nil }
        self.testDescription = name
        self.down = down
        self.up = up
        self.duration = duration
    }
}
