extension ClickClassifier {
    /// The times that tell clicks, double clicks and holds apart.
    ///
    /// The default values are the button's own, so that the result agrees with the codes it sends (protocol 7.2).
    public struct Limits: Sendable, Hashable {
        /// What a limit may be: 0.1 to 10 seconds, in ticks. A value outside is replaced by the nearest one inside.
        public static let range: ClosedRange<UInt64> = 3_277...327_680

        /// The longest time between two downs of a double click, in ticks: 16,384 (half a second) unless told otherwise.
        public let doubleClick: UInt64

        /// The longest press that is not a hold, in ticks: 32,768 (one second) unless told otherwise.
        public let hold: UInt64

        /// Whether three presses in quick succession are a triple click.
        ///
        /// Each down must come within the double-click window of the down before. A double click is then told only when no third down can come any
        /// more. Four fast presses are a triple click and a click. Without effect in modes without double clicks.
        public let tripleClick: Bool

        /// Limits; values outside ``range`` are replaced by the nearest value inside.
        ///
        /// - Parameters:
        ///   - doubleClick: longest time from down to down of a double click, in ticks.
        ///   - hold: longest press that is not a hold, in ticks. It may be shorter than the double-click window.
        ///   - tripleClick: whether three fast presses are a triple click.
        public init(doubleClick: UInt64 = 16_384, hold: UInt64 = 32_768, tripleClick: Bool = false) {
            self.doubleClick = min(max(doubleClick, Self.range.lowerBound), Self.range.upperBound)
            self.hold = min(max(hold, Self.range.lowerBound), Self.range.upperBound)
            self.tripleClick = tripleClick
        }

        /// The number of presses after which a series is complete.
        var pressesInSeries: Int { tripleClick ? 3 : 2 }
    }
}
