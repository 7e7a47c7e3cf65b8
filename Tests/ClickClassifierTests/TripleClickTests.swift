import ClickClassifier
import Testing

@Suite("Triple clicks")
struct TripleClickTests {
    private static let modes = [TriggerMode.clickAndDoubleClick, .clickAndDoubleClickAndHold]
    private static let limits = ClickClassifier.Limits(tripleClick: true)
    private let later: UInt64 = 20 * ClickClassifier.ticksPerSecond

    @Test(
        "Three downs, each within the window of the one before, are a triple click at the third up",
        arguments: [0, 4_000, 16_383, 16_384] as [UInt64],
        modes
    )
    func three(_ distance: UInt64, mode: TriggerMode) {
        let length = min(distance, 2_000)
        let steps: [Step] = (0..<3).flatMap { [.down($0 * distance), .up($0 * distance + length)] }
        let told = transcript(steps + [.advance(later)], mode: mode, limits: Self.limits)
        #expect(told.filter(\.isClassified) == [.tripleClick(2 * distance + length)])
    }

    @Test("A third down a tick too late is a press of its own; the double click comes as its window closes", arguments: modes)
    func late(mode: TriggerMode) {
        let steps: [Step] = [.down(0), .up(50), .down(4_000), .up(4_050), .down(20_385), .up(20_400), .advance(later)]
        let told = transcript(steps, mode: mode, limits: Self.limits)
        #expect(
            told == [
                .down(0), .up(50), .down(4_000), .up(4_050), .doubleClick(20_384), .down(20_385), .up(20_400), .click(36_769),
            ]
        )
    }

    @Test(
        "A second press that is not shorter than the window completes a double click at its up",
        arguments: [16_384, 16_385, 40_000] as [UInt64],
        modes
    )
    func longSecondPress(_ length: UInt64, mode: TriggerMode) {
        let told = transcript([.down(0), .up(50), .down(4_000), .up(4_000 + length), .advance(later)], mode: mode, limits: Self.limits)
        #expect(told.filter(\.isClassified) == [.doubleClick(4_000 + length)])
    }

    @Test("A third press that is held is a triple click, no hold", arguments: modes)
    func heldThirdPress(mode: TriggerMode) {
        let steps: [Step] = [.down(0), .up(50), .down(4_000), .up(4_050), .down(8_000), .up(60_000), .advance(later)]
        #expect(transcript(steps, mode: mode, limits: Self.limits).filter(\.isClassified) == [.tripleClick(60_000)])
    }

    @Test("Quick clicks come in threes", arguments: zip(1...7, [[1], [2], [3], [3, 1], [3, 2], [3, 3], [3, 3, 1]]))
    func quickClicks(_ number: Int, _ groups: [Int]) {
        let steps = (0..<UInt64(number)).flatMap { [Step.down($0 * 4_000), .up($0 * 4_000 + 2_000)] }
        let told = transcript(steps + [.advance(later)], mode: .clickAndDoubleClick, limits: Self.limits)
        #expect(told.filter(\.isClassified).map(\.kind) == groups.map { [.click, .doubleClick, .tripleClick][$0 - 1] })
    }

    @Test("Holds and single clicks are as without triple clicks", arguments: TriggerMode.allCases, [100, 16_383, 16_384, 32_768, 32_769] as [UInt64])
    func onePress(mode: TriggerMode, length: UInt64) {
        let steps: [Step] = [.down(0), .up(length), .advance(later)]
        #expect(transcript(steps, mode: mode, limits: Self.limits) == transcript(steps, mode: mode))
    }

    @Test("Modes without double clicks have no triple clicks", arguments: [TriggerMode.clickAndHold, .click], [2_000, 12_000, 33_000] as [UInt64])
    func otherModes(mode: TriggerMode, length: UInt64) {
        let steps: [Step] = (0..<5).flatMap { [.down($0 * 13_000), .up($0 * 13_000 + length)] } + [.advance(later)]
        #expect(transcript(steps, mode: mode, limits: Self.limits) == transcript(steps, mode: mode))
    }
}
