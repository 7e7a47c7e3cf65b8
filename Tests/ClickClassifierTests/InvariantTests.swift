import ClickClassifier
import Fixtures
import Testing

/// Keeps account of the presses from the events alone.
private struct Ledger {
    let limits: ClickClassifier.Limits
    var untold = 0
    var isPressed = false
    var lastDown: UInt64 = 0
    var latest: UInt64?
    var numberOfClassified = 0

    /// What is wrong with the events of one call, if anything.
    mutating func fault(in events: [ClickClassifier.Event], mode: TriggerMode) -> String? {
        for event in events {
            if let latest, (event.time &- latest) & clock > clock / 2 { return "out of order" }
            guard event.time <= clock else { return "not a time" }
            latest = event.time
            if event.isClassified { numberOfClassified += 1 }
            switch event.kind {
            case .down:
                // An up is missing: the press and its series are forgotten.
                if isPressed { untold = 0 }
                untold += 1
                isPressed = true
                lastDown = event.time
            case .up: isPressed = false
            case .click: untold -= 1
            case .hold:
                guard mode.hasHold, isPressed, untold == 1 else { return "a hold of no press" }
                untold -= 1
            case .doubleClick:
                guard mode.hasDoubleClick, untold == 2 else { return "a double click of \(untold) presses" }
                untold -= 2
            case .tripleClick:
                guard mode.hasDoubleClick, limits.tripleClick, untold == 3 else { return "a triple click of \(untold) presses" }
                untold -= 3
            }
            guard untold >= 0 else { return "told twice" }
        }
        return nil
    }

    /// Whether a press that is over should have been told by now.
    func hasLost(at time: UInt64) -> Bool { !isPressed && untold > 0 && (time &- lastDown) & clock > limits.doubleClick }
}

private let clock: UInt64 = (1 << 48) - 1

@Suite("Invariants")
struct InvariantTests {
    @Test(
        "100,000 random steps: no press is told twice, none is lost, none is told after the link was lost",
        arguments: [
            ClickClassifier.Limits(), .init(tripleClick: true), .init(doubleClick: 30_000, hold: 10_000),
            .init(doubleClick: 30_000, hold: 10_000, tripleClick: true),
        ]
    )
    func randomSteps(limits: ClickClassifier.Limits) throws {
        var random = Random(seed: 0xF11C)
        var classifier = ClickClassifier(mode: .clickAndHold, limits: limits)
        var ledger = Ledger(limits: limits)
        var time = clock - 1_000_000
        let distances: [UInt64] = [0, 0, 1, 500, 2_000, 5_000, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 100_000]
        for number in 0..<100_000 {
            let isBack = Int.random(in: 0..<50, using: &random) == 0
            let target = isBack ? time &- 700 : time &+ distances.randomElement(using: &random)!
            if !isBack { time = target }
            let step: Step =
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<2: .reset
                case 2..<8: .mode(TriggerMode.allCases.randomElement(using: &random)!)
                case 8..<25: .advance(target)
                case 25..<30: ledger.isPressed ? .down(target) : .up(target)
                default: ledger.isPressed ? .up(target) : .down(target)
                }
            let fault = ledger.fault(in: classifier.take(step), mode: classifier.mode)
            try #require(fault == nil, "step \(number): \(step)")
            switch step {
            case .reset: ledger = Ledger(limits: limits, numberOfClassified: ledger.numberOfClassified)
            case .mode: break
            case .down, .up, .advance: try #require(!ledger.hasLost(at: time), "step \(number): \(step)")
            }
            try requireDeadline(of: classifier, latest: ledger.latest)
        }
        _ = ledger.fault(in: classifier.take(.up(time)), mode: classifier.mode)
        _ = ledger.fault(in: classifier.take(.advance(time &+ limits.doubleClick)), mode: classifier.mode)
        #expect(ledger.untold == 0)
        #expect(ledger.numberOfClassified > 20_000)
    }

    /// Nothing happens before the deadline, something at it, and never anything without one.
    private func requireDeadline(of classifier: ClickClassifier, latest: UInt64?) throws {
        var copy = classifier
        guard let deadline = classifier.deadline else {
            let none = copy.advance(to: (latest ?? 0) &+ 10_000_000)
            try #require(none.isEmpty)
            return
        }
        try #require(deadline <= clock)
        let before = copy.advance(to: deadline &- 1)
        let due = copy.advance(to: deadline)
        try #require((before.first ?? due.first)?.time == deadline)
    }
}
