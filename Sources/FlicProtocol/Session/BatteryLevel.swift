/// A battery sample (protocol 9.2).
package struct BatteryLevel: Hashable, Sendable {
    package var raw: UInt16

    package init(raw: UInt16) { self.raw = raw }

    /// Volts.
    package var volts: Double { Double(raw) * 3.6 / 1024 }

    /// Millivolts, rounded.
    package var millivolts: Int { (Int(raw) * 3600 + 512) / 1024 }

    /// An estimate of what is left, 0 to 100: linear between points, counted down from the upper one in whole percent.
    package var estimatedPercent: Int { Self.estimatedPercent(millivolts: millivolts) }

    package static func estimatedPercent(millivolts: Int) -> Int {
        guard let upper = points.firstIndex(where: { millivolts < $0.millivolts }) else { return 100 }
        guard upper > 0 else { return 0 }
        let (low, high) = (points[upper - 1], points[upper])
        return high.percent - (high.millivolts - millivolts) * (high.percent - low.percent) / (high.millivolts - low.millivolts)
    }

    private static let points: [(millivolts: Int, percent: Int)] = [(2100, 0), (2440, 6), (2740, 18), (2900, 42), (3000, 100)]
}
