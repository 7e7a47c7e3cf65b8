import FlicProtocol

/// What only a Flic Twist does: it is turned, and keeps its places from one session to the next.
extension ButtonConnection {
    mutating func receive(_ turn: TwistTurn, into actions: inout [Action]) {
        record.setTwistPosition(turn.position, mode: Int(turn.mode))
        actions.append(.saveLater)
        tell(.turned(ButtonTurn(turn)), into: &actions)
    }

    mutating func setTwist(_ configuration: TwistConfiguration?, now: Duration, into actions: inout [Action]) {
        guard record.product == .twist, configuration != record.twist else { return }
        record.twist = configuration
        actions.append(.save)
        let settings = settingsNow.twist
        withSession(now: now, into: &actions) { $0.setTwist(settings, now: now, into: &$1) }
    }

    /// - Parameters:
    ///   - position: 0 to 49,152; more is taken as that.
    ///   - mode: 0 to 12; others mean nothing.
    mutating func setTwistPosition(_ position: UInt16, mode: Int, now: Duration, into actions: inout [Action]) {
        guard record.product == .twist, let number = UInt8(exactly: mode), mode < TwistConfiguration.modeCount else { return }
        record.setTwistPosition(position, mode: mode)
        actions.append(.save)
        withSession(now: now, into: &actions) { $0.setTwistPosition(position, mode: number, into: &$1) }
    }
}

extension ButtonRecord {
    /// What was set, or what a Twist is told that nobody has said anything about.
    var twistConfiguration: TwistConfiguration { twist ?? TwistConfiguration() }

    mutating func setTwistPosition(_ position: UInt16, mode: Int) {
        guard 0..<TwistConfiguration.modeCount ~= mode else { return }
        if twistPositions.isEmpty { twistPositions = Array(repeating: 0, count: TwistConfiguration.modeCount) }
        twistPositions[mode] = min(position, TwistConfiguration.wholeTurn)
    }
}
