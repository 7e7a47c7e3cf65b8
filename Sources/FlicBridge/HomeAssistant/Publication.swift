import FoundationEssentials

/// By which topics a button, or the bridge, was made known to Home Assistant. It is part of what stays at the broker, so that all of it can be removed later,
/// also by the next run with other settings.
struct Publication: Codable, Sendable, Equatable {
    /// The client identifier of the bridge: nobody clears the topics of others.
    var bridge: String
    var discovery: Configuration.MQTT.Discovery
    var discoveryPrefix: String
    /// Those with a device trigger; empty for the bridge.
    var gestures: [Gesture]

    /// The topics of discovery messages, which are retained.
    ///
    /// - Parameter id: That of a button, or ``BridgeTopics/bridge``.
    func topics(of id: String) -> Set<String> {
        guard isUsable else { return [] }
        let components = id == BridgeTopics.bridge ? Component.ofBridge : Component.ofButtons
        switch discovery {
        case .none: return []
        case .device: return Set([deviceTopic(of: id)] + gestures.map { triggerTopic(of: id, $0) })
        case .entity: return Set(components.map { topic(of: id, $0) } + gestures.map { triggerTopic(of: id, $0) })
        }
    }

    /// It comes from a broker: it must not lead to topics that no bridge would use.
    private var isUsable: Bool {
        discoveryPrefix.utf8.count <= 1024 && gestures.count <= Gesture.allCases.count
            && !discoveryPrefix.contains { $0 == "+" || $0 == "#" || $0 == "\0" }
    }

    func deviceTopic(of id: String) -> String { "\(discoveryPrefix)/device/flickit_\(id)/config" }

    func topic(of id: String, _ component: Component) -> String {
        "\(discoveryPrefix)/\(component.platform)/flickit_\(id)/\(component.rawValue)/config"
    }

    func triggerTopic(of id: String, _ gesture: Gesture) -> String {
        "\(discoveryPrefix)/device_automation/flickit_\(id)/\(gesture.triggerType)_\(DeviceTrigger.subtype)/config"
    }

    /// Whether a trigger was made known.
    func hasTrigger(_ gesture: Gesture) -> Bool { discovery != .none && gestures.contains(gesture) }
}

extension Configuration.MQTT.Discovery: Codable {}
