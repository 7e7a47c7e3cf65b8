import ClickClassifier
import Testing

/// Contract B44: a press that began before a change is classified by the mode that is set when its deciding event is handled.
@Suite("Change of the mode")
struct ModeChangeTests {
    private let later: UInt64 = 10 * ClickClassifier.ticksPerSecond

    @Test("A short press is told once, whichever way the mode changes while it lasts", arguments: TriggerMode.allCases, TriggerMode.allCases)
    func duringShortPress(from first: TriggerMode, to second: TriggerMode) {
        let told = transcript([.down(0), .mode(second), .up(1_000), .advance(later)], mode: first)
        #expect(told.filter(\.isClassified) == [.click(first == .click ? 0 : second.hasDoubleClick ? 16_384 : 1_000)])
    }

    @Test("A press is told once, whichever way the mode changes after its up", arguments: TriggerMode.allCases, TriggerMode.allCases)
    func afterUp(from first: TriggerMode, to second: TriggerMode) {
        let told = transcript([.down(0), .up(1_000), .mode(second), .advance(later)], mode: first)
        #expect(told.filter(\.isClassified) == [.click(first == .click ? 0 : first.hasDoubleClick ? 16_384 : 1_000)])
    }

    @Test("A long press is a hold if the mode has holds when it has been long enough", arguments: TriggerMode.allCases, TriggerMode.allCases)
    func duringLongPress(from first: TriggerMode, to second: TriggerMode) {
        let told = transcript([.down(0), .mode(second), .advance(32_768), .up(50_000), .advance(later)], mode: first)
        #expect(told.filter(\.isClassified) == [first == .click ? .click(0) : second.hasHold ? .hold(32_768) : .click(50_000)])
    }

    @Test("A press that is long when the mode gets holds is one at once")
    func holdAtOnce() {
        var classifier = ClickClassifier(mode: .clickAndDoubleClick)
        _ = classifier.down(at: 0)
        _ = classifier.advance(to: 40_000)
        classifier.mode = .clickAndHold
        #expect(classifier.deadline == 40_000)
        #expect(Array(classifier.up(at: 50_000)) == [.hold(40_000), .up(50_000)])
        #expect(Array(classifier.advance(to: later)).isEmpty)
    }

    @Test(
        "A press told as a click is no part of a double click",
        arguments: [TriggerMode.clickAndHold, .click],
        [TriggerMode.clickAndDoubleClick, .clickAndDoubleClickAndHold]
    )
    func noDoubleWithToldPress(from first: TriggerMode, to second: TriggerMode) {
        let told = transcript([.down(0), .up(100), .mode(second), .down(8_000), .up(8_100), .advance(later)], mode: first)
        #expect(told.filter(\.isClassified) == [.click(first == .click ? 0 : 100), .click(8_100)])
    }

    @Test(
        "Two untold presses are two clicks in a mode without double clicks",
        arguments: [TriggerMode.clickAndDoubleClick, .clickAndDoubleClickAndHold],
        [TriggerMode.clickAndHold, .click]
    )
    func noDoubleAnyMore(from first: TriggerMode, to second: TriggerMode) {
        let told = transcript([.down(0), .up(100), .down(8_000), .mode(second), .up(8_100), .advance(later)], mode: first)
        #expect(told == [.down(0), .up(100), .down(8_000), .up(8_100), .click(8_100), .click(8_100)])
    }

    // Protocol 8: in this mode a code 7 is a click for the first press and a hold for the second.
    @Test("A held second press is a click and a hold if the mode becomes clickAndHold")
    func heldSecondPress() {
        let told = transcript([.down(0), .up(100), .down(8_000), .mode(.clickAndHold), .up(50_000)], mode: .clickAndDoubleClickAndHold)
        #expect(told == [.down(0), .up(100), .down(8_000), .click(40_768), .hold(40_768), .up(50_000)])
    }

    @Test("Two untold presses of a triple click and the next down are three clicks in mode click")
    func twoUntoldOfTriple() {
        let steps: [Step] = [.down(0), .up(100), .down(8_000), .up(8_100), .mode(.click), .down(12_000)]
        let told = transcript(steps, mode: .clickAndDoubleClick, limits: .init(tripleClick: true))
        #expect(told.suffix(4) == [.down(12_000), .click(12_000), .click(12_000), .click(12_000)])
    }
}
