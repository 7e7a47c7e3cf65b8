/// Spreads waits, so that what failed together is not tried again together.
package struct Jitter: Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// The wait, made longer or shorter by up to a quarter.
    package mutating func spread(_ wait: Duration) -> Duration { wait * (75 + below(51)) / 100 }

    /// A wait of at most so long.
    package mutating func wait(upTo longest: Duration) -> Duration { longest * below(1001) / 1000 }

    private mutating func below(_ limit: Int) -> Int {
        // Knuth's MMIX generator; its upper bits are good enough for this.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
