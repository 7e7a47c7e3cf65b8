extension ClosedRange<Duration> {
    /// How long to wait before the next attempt: the lower bound after the first failure, twice as long after each one more, up to the upper bound.
    package func backOff(after failures: Int) -> Duration {
        Swift.min(lowerBound * (1 << Swift.min(Swift.max(failures, 1) - 1, 16)), upperBound)
    }
}
