/// What is told of many values of one kind. A percentile is a value that was measured: the smallest one that so many per cent of all do not exceed
/// (nearest rank).
struct Statistics: Encodable, Equatable {
    let count: Int
    let min: Double
    let p50: Double
    let p99: Double
    let max: Double

    /// - Parameter values: In any order.
    /// - Returns: nil if there are none.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        count = sorted.count
        min = first
        p50 = Self.percentile(50, of: sorted)
        p99 = Self.percentile(99, of: sorted)
        max = last
    }

    private static func percentile(_ per: Int, of sorted: [Double]) -> Double {
        let rank = (sorted.count * per + 99) / 100
        return sorted[rank - 1]
    }
}

extension Figure {
    /// - Parameter times: In nanoseconds; told in microseconds.
    /// - Returns: nil if there are none.
    init?(_ name: String, times: [UInt64]) {
        guard let statistics = Statistics(times.map { Double($0) / 1000 }) else { return nil }
        self.init(name: name, unit: "us", statistics: statistics)
    }
}
