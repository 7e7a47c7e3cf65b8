/// The topics of a bridge. The `id` of a button is its uuid, which is the same on every machine and under every name.
///
/// ```
/// flickit/bridge/availability   online | offline            retained, and the will
/// flickit/bridge/state          JSON                        retained
/// flickit/<id>/availability     online | offline            retained
/// flickit/<id>/state            JSON (ButtonState)          retained
/// flickit/<id>/event            JSON (PressReport)          never retained
/// flickit/<id>/action           click | double_click | …    never retained
/// flickit/<id>/name/set         a new name                  to the bridge
/// ```
struct BridgeTopics: Sendable, Equatable {
    /// In place of the id of a button.
    static let bridge = "bridge"

    /// In front of all of them.
    let base: String
    /// In front of those by which Home Assistant finds devices.
    let discoveryPrefix: String

    func availability(of id: String) -> String { "\(base)/\(id)/availability" }
    func state(of id: String) -> String { "\(base)/\(id)/state" }
    func event(of id: String) -> String { "\(base)/\(id)/event" }
    func action(of id: String) -> String { "\(base)/\(id)/action" }
    func nameCommand(of id: String) -> String { "\(base)/\(id)/name/set" }

    /// Where Home Assistant says that it has started (integration MQTT, birth and last will).
    var homeAssistantStatus: String { "\(discoveryPrefix)/status" }

    /// What a bridge subscribes to: what it is asked for, and what it has published before.
    var filters: [String] { [state(of: "+"), availability(of: Self.bridge), nameCommand(of: "+"), homeAssistantStatus] }

    /// What a message is about.
    enum Subject: Equatable {
        /// A state that this bridge, or another one, has published; of a button or of ``BridgeTopics/bridge``.
        case state(of: String)
        case bridgeAvailability
        case nameCommand(of: String)
        case homeAssistantStatus
    }

    /// Nil if it is about nothing that was asked for.
    func subject(of topic: String) -> Subject? {
        if topic == homeAssistantStatus { return .homeAssistantStatus }
        if topic == availability(of: Self.bridge) { return .bridgeAvailability }
        guard topic.hasPrefix(base + "/") else { return nil }
        let levels = topic.dropFirst(base.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard let id = levels.first.map(String.init), id == Self.bridge || Self.isID(id) else { return nil }
        switch levels.dropFirst() {
        case ["state"]: return .state(of: id)
        case ["name", "set"] where id != Self.bridge: return .nameCommand(of: id)
        default: return nil
        }
    }

    /// The uuid of a button.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
    }
}
