import FlicProtocol

/// Settings of the button: kept across restarts, told to a running session, and to each one that follows.
extension ButtonConnection {
    /// What a session asks for: what was set for this button, and else what the manager asks of all.
    var sessionSettings: SessionSettings {
        var settings = settings
        settings.connectionParameters = latency.parameters
        if let time = record.autoDisconnectTime { settings.autoDisconnectTime = time.seconds }
        if let mode = record.readvertising { settings.advertising = mode.settings }
        return settings
    }

    mutating func setAutoDisconnectTime(_ time: AutoDisconnectTime, now: Duration, into actions: inout [Action]) {
        record.autoDisconnectTime = time
        actions.append(.save)
        withSession(now: now, into: &actions) { session, sessionActions in
            session.setAutoDisconnectTime(time.seconds, into: &sessionActions)
        }
    }

    mutating func setReadvertising(_ mode: ReadvertisingMode, now: Duration, into actions: inout [Action]) {
        record.readvertising = mode
        prepareAdvertising()
        actions.append(.save)
        withSession(now: now, into: &actions) { session, sessionActions in
            session.setAdvertising(mode.settings, now: now, into: &sessionActions)
        }
    }

    /// What the button was told once counts only if it is what is wished for now.
    mutating func prepareAdvertising() {
        if record.configuredReadvertising.settings != sessionSettings.advertising { record.isAdvertisingConfigured = false }
    }
}
