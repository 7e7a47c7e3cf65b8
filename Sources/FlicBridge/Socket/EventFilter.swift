import FlicClient
import FoundationEssentials

/// Which events a client is told of.
struct EventFilter: Sendable {
    /// All that there are.
    static let names = [
        "down", "up", "click", "doubleClick", "tripleClick", "hold", "swipeLeft", "swipeRight", "swipeUp", "swipeDown", "turned", "connected",
        "ready", "notReady", "disconnected", "failedToConnect", "unpaired",
        "battery", "renamed", "bluetooth", "added", "removed", "changed",
    ]

    /// In a request.
    private static let mostNames = 256

    /// Nil for all.
    private let buttons: Set<UUID>?
    /// Nil for all.
    private let events: Set<String>?

    init(_ request: BridgeRequest, among known: [ButtonInfo]) throws {
        for (count, member) in [(request.buttons?.count, BridgeRequest.CodingKeys.buttons), (request.events?.count, .events)] {
            guard (count ?? 0) <= Self.mostNames else { throw BridgeRequest.bad(member, "an array of at most \(Self.mostNames) texts") }
        }
        let choice = ButtonChoice(buttons: known)
        buttons = try request.buttons.map { texts in Set(try texts.map { try choice.button($0).identifier }) }
        events = try request.events.map { events in
            for event in events where !Self.names.contains(event) {
                throw BridgeRequest.bad(.events, "an array of \(Self.names.joined(separator: ", ")), not '\(event.excerpt)'")
            }
            return Set(events)
        }
    }

    func admits(_ button: UUID) -> Bool { buttons?.contains(button) ?? true }

    /// - Parameter button: Whom it is about; nil for none.
    func admits(_ event: String, of button: UUID?) -> Bool {
        (events?.contains(event) ?? true) && (button.map(admits) ?? true)
    }
}
