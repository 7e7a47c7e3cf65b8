/// Counts of delays by their length.
struct DelayHistogram: Equatable {
    /// Upper bounds, in seconds; longer ones are counted, too.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0]

    /// Of each bound, without those of the bounds below; the last one has none above.
    private var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    private var sum = 0.0

    /// - Parameter delay: In seconds, not negative.
    mutating func add(_ delay: Double) {
        counts[Self.bounds.firstIndex { delay <= $0 } ?? Self.bounds.count] += 1
        sum += delay
    }

    func samples(_ labels: [MetricFamily.Label]) -> [MetricFamily.Sample] {
        var samples: [MetricFamily.Sample] = []
        var count: UInt64 = 0
        for (bound, own) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], counts) {
            count += own
            samples.append(.init(Double(count), suffix: "_bucket", labels: labels + [.init("le", bound)]))
        }
        return samples + [.init(sum, suffix: "_sum", labels: labels), .init(Double(count), suffix: "_count", labels: labels)]
    }
}
