/// A battery sample (protocol 9.2).
package struct BatteryLevel: Hashable, Sendable {
    /// What a sample counts, and what kind of battery it is of.
    package enum Unit: Hashable, Sendable {
        /// 3.6 V / 1024, of the button cell of a Flic 2 or Duo.
        case converter
        /// Of the two AAA cells of a Flic Twist (protocol 14.1).
        case millivolt
    }

    package var raw: UInt16
    package var unit: Unit

    package init(raw: UInt16, unit: Unit = .converter) {
        self.raw = raw
        self.unit = unit
    }

    /// Volts.
    package var volts: Double {
        switch unit {
        case .converter: Double(raw) * 3.6 / 1024
        case .millivolt: Double(raw) / 1000
        }
    }

    /// Millivolts, rounded.
    package var millivolts: Int {
        switch unit {
        case .converter: (Int(raw) * 3600 + 512) / 1024
        case .millivolt: Int(raw)
        }
    }

    /// An estimate of what is left, 0 to 100: linear between points, counted down from the upper one in whole percent.
    package var estimatedPercent: Int { Self.estimatedPercent(millivolts: millivolts, unit) }

    package static func estimatedPercent(millivolts: Int, _ unit: Unit = .converter) -> Int {
        let points = unit == .converter ? buttonCell : alkalineCells
        guard let upper = points.firstIndex(where: { millivolts < $0.millivolts }) else { return 100 }
        guard upper > 0 else { return 0 }
        let (low, high) = (points[upper - 1], points[upper])
        return high.percent - (high.millivolts - millivolts) * (high.percent - low.percent) / (high.millivolts - low.millivolts)
    }

    /// Two cells in a row, which are empty at 1 V each. What the maker makes of a Twist's samples is not documented: these points are ours.
    private static let alkalineCells: [(millivolts: Int, percent: Int)] = [(2000, 0), (2300, 15), (2500, 40), (2700, 70), (3000, 100)]

    private static let buttonCell: [(millivolts: Int, percent: Int)] = [(2100, 0), (2440, 6), (2740, 18), (2900, 42), (3000, 100)]
}

extension Dialect {
    /// What battery samples count.
    package var batteryUnit: BatteryLevel.Unit {
        switch self {
        case .flic2: .converter
        case .twist: .millivolt
        }
    }
}
