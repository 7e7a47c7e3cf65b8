import FlicProtocol

/// Settings of the button: kept across restarts, told to a running session, and to each one that follows.
extension ButtonConnection {
    /// What a session asks for: what was set for this button, and else what the manager asks of all.
    var sessionSettings: SessionSettings {
        var settings = settings
        settings.connectionParameters = latency.parameters
        if let time = record.autoDisconnectTime { settings.autoDisconnectTime = time.seconds }
        settings.pushTwist = pushTwist
        if let mode = record.readvertising { settings.advertising = mode.settings }
        return settings
    }

    /// The same, with what circumstances demand.
    var settingsNow: SessionSettings {
        var settings = sessionSettings
        // Only here: what is told of a button with each event does not need it.
        if record.product == .twist { settings.twist = record.twistConfiguration.wire(positions: record.twistPositions) }
        if isCrowded { settings.autoDisconnectTime = min(settings.autoDisconnectTime, Self.crowdedTime.seconds) }
        return settings
    }

    /// There are more buttons than links, or no longer.
    mutating func setCrowded(_ isCrowded: Bool, now: Duration, into actions: inout [Action]) {
        guard isCrowded != self.isCrowded else { return }
        self.isCrowded = isCrowded
        tellAutoDisconnectTime(now: now, into: &actions)
    }

    mutating func setAutoDisconnectTime(_ time: AutoDisconnectTime, now: Duration, into actions: inout [Action]) {
        record.autoDisconnectTime = time
        actions.append(.save)
        tellAutoDisconnectTime(now: now, into: &actions)
    }

    private mutating func tellAutoDisconnectTime(now: Duration, into actions: inout [Action]) {
        let seconds = settingsNow.autoDisconnectTime
        withSession(now: now, into: &actions) { $0.setAutoDisconnectTime(seconds, into: &$1) }
    }

    mutating func setReadvertising(_ mode: ReadvertisingMode, now: Duration, into actions: inout [Action]) {
        record.readvertising = mode
        prepareAdvertising()
        actions.append(.save)
        withSession(now: now, into: &actions) { session, sessionActions in
            session.setAdvertising(mode.settings, now: now, into: &sessionActions)
        }
    }

    /// Which buttons of a Flic Duo report how they are turned; not kept.
    mutating func setPushTwist(_ buttons: DuoButtons, now: Duration, into actions: inout [Action]) {
        pushTwist = buttons
        withSession(now: now, into: &actions) { $0.setPushTwist(buttons, into: &$1) }
    }

    /// What the button was told once counts only if it is what is wished for now.
    mutating func prepareAdvertising() {
        if record.configuredReadvertising.settings != sessionSettings.advertising { record.isAdvertisingConfigured = false }
    }
}
