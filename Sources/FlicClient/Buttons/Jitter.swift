/// Spreads waits, so that what failed together is not tried again together.
struct Jitter: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The wait, made longer or shorter by up to a quarter.
    mutating func spread(_ wait: Duration) -> Duration {
        // Knuth's MMIX generator; its upper bits are good enough for this.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return wait * (75 + Int(state >> 33) % 51) / 100
    }
}
