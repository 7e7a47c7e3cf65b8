import ClickClassifier
import Testing

@Suite("Limits")
struct LimitsTests {
    private let later: UInt64 = 30 * ClickClassifier.ticksPerSecond

    @Test("The standard limits are the button's own")
    func standard() {
        let limits = ClickClassifier.Limits()
        #expect(limits.doubleClick == ms(500))
        #expect(limits.hold == ms(1_000))
        #expect(!limits.tripleClick)
    }

    @Test(
        "Values outside the range are replaced by the nearest inside",
        arguments: [
            (0, 3_277), (3_276, 3_277), (3_277, 3_277), (20_000, 20_000), (327_680, 327_680), (327_681, 327_680), (.max, 327_680),
        ] as [(UInt64, UInt64)]
    )
    func range(value: UInt64, expected: UInt64) {
        let limits = ClickClassifier.Limits(doubleClick: value, hold: value)
        #expect(limits.doubleClick == expected)
        #expect(limits.hold == expected)
    }

    @Test("Downs within an own window are a double click", arguments: [3_277, 8_000, 40_000, 327_680] as [UInt64])
    func window(_ window: UInt64) {
        let limits = ClickClassifier.Limits(doubleClick: window)
        func presses(_ distance: UInt64) -> [ClickClassifier.Event] {
            transcript([.down(0), .up(50), .down(distance), .up(distance + 50), .advance(later)], mode: .clickAndDoubleClick, limits: limits)
        }
        #expect(presses(window) == [.down(0), .up(50), .down(window), .up(window + 50), .doubleClick(window + 50)])
        #expect(
            presses(window + 1) == [
                .down(0), .up(50), .click(window), .down(window + 1), .up(window + 51), .click(2 * window + 1),
            ]
        )
    }

    @Test(
        "A press longer than an own hold time is a hold",
        arguments: [3_277, 8_000, 40_000, 327_680] as [UInt64],
        [
            TriggerMode.clickAndHold, .clickAndDoubleClickAndHold,
        ]
    )
    func hold(_ hold: UInt64, mode: TriggerMode) {
        let limits = ClickClassifier.Limits(hold: hold)
        let longest = transcript([.down(0), .up(hold), .advance(later)], mode: mode, limits: limits)
        #expect(longest.map(\.kind) == [.down, .up, .click])
        #expect(transcript([.down(0), .up(hold + 1), .advance(later)], mode: mode, limits: limits) == [.down(0), .hold(hold), .up(hold + 1)])
    }

    @Test("Where the hold time is shorter than the window, nothing continues a hold")
    func shortHold() {
        let limits = ClickClassifier.Limits(doubleClick: 32_768, hold: 8_192)
        let steps: [Step] = [.down(0), .up(9_000), .down(10_000), .up(11_000), .advance(later)]
        #expect(
            transcript(steps, mode: .clickAndDoubleClickAndHold, limits: limits) == [
                .down(0), .hold(8_192), .up(9_000), .down(10_000), .up(11_000), .click(42_768),
            ]
        )
        #expect(
            transcript(steps, mode: .clickAndDoubleClick, limits: limits) == [
                .down(0), .up(9_000), .down(10_000), .up(11_000), .doubleClick(11_000),
            ]
        )
    }
}
