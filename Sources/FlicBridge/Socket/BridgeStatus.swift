/// What a daemon knows of itself.
package struct BridgeStatus: Codable, Sendable, Equatable {
    /// Of the program.
    package var version: String
    /// Seconds since it was started.
    package var uptime: Double
    /// The state of Bluetooth: a word of ``EventRecord/state``.
    package var bluetooth: String
    /// Why Bluetooth is not available, where that is known: a sentence.
    package var problem: String?
    /// Buttons with a link.
    package var connected: Int
    /// How many links the adapter can hold, if it has refused one lately.
    package var connectionLimit: Int?
    /// Clients of the socket.
    package var clients: Int
    /// The directory of the pairings.
    package var store: String?
    /// What has become of the rules, by their names: counters.
    package var rules: [String: [String: Int]]?
    package var buttons: [ButtonStatus]
}

/// The state of things at the moment from which a client is told of events.
package struct BridgeSnapshot: Codable, Sendable, Equatable {
    /// The state of Bluetooth: a word of ``EventRecord/state``.
    package var bluetooth: String
    /// Those whose events are told.
    package var buttons: [ButtonStatus]
}
