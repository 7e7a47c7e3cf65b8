/// The button's clock has 32768 ticks a second (protocol 1).
extension Duration {
    /// Exact: a second has 2^15 ticks, and an attosecond count is divisible by that.
    private static let attosecondsPerTick: Int64 = 30_517_578_125_000
    private static let ticksPerSecond: UInt64 = 32_768

    /// The most that ``ticks`` gives: the range of the 48-bit clock, 272 years.
    package static let largestTicks: UInt64 = 1 << 48 - 1

    /// Whole ticks, rounded down; zero for negative durations, ``largestTicks`` for those beyond.
    package var ticks: UInt64 {
        let (seconds, attoseconds) = components
        guard self > .zero else { return 0 }
        guard seconds < Int64(Self.largestTicks / Self.ticksPerSecond) else { return Self.largestTicks }
        return UInt64(seconds) * Self.ticksPerSecond + UInt64(attoseconds / Self.attosecondsPerTick)
    }

    /// A number of ticks.
    package init(ticks: UInt64) {
        self.init(
            secondsComponent: Int64(ticks / Self.ticksPerSecond),
            attosecondsComponent: Int64(ticks % Self.ticksPerSecond) * Self.attosecondsPerTick
        )
    }
}
