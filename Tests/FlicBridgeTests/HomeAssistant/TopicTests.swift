import MQTT
import Testing

@testable import FlicBridge

@Suite("Home Assistant: topics")
struct TopicTests {
    private static let id = "00112233445566778899aabbccddeeff"
    private let topics = BridgeTopics(base: "home/flic", discoveryPrefix: "ha")

    @Test("What a message is about")
    func subjects() {
        let id = Self.id
        #expect(topics.subject(of: "home/flic/\(id)/state") == .state(of: id))
        #expect(topics.subject(of: "home/flic/bridge/state") == .state(of: "bridge"))
        #expect(topics.subject(of: "home/flic/bridge/availability") == .bridgeAvailability)
        #expect(topics.subject(of: "home/flic/\(id)/name/set") == .nameCommand(of: id))
        #expect(topics.subject(of: "ha/status") == .homeAssistantStatus)
    }

    @Test(
        "What it is not",
        arguments: [
            "", "/", "home/flic", "home/flic/", "home/flic//state", "home/flic/\(id)", "home/flic/\(id)/", "home/flic/\(id)/state/",
            "home/flic/bridge/name/set",
            "home/flic/\(id.uppercased())/state", "home/flic/\(id)0/state", "home/flic/\(id.dropLast())é/state", "home/flicx/\(id)/state",
            "home/flic/+/state",
            "home/flic/\(id)/event", "flic/\(id)/state", "x/ha/status",
        ]
    )
    func others(_ topic: String) {
        #expect(topics.subject(of: topic) == nil)
    }

    @Test("Everything that is subscribed to is understood")
    func filters() {
        let subjects = topics.filters.map { topics.subject(of: $0.replacing("+", with: Self.id)) }
        #expect(subjects == [.state(of: Self.id), .bridgeAvailability, .nameCommand(of: Self.id), .homeAssistantStatus])
    }

    @Test("The usual client identifier is the same each time and one that every broker takes")
    func clientID() {
        let id = MQTTOptions.usualClientID
        #expect(id == MQTTOptions.usualClientID && id.utf8.count <= 23 && id.hasPrefix("flickit-"))
        #expect(id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }
}
