import ClickClassifier
import Fixtures
import FlicSimulator
import Testing

/// The host's timed rules and the translation of the button's codes are two ways to the same events (protocol 8).
@Suite("Agreement of classifier and codes")
struct ClassifierAgreementTests {
    private static let numberOfSequences = 20_000

    @Test("20,000 random sequences: the codes of the button say what the classifier says", arguments: TriggerMode.allCases)
    func edges(mode: TriggerMode) throws {
        var random = Random(seed: 1)
        for _ in 0..<Self.numberOfSequences {
            let presses = Presses(using: &random)
            var classifier = ClickClassifier(mode: mode)
            var told: [ClickClassifier.Event] = []
            for edge in presses.edges {
                told += edge.isDown ? classifier.down(at: edge.time) : classifier.up(at: edge.time)
            }
            told += classifier.advance(to: presses.end)
            try #require(told == presses.records.flatMap { events(of: $0, in: mode) }, "\(presses.edges)")
        }
    }

    @Test("20,000 random sequences: with the button's records as its only clock the classifier says the same", arguments: TriggerMode.allCases)
    func records(mode: TriggerMode) throws {
        var random = Random(seed: 2)
        for _ in 0..<Self.numberOfSequences {
            let presses = Presses(using: &random)
            var classifier = ClickClassifier(mode: mode)
            let told = presses.records.flatMap { classifier.take($0) }
            try #require(told == presses.records.flatMap { events(of: $0, in: mode) }, "\(presses.edges)")
        }
    }

    @Test("20,000 random sequences with changes of the mode: the button's records are clock enough to tell each press once")
    func changesOfMode() throws {
        var random = Random(seed: 3)
        for _ in 0..<Self.numberOfSequences {
            let presses = Presses(using: &random)
            var classifier = ClickClassifier(mode: .clickAndHold)
            var told = 0
            for record in presses.records {
                if Bool.random(using: &random) {
                    classifier.mode = TriggerMode.allCases.randomElement(using: &random)!
                }
                for event in classifier.take(record) {
                    switch event.kind {
                    case .down, .up: break
                    case .click, .hold: told += 1
                    case .doubleClick: told += 2
                    case .tripleClick: told += 3
                    }
                }
            }
            try #require(told == presses.edges.count / 2, "\(presses.edges)")
        }
    }

    /// The table of protocol 7.2, by its decoding rule.
    private func events(of record: PressEncoder.Record, in mode: TriggerMode) -> [ClickClassifier.Event] {
        typealias Event = ClickClassifier.Event
        let code = record.code
        if code & 8 == 0 {
            switch (code & 3, mode) {
            case (1, .click): return [Event(.down, at: record.time), Event(.click, at: record.time)]
            case (1, _): return [Event(.down, at: record.time)]
            case (2, .clickAndDoubleClick), (2, .clickAndDoubleClickAndHold): return [Event(.click, at: record.time)]
            case (3, .clickAndHold): return [Event(.hold, at: record.time)]
            case (3, .clickAndDoubleClickAndHold) where code & 4 == 0: return [Event(.hold, at: record.time)]
            default: return []
            }
        }
        let isHeld = code & 4 != 0
        let decision: Event.Kind? =
            switch (mode, code & 3) {
            case (.click, _): nil
            case (.clickAndHold, _): isHeld ? nil : .click
            case (.clickAndDoubleClick, 2): .click
            case (.clickAndDoubleClickAndHold, 2): isHeld ? nil : .click
            case (_, 3): .doubleClick
            default: nil
            }
        return [Event(.up, at: record.time)] + (decision.map { [Event($0, at: record.time)] } ?? [])
    }
}

extension ClickClassifier {
    /// Handles a record of the button without using what it decided.
    fileprivate mutating func take(_ record: PressEncoder.Record) -> Events {
        switch record.counter & 3 {
        case 1: down(at: record.time)
        case 3: up(at: record.time)
        default: advance(to: record.time)
        }
    }
}

/// One to eight presses whose lengths and distances are often at the limits, and what the button sends for them.
private struct Presses {
    var edges: [(isDown: Bool, time: UInt64)] = []
    var records: [PressEncoder.Record] = []
    var end: UInt64

    init(using random: inout Random) {
        let limits: [UInt64] = [0, 1, 16_351, 16_383, 16_384, 16_385, 16_416, 32_735, 32_767, 32_768, 32_769, 32_800]
        func duration() -> UInt64 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: limits.randomElement(using: &random)!
            case 1: UInt64.random(in: 0...60_000, using: &random)
            default: UInt64.random(in: 0...9_000, using: &random)
            }
        }
        var time = UInt64.random(in: 0...1_000_000_000, using: &random)
        var down = time
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            edges.append((true, time))
            down = time
            time += duration()
            edges.append((false, time))
            // Half of the time the distance from down to down is what is at a limit.
            time = Bool.random(using: &random) ? time + duration() : max(time, down + duration())
        }
        end = time + 100_000
        var encoder = PressEncoder()
        for edge in edges {
            records += edge.isDown ? encoder.down(at: edge.time) : encoder.up(at: edge.time)
        }
        records += encoder.advance(to: end)
    }
}
