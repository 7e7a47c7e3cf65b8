import ClickClassifier
import Testing

/// Each limit at its exact value, one tick beside it, and one millisecond beside it.
@Suite("Boundaries")
struct BoundaryTests {
    private static let window: UInt64 = 16_384
    private static let holdTime: UInt64 = 32_768
    private static let modesWithDoubleClick = TriggerMode.allCases.filter(\.hasDoubleClick)
    private static let modesWithHold = TriggerMode.allCases.filter(\.hasHold)
    private let later: UInt64 = 10 * ClickClassifier.ticksPerSecond

    @Test(
        "A press shorter than half a second waits for the window to close, a longer one is a click at its up",
        arguments: [ms(499), 16_383, 16_384, 16_385, ms(501)],
        modesWithDoubleClick
    )
    func pressOfTheWindow(_ length: UInt64, mode: TriggerMode) {
        let told = transcript([.down(0), .up(length), .advance(later)], mode: mode)
        #expect(told == [.down(0), .up(length), .click(max(length, Self.window))])
    }

    @Test("A press of at most one second is a click", arguments: [ms(999), 32_767, 32_768], modesWithHold)
    func longestClick(_ length: UInt64, mode: TriggerMode) {
        let told = transcript([.down(0), .up(length), .advance(later)], mode: mode)
        #expect(told == [.down(0), .up(length), .click(length)])
    }

    @Test("A longer press is a hold after one second", arguments: [32_769, ms(1_001)], modesWithHold)
    func shortestHold(_ length: UInt64, mode: TriggerMode) {
        let told = transcript([.down(0), .up(length), .advance(later)], mode: mode)
        #expect(told == [.down(0), .hold(Self.holdTime), .up(length)])
    }

    @Test("The clock alone brings a hold at exactly one second, and none a tick before")
    func holdByClock() {
        #expect(transcript([.down(7), .advance(7 + 32_767)], mode: .clickAndHold) == [.down(7)])
        #expect(transcript([.down(7), .advance(7 + 32_768)], mode: .clickAndHold) == [.down(7), .hold(7 + 32_768)])
    }

    @Test("The clock alone brings a click at exactly half a second, and none a tick before")
    func clickByClock() {
        #expect(transcript([.down(7), .up(9), .advance(7 + 16_383)], mode: .clickAndDoubleClick) == [.down(7), .up(9)])
        #expect(transcript([.down(7), .up(9), .advance(7 + 16_384)], mode: .clickAndDoubleClick) == [.down(7), .up(9), .click(7 + 16_384)])
    }

    // D7
    @Test(
        "Downs at most half a second apart are a double click",
        arguments: [0, 1, ms(499), 16_383, 16_384],
        modesWithDoubleClick
    )
    func doubleClick(_ distance: UInt64, mode: TriggerMode) {
        let first = min(distance, 1_000)
        let told = transcript([.down(0), .up(first), .down(distance), .up(distance + 1_000), .advance(later)], mode: mode)
        #expect(told == [.down(0), .up(first), .down(distance), .up(distance + 1_000), .doubleClick(distance + 1_000)])
    }

    // D7
    @Test(
        "Downs further apart are two clicks, the first when its window closes",
        arguments: [16_385, ms(501)],
        modesWithDoubleClick
    )
    func twoClicks(_ distance: UInt64, mode: TriggerMode) {
        let told = transcript([.down(0), .up(1_000), .down(distance), .up(distance + 1_000), .advance(later)], mode: mode)
        #expect(
            told == [
                .down(0), .up(1_000), .click(Self.window), .down(distance), .up(distance + 1_000), .click(distance + Self.window),
            ]
        )
    }

    // D7
    @Test("Quick clicks pair up", arguments: zip(1...6, [[1], [2], [2, 1], [2, 2], [2, 2, 1], [2, 2, 2]]))
    func quickClicks(_ number: Int, _ groups: [Int]) {
        let steps = (0..<UInt64(number)).flatMap { [Step.down($0 * 4_000), .up($0 * 4_000 + 2_000)] }
        let told = transcript(steps + [.advance(later)], mode: .clickAndDoubleClickAndHold).filter(\.isClassified)
        #expect(told.map(\.kind) == groups.map { $0 == 2 ? .doubleClick : .click })
    }

    // D6: the records of a captured hold, with a time-out that the button must not have sent.
    @Test(
        "A hold is not also a click",
        arguments: [
            (TriggerMode.clickAndHold, ClickClassifier.Event.hold(32_768)), (.clickAndDoubleClick, .click(43_925)),
            (.clickAndDoubleClickAndHold, .hold(32_768)), (.click, .click(0)),
        ]
    )
    func heldPress(mode: TriggerMode, expected: ClickClassifier.Event) {
        let told = transcript([.down(0), .advance(32_768), .up(43_925), .advance(60_309)], mode: mode)
        #expect(told.filter(\.isClassified) == [expected])
        #expect(told.filter { !$0.isClassified } == [.down(0), .up(43_925)])
    }
}
