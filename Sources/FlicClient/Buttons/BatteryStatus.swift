import FlicProtocol
public import FoundationEssentials

/// What the last battery sample of a button says (protocol 9.2, contract B49).
///
/// A sample comes with the pairing, after each reconnect, and every three hours of a connection. Samples fluctuate with the load.
public struct BatteryStatus: Hashable, Sendable {
    let level: BatteryLevel
    /// Whether the battery should be changed: since a sample below 2.65 V, and until one of at least 2.75 V, as a new battery has. For the two
    /// cells of a Flic Twist these are 2.3 V and 2.5 V (our choice).
    /// Between the two it stays what it was, also across restarts of the program.
    public let isLow: Bool
    /// When the sample was taken, by the clock of this machine.
    public let date: Date

    /// Volts.
    public var volts: Double { level.volts }

    /// What may be left, 0 to 100 percent: 2.1 V and less are 0, 3 V and more are 100 (Flic Twist: 2 V and 3 V). Only an estimate, good for a symbol.
    public var estimatedPercent: Int { level.estimatedPercent }
}

extension BatteryLevel {
    /// See ``BatteryStatus/isLow``.
    func isLow(wasLow: Bool) -> Bool {
        switch unit {
        case .converter: millivolts < (wasLow ? 2750 : 2650)
        case .millivolt: millivolts < (wasLow ? 2500 : 2300)
        }
    }
}

extension ButtonRecord {
    /// Nil before the first sample.
    var battery: BatteryStatus? {
        batteryLevel.map {
            BatteryStatus(
                level: BatteryLevel(raw: $0, unit: product.dialect.batteryUnit),
                isLow: isBatteryLow,
                date: Date(timeIntervalSince1970: TimeInterval(batteryTime))
            )
        }
    }

    mutating func setBattery(_ level: BatteryLevel, unixTime: UInt64) {
        batteryLevel = level.raw
        batteryTime = unixTime
        isBatteryLow = level.isLow(wasLow: isBatteryLow)
    }
}
