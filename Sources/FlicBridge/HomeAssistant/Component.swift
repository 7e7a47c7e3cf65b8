/// An entity that a button or the bridge has in Home Assistant. The raw value is its name in topics and identifiers, which never changes.
enum Component: String, CaseIterable, Sendable {
    case press
    case battery
    case voltage
    case batteryLow = "battery_low"
    case connected
    case lastPress = "last_press"
    case name
    /// The bridge is there.
    case connection
    /// The state of Bluetooth.
    case bluetooth

    static let ofButtons: [Component] = [.press, .battery, .voltage, .batteryLow, .connected, .lastPress, .name]
    static let ofBridge: [Component] = [.connection, .bluetooth]

    /// The platform of the entity.
    var platform: String {
        switch self {
        case .press: "event"
        case .battery, .voltage, .lastPress, .bluetooth: "sensor"
        case .batteryLow, .connected, .connection: "binary_sensor"
        case .name: "text"
        }
    }

    /// Its settings (Home Assistant's documentation of event.mqtt, sensor.mqtt, binary_sensor.mqtt and text.mqtt).
    ///
    /// - Parameters:
    ///   - id: That of the button, or ``BridgeTopics/bridge``.
    ///   - gestures: What the event can be.
    func settings(of id: String, _ topics: BridgeTopics, _ gestures: [Gesture]) -> EntitySettings {
        var settings = EntitySettings(uniqueId: "flickit_\(id)_\(rawValue)", stateTopic: topics.state(of: id))
        switch self {
        case .press:
            settings.stateTopic = topics.event(of: id)
            settings.eventTypes = gestures.map(\.rawValue)
            settings.deviceClass = "button"
            settings.qos = 1
        case .battery:
            settings.name = .own("Battery")
            settings.deviceClass = "battery"
            settings.unitOfMeasurement = "%"
            settings.stateClass = "measurement"
            settings.entityCategory = "diagnostic"
            settings.valueTemplate = "{{ value_json.batteryPercent | default(none) }}"
        case .voltage:
            settings.name = .own("Battery voltage")
            settings.deviceClass = "voltage"
            settings.unitOfMeasurement = "V"
            settings.stateClass = "measurement"
            settings.suggestedDisplayPrecision = 2
            settings.entityCategory = "diagnostic"
            settings.valueTemplate = "{{ value_json.volts | default(none) }}"
        case .batteryLow:
            settings.name = .own("Battery low")
            settings.deviceClass = "battery"
            settings.entityCategory = "diagnostic"
            settings.valueTemplate =
                "{% if value_json.batteryLow is defined %}{{ 'ON' if value_json.batteryLow else 'OFF' }}{% else %}None{% endif %}"
        case .connected:
            settings.name = .own("Connected")
            settings.deviceClass = "connectivity"
            settings.entityCategory = "diagnostic"
            settings.valueTemplate = "{{ 'ON' if value_json.connected else 'OFF' }}"
        case .lastPress:
            settings.name = .own("Last press")
            settings.deviceClass = "timestamp"
            settings.valueTemplate = "{{ value_json.lastPress | default(none) }}"
        case .name:
            settings.name = .own("Name")
            settings.commandTopic = topics.nameCommand(of: id)
            settings.max = 23  // bytes; Home Assistant counts characters
            settings.qos = 1
            settings.entityCategory = "config"
            settings.valueTemplate = "{{ value_json.name | default('') }}"
        case .connection:
            settings.name = .own("Connection")
            settings.stateTopic = topics.availability(of: id)
            settings.deviceClass = "connectivity"
            settings.payloadOn = Availability.online.rawValue
            settings.payloadOff = Availability.offline.rawValue
            settings.entityCategory = "diagnostic"
        case .bluetooth:
            settings.name = .own("Bluetooth")
            settings.entityCategory = "diagnostic"
            settings.valueTemplate = "{{ value_json.bluetooth }}"
            settings.availability = [AvailabilityTopic(topic: topics.availability(of: id))]
        }
        return settings
    }
}

/// Whether a button can be used, or the bridge is there; the words are Home Assistant's defaults.
enum Availability: String {
    case online
    case offline
}
