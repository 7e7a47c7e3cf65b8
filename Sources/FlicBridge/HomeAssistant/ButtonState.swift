import FlicClient
import FoundationEssentials

/// What is retained of a button at the broker: the facts about it, and how it was made known.
struct ButtonState: Encodable {
    private enum CodingKeys: CodingKey {
        case connected
        case lastPress
        case published
    }

    let facts: ButtonFacts
    /// Whether events can come.
    let connected: Bool
    /// When something was done with it last: UTC, ISO 8601; left out if that is not known.
    let lastPress: String?
    let published: Publication

    func encode(to encoder: any Encoder) throws {
        try facts.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(connected, forKey: .connected)
        try container.encodeIfPresent(lastPress, forKey: .lastPress)
        try container.encode(published, forKey: .published)
    }
}

/// The same of the bridge.
struct BridgeState: Encodable {
    /// The state of Bluetooth.
    let bluetooth: String
    let published: Publication
}

/// What a bridge reads of a state that it finds at the broker.
struct RetainedState: Decodable {
    /// Larger ones are not read, in bytes.
    private static let largest = 16_384

    let published: Publication
    let lastPress: String?

    /// Nil if no bridge has written it.
    init?(_ payload: [UInt8]) {
        guard payload.count <= Self.largest, let state = try? JSONDecoder().decode(Self.self, from: Data(payload)) else { return nil }
        self = state
    }

    /// The time of the last press; nil if it is none, or not over.
    func lastPress(now: Date) -> Date? {
        lastPress.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()) }.flatMap { $0 <= now ? $0 : nil }
    }
}
