import FlicProtocol

/// Each call returns what the session wants done, so that tests read like transcripts.
extension HostSession {
    mutating func start(_ random: Randomness = .scripted, at now: Duration = .zero) -> [Action] {
        var actions: [Action] = []
        start(random: random, now: now, into: &actions)
        return actions
    }

    mutating func receive(_ frames: [[UInt8]], at now: Duration = .zero) -> [Action] {
        var actions: [Action] = []
        for frame in frames { receive(frame.span, now: now, into: &actions) }
        return actions
    }

    mutating func tick(at now: Duration) -> [Action] {
        var actions: [Action] = []
        tick(now: now, into: &actions)
        return actions
    }

    mutating func rename(_ rename: Rename, at now: Duration = .zero) -> [Action] {
        var actions: [Action] = []
        self.rename(rename, now: now, into: &actions)
        return actions
    }

    mutating func setConnectionParameters(_ parameters: SessionSettings.ConnectionParameters) -> [Action] {
        var actions: [Action] = []
        setConnectionParameters(parameters, into: &actions)
        return actions
    }

    mutating func setAutoDisconnectTime(_ seconds: UInt16) -> [Action] {
        var actions: [Action] = []
        setAutoDisconnectTime(seconds, into: &actions)
        return actions
    }

    mutating func setAdvertising(_ advertising: SessionSettings.Advertising) -> [Action] {
        var actions: [Action] = []
        setAdvertising(advertising, now: .zero, into: &actions)
        return actions
    }

    mutating func close() -> [Action] {
        var actions: [Action] = []
        close(into: &actions)
        return actions
    }
}

extension HostSession.Randomness {
    /// What the clients of these tests draw.
    static let scripted = HostSession.Randomness(
        temporaryID: 0x0403_0201,
        privateKey: SecretBytes([UInt8](repeating: 0x43, count: 32)),
        fullVerify: [0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7],
        quickVerify: [0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6]
    )
}
