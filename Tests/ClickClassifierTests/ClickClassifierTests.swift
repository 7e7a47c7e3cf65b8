import ClickClassifier
import Testing

@Suite("Irregular input, order and the clock")
struct ClickClassifierTests {
    private let later: UInt64 = 10 * ClickClassifier.ticksPerSecond

    @Test("An up without a down is told and decides nothing", arguments: TriggerMode.allCases)
    func strayUp(mode: TriggerMode) {
        #expect(transcript([.up(5), .up(6), .advance(later)], mode: mode) == [.up(5), .up(6)])
    }

    @Test("A second up is raw only", arguments: TriggerMode.allCases)
    func secondUp(mode: TriggerMode) {
        let told = transcript([.down(0), .up(20_000), .up(21_000), .advance(later)], mode: mode)
        #expect(told.filter { $0.kind == .up } == [.up(20_000), .up(21_000)])
        #expect(told.filter(\.isClassified).count == 1)
    }

    @Test("A second up decides nothing, not even in a mode that decides at ups")
    func secondUpAfterChange() {
        let told = transcript([.down(0), .up(100), .mode(.clickAndHold), .up(200), .advance(later)], mode: .clickAndDoubleClick)
        #expect(told == [.down(0), .up(100), .up(200), .click(16_384)])
    }

    @Test("A down without an up is forgotten, and no first press of a double click", arguments: [0, 1_000, 16_384, 20_000])
    func missingUp(secondDown: UInt64) {
        let steps: [Step] = [.down(0), .down(secondDown), .up(secondDown + 100), .advance(later)]
        let raw: [ClickClassifier.Event] = [.down(0), .down(secondDown), .up(secondDown + 100)]
        #expect(transcript(steps, mode: .clickAndDoubleClickAndHold) == raw + [.click(secondDown + 16_384)])
        #expect(transcript(steps, mode: .clickAndHold) == raw + [.click(secondDown + 100)])
    }

    @Test("A hold is told before the down that follows a missing up")
    func missingUpOfHold() {
        let told = transcript([.down(0), .down(40_000), .up(41_000), .advance(later)], mode: .clickAndHold)
        #expect(told == [.down(0), .hold(32_768), .down(40_000), .up(41_000), .click(41_000)])
    }

    @Test("A time that goes back is taken for the latest one, also one that the clock had reached")
    func timeGoesBack() {
        #expect(transcript([.down(30_000), .up(20_000)], mode: .clickAndHold) == [.down(30_000), .up(30_000), .click(30_000)])
        #expect(transcript([.down(0), .advance(9_000), .up(8_000)], mode: .clickAndHold) == [.down(0), .up(9_000), .click(9_000)])
        #expect(transcript([.down(0), .up(1), .advance(9_000), .advance(0), .advance(16_383)], mode: .clickAndDoubleClick).count == 2)
    }

    @Test("Bits above the 48 of the clock do not count")
    func highBits() {
        let told = transcript([.down(.max), .up((1 << 50) + 9), .advance(.max / 2 + 33_000)], mode: .clickAndDoubleClick)
        #expect(told == [.down((1 << 48) - 1), .up(9), .click(16_383)])
    }

    @Test("What was decided before an edge is told before it, what it decides after it", arguments: TriggerMode.allCases)
    func orderAroundEdges(mode: TriggerMode) {
        let told = transcript([.down(0), .up(100), .down(50_000), .up(90_000), .advance(later)], mode: mode)
        let expected: [TriggerMode: [ClickClassifier.Event]] = [
            .clickAndHold: [.down(0), .up(100), .click(100), .down(50_000), .hold(82_768), .up(90_000)],
            .clickAndDoubleClick: [.down(0), .up(100), .click(16_384), .down(50_000), .up(90_000), .click(90_000)],
            .clickAndDoubleClickAndHold: [.down(0), .up(100), .click(16_384), .down(50_000), .hold(82_768), .up(90_000)],
            .click: [.down(0), .click(0), .up(100), .down(50_000), .click(50_000), .up(90_000)],
        ]
        #expect(told == expected[mode])
    }

    @Test(
        "Nothing is told of a press after the link was lost",
        arguments: [
            [Step.down(0)], [.down(0), .up(100)], [.down(0), .up(100), .down(200)], [.down(0), .advance(40_000)],
        ],
        TriggerMode.allCases
    )
    func reset(steps: [Step], mode: TriggerMode) {
        var classifier = ClickClassifier(mode: mode)
        for step in steps { _ = classifier.take(step) }
        classifier.reset()
        #expect(classifier.deadline == nil)
        #expect(classifier == ClickClassifier(mode: mode))
        #expect(Array(classifier.up(at: 50_000)) == [.up(50_000)])
        #expect(Array(classifier.advance(to: later)).isEmpty)
    }

    @Test("After the link was lost the clock may start anew")
    func clockAfterReset() {
        let told = transcript([.down(1_000_000), .up(1_000_100), .reset, .down(40), .up(20_040)], mode: .clickAndDoubleClick)
        #expect(told == [.down(1_000_000), .up(1_000_100), .down(40), .up(20_040), .click(20_040)])
    }

    @Test(
        "The deadline is the end of the window or of the hold time, where one of them decides",
        arguments: [
            (TriggerMode.clickAndHold, 32_778, nil, 33_768), (.clickAndDoubleClick, nil, 16_394, nil),
            (.clickAndDoubleClickAndHold, 32_778, 16_394, nil), (.click, nil, nil, nil),
        ] as [(TriggerMode, UInt64?, UInt64?, UInt64?)]
    )
    func deadline(mode: TriggerMode, whilePressed: UInt64?, afterRelease: UInt64?, inSecondPress: UInt64?) {
        var classifier = ClickClassifier(mode: mode)
        #expect(classifier.deadline == nil)
        _ = classifier.down(at: 10)
        #expect(classifier.deadline == whilePressed)
        _ = classifier.up(at: 500)
        #expect(classifier.deadline == afterRelease)
        _ = classifier.down(at: 1_000)
        #expect(classifier.deadline == inSecondPress)
        _ = classifier.up(at: 1_500)
        #expect(classifier.deadline == nil)
    }

    @Test("The deadline wraps with the clock")
    func deadlineAtTheWrap() {
        var classifier = ClickClassifier(mode: .clickAndHold)
        _ = classifier.down(at: (1 << 48) - 1)
        #expect(classifier.deadline == 32_767)
        #expect(Array(classifier.advance(to: 32_767)) == [.hold(32_767)])
        #expect(classifier.deadline == nil)
    }
}
