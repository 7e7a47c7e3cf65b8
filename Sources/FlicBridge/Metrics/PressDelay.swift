/// How late presses arrive, by the clocks of the button and of this computer.
///
/// The clocks have no common origin, so the fastest delivery of late is taken as one without delay, and the delay of another is what it takes beyond that.
/// It is measured only while presses follow each other within ``memory``: in longer times the clocks, which are not equally fast, would drift apart by as
/// much as is to be measured.
struct PressDelay {
    /// In seconds.
    static let memory = 60.0
    /// By how much the clocks may differ: both are quartz clocks.
    private static let drift = 100e-6

    /// What the fastest one says of the difference between the clocks, and when that was found: seconds.
    private var fastest: (difference: Double, moment: Double)?

    /// A press has arrived.
    ///
    /// - Parameters:
    ///   - ticks: The button's clock when it was pressed or released, in 1/32,768 s (protocol 1).
    ///   - moment: When it arrived, by a clock that does not go back, in seconds.
    /// - Returns: Seconds, not negative; nil if there is nothing to compare with.
    mutating func arrived(ticks: UInt64, at moment: Double) -> Double? {
        let difference = moment - Double(ticks) / 32_768
        guard let last = fastest, moment - last.moment <= Self.memory else {
            fastest = (difference, moment)
            return nil
        }
        let known = last.difference + (moment - last.moment) * Self.drift
        fastest = (min(known, difference), moment)
        return max(difference - known, 0)
    }

    /// The button may have started its clock anew.
    mutating func forget() { fastest = nil }
}
