import FlicClient

/// A request to a daemon: a line of JSON. ``SocketServer`` says what each one means.
package struct BridgeRequest: Codable, Sendable, Equatable {
    /// What can be asked for.
    package enum Name: String, Codable, Sendable, CaseIterable {
        case ping, status, list, metrics
        case subscribe, unsubscribe
        case pair, cancel
        case rename, forget, mode, latency, queue, autoDisconnect, connect, disconnect
    }

    /// Comes back with the answer.
    package var id: RequestID?
    package var request: Name
    /// What ``ButtonChoice`` understands.
    package var button: String?
    /// A nickname; "" for none.
    package var name: String?
    /// `click`, `hold`, `double` or `all`.
    package var mode: String?
    /// Seconds.
    package var doubleClickTime: Double?
    /// Seconds.
    package var holdTime: Double?
    package var tripleClick: Bool?
    /// `normal` or `low`.
    package var latency: String?
    /// A ``QueuePolicy``.
    package var policy: String?
    package var seconds: Double?
    /// Seconds.
    package var timeout: Double?
    /// Those whose events are wanted; nil for all.
    package var buttons: [String]?
    /// The names of events that are wanted; nil for all.
    package var events: [String]?

    package init(_ request: Name, button: String? = nil) {
        self.request = request
        self.button = button
    }

    /// The members of each request: those that it needs, and those that it may have.
    static func members(of request: Name) -> (needed: Set<CodingKeys>, possible: Set<CodingKeys>) {
        switch request {
        case .ping, .status, .list, .metrics, .unsubscribe, .cancel: ([], [])
        case .subscribe: ([], [.buttons, .events])
        case .pair: ([], [.name, .timeout])
        case .rename: ([.button, .name], [])
        case .mode: ([.button, .mode], [.doubleClickTime, .holdTime, .tripleClick])
        case .latency: ([.button, .latency], [])
        case .queue: ([.button], [.policy])
        case .autoDisconnect: ([.button], [.seconds])
        case .forget, .connect, .disconnect: ([.button], [])
        }
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, request, button, name, mode, doubleClickTime, holdTime, tripleClick, latency, policy, seconds, timeout, buttons, events
    }
}

// MARK: Values

extension BridgeRequest {
    /// How long a pairing may take.
    static let pairingTimes = 1.0...3600.0
    /// What a button can be told (protocol 9.6).
    static let autoDisconnectTimes = 40.0...510.0
    func clickRules() throws(BridgeRefusal) -> ClickRules {
        guard let mode = TriggerMode(name: mode ?? "") else { throw Self.bad(.mode, Self.list(TriggerMode.names)) }
        return ClickRules(
            mode,
            doubleClickTime: try Self.checked(doubleClickTime, .doubleClickTime, ClickRules.seconds),
            holdTime: try Self.checked(holdTime, .holdTime, ClickRules.seconds),
            tripleClick: tripleClick ?? false
        )
    }

    func latencyMode() throws(BridgeRefusal) -> LatencyMode {
        guard let mode = LatencyMode(rawValue: latency ?? "") else { throw Self.bad(.latency, Self.list(["normal", "low"])) }
        return mode
    }

    func queuePolicy() throws(BridgeRefusal) -> QueuePolicy? {
        guard let policy else { return nil }
        guard let chosen = QueuePolicy(policy) else {
            throw Self.bad(.policy, Self.list(["all", "none", "latest:N", "not-older:SECONDS", "latest-of-each-kind"]))
        }
        return chosen
    }

    func autoDisconnectTime() throws(BridgeRefusal) -> Duration? {
        try Self.checked(seconds, .seconds, Self.autoDisconnectTimes).map { .seconds($0) }
    }

    func pairingTime() throws(BridgeRefusal) -> Duration { .seconds(try Self.checked(timeout, .timeout, Self.pairingTimes) ?? 30) }

    private static func checked(_ number: Double?, _ member: CodingKeys, _ range: ClosedRange<Double>) throws(BridgeRefusal) -> Double? {
        guard let number else { return nil }
        guard range.contains(number) else { throw bad(member, "a number of seconds from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    static func bad(_ member: CodingKeys, _ rule: String) -> BridgeRefusal {
        BridgeRefusal(.badValue, "The member '\(member.rawValue)' has to be \(rule).")
    }

    private static func list(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: ", ") }
}
