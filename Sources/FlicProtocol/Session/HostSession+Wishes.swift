/// What the app wishes of a button, at any time: told at once if the session is running, else in its start-up.
extension HostSession {
    /// Renames the button: at once if the session is running, else in its start-up.
    package mutating func rename(_ rename: Rename, now: Duration, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.rename(rename), now, actions[first...]) }
        guard let request = names.rename(rename) else { return }
        ask(.init(request, answers: SetNameResponse.self), now: now, into: &actions)
    }

    /// Changes the connection parameters: at once if the session is running, else in its start-up.
    package mutating func setConnectionParameters(_ parameters: SessionSettings.ConnectionParameters, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.setConnectionParameters(parameters), nil, actions[first...]) }
        settings.connectionParameters = parameters
        if case .running = phase { sendConnectionParameters(into: &actions) }
    }

    /// Changes how long the button keeps an idle link (protocol 9.6): at once if the session is running, else in its start-up.
    ///
    /// - Parameter seconds: 40 to 510, or 511 for never.
    package mutating func setAutoDisconnectTime(_ seconds: UInt16, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.setAutoDisconnectTime(seconds), nil, actions[first...]) }
        settings.autoDisconnectTime = seconds
        if case .running = phase { sendAutoDisconnectTime(into: &actions) }
    }

    /// Changes how the button advertises after a lost link (protocol 9.5): at once if the session is running, else in its start-up.
    /// Firmware before 6 is not asked.
    package mutating func setAdvertising(_ advertising: SessionSettings.Advertising, now: Duration, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.setAdvertising(advertising), now, actions[first...]) }
        guard advertising != settings.advertising else { return }
        settings.advertising = advertising
        isAdvertisingConfigured = false
        if case .running = phase { requestAdvertising(now: now, into: &actions) }
    }
}
