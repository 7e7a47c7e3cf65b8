import FlicClient
import FoundationEssentials

/// A button as its daemon sees it: the members of ``ButtonFacts``, and how it is doing.
package struct ButtonStatus: Codable, Sendable, Equatable {
    package var facts: ButtonFacts
    /// The link: a ``ButtonInfo/State``.
    package var state: String
    /// Whether presses can come.
    package var ready: Bool
    /// Presses since the daemon was started.
    package var presses: Int
    /// When the button last gave a sign of life since then: UTC, ISO 8601.
    package var lastSeen: String?

    init(_ info: ButtonInfo, _ history: ButtonHistory?, event: String? = nil) {
        facts = ButtonFacts(info, event: event)
        state = info.state.rawValue
        ready = info.isReady
        presses = history?.presses ?? 0
        lastSeen = history?.lastSeen.formatted(Date.ISO8601FormatStyle())
    }

    private enum CodingKeys: CodingKey {
        case state, ready, presses, lastSeen
    }

    package init(from decoder: any Decoder) throws {
        facts = try ButtonFacts(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = try container.decode(String.self, forKey: .state)
        ready = try container.decode(Bool.self, forKey: .ready)
        presses = try container.decode(Int.self, forKey: .presses)
        lastSeen = try container.decodeIfPresent(String.self, forKey: .lastSeen)
    }

    package func encode(to encoder: any Encoder) throws {
        try facts.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encode(ready, forKey: .ready)
        try container.encode(presses, forKey: .presses)
        try container.encodeIfPresent(lastSeen, forKey: .lastSeen)
    }
}

/// What has happened to a button since the daemon was started.
struct ButtonHistory: Sendable {
    private(set) var presses = 0
    private(set) var lastSeen: Date

    /// Nil if the notice is no sign of life.
    init?(_ notice: ButtonNotice, after history: ButtonHistory?, date: Date) {
        if case .failedToConnect = notice { return nil }
        lastSeen = date
        presses = history?.presses ?? 0
        if case .press(let press) = notice, press.kind == .down { presses += 1 }
    }
}
