import FlicProtocol

/// A mode of a Flic Twist in its stored form: how it behaves, and where it stands.
struct StoredTwistMode: Codable {
    var lights: String
    var click: Bool
    var doubleClick: Bool
    var extraLights: Int
    /// Seconds; left out for never.
    var timeout: Int64?
    /// 0 to 49,152.
    var position: UInt16

    static func modes(_ record: ButtonRecord) -> [StoredTwistMode]? {
        guard record.product == .twist, record.twist != nil || !record.twistPositions.isEmpty else { return nil }
        return (0..<TwistConfiguration.modeCount).map { index in
            let mode = record.twistConfiguration[index]
            return StoredTwistMode(
                lights: mode.lights.rawValue,
                click: mode.hasClick,
                doubleClick: mode.hasDoubleClick,
                extraLights: mode.extraLights,
                timeout: mode.timeout?.components.seconds,
                position: index < record.twistPositions.count ? record.twistPositions[index] : 0
            )
        }
    }

    /// Takes over what is stored; what cannot be is left as usual.
    static func apply(_ modes: [StoredTwistMode], to record: inout ButtonRecord) {
        var configuration = TwistConfiguration()
        for (index, stored) in modes.prefix(TwistConfiguration.modeCount).enumerated() {
            configuration[index].lights = TwistConfiguration.Lights(rawValue: stored.lights) ?? .fill
            configuration[index].hasClick = stored.click
            configuration[index].hasDoubleClick = stored.doubleClick
            configuration[index].extraLights = min(max(stored.extraLights, 0), 15)
            configuration[index].timeout = stored.timeout.map { .seconds(min(max($0, 0), 254)) }
            if stored.position > 0 { record.setTwistPosition(stored.position, mode: index) }
        }
        record.twist = configuration == TwistConfiguration() ? nil : configuration
    }
}
