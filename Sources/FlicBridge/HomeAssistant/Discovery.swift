import FoundationEssentials

// The documents by which Home Assistant finds devices (integration MQTT, MQTT discovery). Names of members become snake case.

/// Settings of one entity. What does not apply is left out.
struct EntitySettings: Encodable, Equatable {
    /// Null is the name of the device.
    enum Name: Encodable, Equatable {
        case ofDevice
        case own(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .ofDevice: try container.encodeNil()
            case .own(let name): try container.encode(name)
            }
        }
    }

    var name = Name.ofDevice
    var uniqueId: String
    var stateTopic: String
    var commandTopic: String?
    var valueTemplate: String?
    var eventTypes: [String]?
    var deviceClass: String?
    var stateClass: String?
    var unitOfMeasurement: String?
    var suggestedDisplayPrecision: Int?
    var entityCategory: String?
    var payloadOn: String?
    var payloadOff: String?
    var max: Int?
    var qos: Int?
    /// In place of that of the device.
    var availability: [AvailabilityTopic]?

    init(uniqueId: String, stateTopic: String) {
        self.uniqueId = uniqueId
        self.stateTopic = stateTopic
    }
}

struct AvailabilityTopic: Encodable, Equatable {
    var topic: String
}

/// A device, as all of its entities tell it.
struct DeviceSettings: Encodable, Equatable {
    var identifiers: [String]
    var connections: [[String]]?
    var name: String?
    var manufacturer: String?
    var model: String?
    var serialNumber: String?
    var swVersion: String?
    var viaDevice: String?
    var suggestedArea: String?

    init(id: String) { identifiers = ["flickit_\(id)"] }
}

/// The program behind it.
struct Origin: Encodable, Equatable {
    var name = "FlicKit"
    var swVersion: String
}

/// What all entities of a device have in common.
struct SharedSettings: Encodable, Equatable {
    var device: DeviceSettings
    var origin: Origin
    /// All of them must be online.
    var availability: [AvailabilityTopic]?
    var availabilityMode: String?
}

/// A device with all of its entities in one message.
struct DeviceDiscovery: Encodable {
    private struct Entity: Encodable {
        let component: Component
        let settings: EntitySettings

        private enum CodingKeys: CodingKey { case platform }

        func encode(to encoder: any Encoder) throws {
            try settings.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(component.platform, forKey: .platform)
        }
    }

    private enum CodingKeys: CodingKey { case components }

    let shared: SharedSettings
    let entities: [Component: EntitySettings]

    func encode(to encoder: any Encoder) throws {
        try shared.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        let components = entities.map { ($0.key.rawValue, Entity(component: $0.key, settings: $0.value)) }
        try container.encode(Dictionary(uniqueKeysWithValues: components), forKey: .components)
    }
}

/// One entity of a device.
struct EntityDiscovery: Encodable {
    let shared: SharedSettings
    let settings: EntitySettings

    func encode(to encoder: any Encoder) throws {
        try shared.encode(to: encoder)
        try settings.encode(to: encoder)
    }
}

/// A trigger of a device, for those who choose the device in the editor of automations (device_trigger.mqtt). It does not depend on anything that changes:
/// Home Assistant has been seen to lose automations whose trigger was sent again (home-assistant/core#36101).
struct DeviceTrigger: Encodable {
    /// A Flic 2 has one button.
    static let subtype = "button_1"

    var automationType = "trigger"
    var type: String
    var subtype = DeviceTrigger.subtype
    var topic: String
    var payload: String
    var qos = 1
    var device: DeviceSettings
    var origin: Origin

    init(_ gesture: Gesture, of id: String, _ topics: BridgeTopics, origin: Origin) {
        type = gesture.triggerType
        topic = topics.action(of: id)
        payload = gesture.rawValue
        device = DeviceSettings(id: id)
        self.origin = origin
    }
}
