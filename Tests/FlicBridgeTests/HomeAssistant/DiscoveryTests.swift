import ClickClassifier
import Fixtures
import FlicBridge
import FlicSimulator
import MQTT
import Testing

@Suite("Home Assistant: how it finds the buttons")
struct DiscoveryTests {
    /// The topics below `homeassistant/` of a button with clicks and holds.
    private static func triggers(_ id: String) -> Set<String> {
        Set(["short", "long"].map { "homeassistant/device_automation/flickit_\(id)/button_\($0)_press_button_1/config" })
    }

    private static func own(_ id: String) -> Set<String> {
        Set(["bridge", id].flatMap { ["flickit/\($0)/availability", "flickit/\($0)/state"] })
    }

    @Test("One message for a device, field by field")
    func device() async throws {
        var configuration = HomeStage.configuration()
        configuration.suggestedAreas = ["hall": "Entrance", "Other": "Attic"]
        try await HomeStage.play(configuration) { stage, id in
            let topics = Set(["homeassistant/device/flickit_bridge/config", "homeassistant/device/flickit_\(id)/config"])
            #expect(Set(stage.broker.retained.keys) == topics.union(Self.triggers(id)).union(Self.own(id)))
            let document = stage.document("homeassistant/device/flickit_\(id)/config")
            #expect(document.keys == ["availability", "availability_mode", "components", "device", "origin"])
            let identity = stage.scene.button.identity
            #expect(
                document.device
                    == .object([
                        "identifiers": .array([.string("flickit_\(id)")]),
                        "connections": .array([.array([.string("mac"), .string(identity.address.description.lowercased())])]),
                        "name": .string("Hall"),
                        "manufacturer": .string("Shortcut Labs"),
                        "model": .string("Flic 2"),
                        "serial_number": .string(identity.serialNumber),
                        "sw_version": document.device.sw_version,
                        "via_device": .string("flickit_bridge"),
                        "suggested_area": .string("Entrance"),
                    ])
            )
            #expect(document.device.sw_version.string.flatMap { UInt32($0) } != nil)
            #expect(document.origin == .object(["name": .string("FlicKit"), "sw_version": .string("1.2.3")]))
            #expect(document.availability.array.map(\.topic.string) == ["flickit/bridge/availability", "flickit/\(id)/availability"])
            #expect(document.availability_mode.string == "all")
            #expect(document.components.keys == ["battery", "battery_low", "connected", "last_press", "name", "press", "voltage"])
            for key in document.components.keys {
                #expect(document.components[key].unique_id.string == "flickit_\(id)_\(key)")
            }
            #expect(
                document.components.press
                    == .object([
                        "platform": .string("event"),
                        "name": .null,
                        "unique_id": .string("flickit_\(id)_press"),
                        "state_topic": .string("flickit/\(id)/event"),
                        "event_types": .array([.string("click"), .string("hold")]),
                        "device_class": .string("button"),
                        "qos": .integer(1),
                    ])
            )
            let name = document.components.name
            #expect(name.platform.string == "text" && name.command_topic.string == "flickit/\(id)/name/set" && name.max == .integer(23))
            #expect(name.state_topic.string == "flickit/\(id)/state" && name.entity_category.string == "config")
        }
    }

    /// Component, platform, device class, unit, category, and the member of the state that it shows.
    private static let sensors: [(String, String, String?, String?, String?, String)] = [
        ("battery", "sensor", "battery", "%", "diagnostic", "batteryPercent"),
        ("voltage", "sensor", "voltage", "V", "diagnostic", "volts"),
        ("battery_low", "binary_sensor", "battery", nil, "diagnostic", "batteryLow"),
        ("connected", "binary_sensor", "connectivity", nil, "diagnostic", "connected"),
        ("last_press", "sensor", "timestamp", nil, nil, "lastPress"),
        ("name", "text", nil, nil, "config", "name"),
    ]

    @Test("One message for each entity, field by field, with members that the state has")
    func entities() async throws {
        try await HomeStage.play(HomeStage.configuration(.entity)) { stage, id in
            await stage.scene.button.click()
            await stage.pass(.seconds(1))
            let state = stage.document("flickit/\(id)/state")
            var topics = Set([
                "homeassistant/event/flickit_\(id)/press/config", "homeassistant/binary_sensor/flickit_bridge/connection/config",
                "homeassistant/sensor/flickit_bridge/bluetooth/config",
            ])
            for (component, platform, deviceClass, unit, category, member) in Self.sensors {
                let topic = "homeassistant/\(platform)/flickit_\(id)/\(component)/config"
                topics.insert(topic)
                let document = stage.document(topic)
                #expect(document.device_class.string == deviceClass && document.unit_of_measurement.string == unit, "\(component)")
                #expect(document.entity_category.string == category && document.unique_id.string == "flickit_\(id)_\(component)")
                #expect(document.value_template.string?.contains("value_json.\(member)") == true && !state[member].isNull, "\(component)")
                #expect(document.state_topic.string == "flickit/\(id)/state" && document.platform.isNull)
                #expect(document.device.identifiers == .array([.string("flickit_\(id)")]) && document.origin.name.string == "FlicKit")
                #expect(document.availability_mode.string == "all" && document.availability.array.count == 2)
            }
            #expect(Set(stage.broker.retained.keys) == topics.union(Self.triggers(id)).union(Self.own(id)))
        }
    }

    @Test("The bridge is a device, too: there by its availability, with the state of Bluetooth")
    func bridge() async throws {
        try await HomeStage.play { stage, _ in
            let document = stage.document("homeassistant/device/flickit_bridge/config")
            #expect(document.device.identifiers == .array([.string("flickit_bridge")]) && document.availability.isNull)
            let connection = document.components.connection
            #expect(connection.state_topic.string == "flickit/bridge/availability" && connection.device_class.string == "connectivity")
            #expect(connection.payload_on.string == "online" && connection.payload_off.string == "offline")
            #expect(document.components.bluetooth.availability.array.map(\.topic.string) == ["flickit/bridge/availability"])
            #expect(stage.document("flickit/bridge/state").bluetooth.string == "poweredOn")
            #expect(
                stage.broker.options.last?.will
                    == MQTTMessage(topic: "flickit/bridge/availability", payload: Array("offline".utf8), quality: .atLeastOnce, isRetained: true)
            )
        }
    }

    @Test("Triggers have the words of Home Assistant's editor and match the action")
    func deviceTriggers() async throws {
        try await HomeStage.play { stage, id in
            let gestures = [("short", "click"), ("long", "hold")]
            for (word, gesture) in gestures {
                let document = stage.document("homeassistant/device_automation/flickit_\(id)/button_\(word)_press_button_1/config")
                #expect(
                    document
                        == .object([
                            "automation_type": .string("trigger"),
                            "type": .string("button_\(word)_press"),
                            "subtype": .string("button_1"),
                            "topic": .string("flickit/\(id)/action"),
                            "payload": .string(gesture),
                            "qos": .integer(1),
                            "device": .object(["identifiers": .array([.string("flickit_\(id)")])]),
                            "origin": .object(["name": .string("FlicKit"), "sw_version": .string("1.2.3")]),
                        ])
                )
            }
        }
    }

    @Test("Without discovery there are only the bridge's own topics")
    func none() async throws {
        try await HomeStage.play(HomeStage.configuration(.none)) { stage, id in
            #expect(Set(stage.broker.retained.keys) == Self.own(id))
        }
    }

    @Test("The trigger mode decides what there can be; what there cannot be any more is removed")
    func mode() async throws {
        try await HomeStage.play { stage, id in
            let identifier = await stage.scene.bridge.buttons[0].identifier
            func types() -> [String?] {
                stage.document("homeassistant/device/flickit_\(id)/config").components.press.event_types.array.map(\.string)
            }
            func triggers() -> [String] {
                stage.broker.retained.keys.filter { $0.contains("device_automation") }.compactMap {
                    $0.split(separator: "/").dropLast().last.map(String.init)
                }.sorted()
            }
            for (rules, expected, words) in [
                (ClickRules.standard(.click), ["click"], ["short"]),
                (.standard(.clickAndDoubleClickAndHold), ["click", "double_click", "hold"], ["double", "long", "short"]),
                (
                    .custom(.clickAndDoubleClick, limits: ClickClassifier.Limits(tripleClick: true)), ["click", "double_click", "triple_click"],
                    ["double", "short", "triple"]
                ),
            ] {
                try await stage.scene.bridge.change(identifier) { await $0.setClickRules(rules) }
                await stage.pass(.seconds(1))
                #expect(types() == expected)
                #expect(triggers() == words.map { "button_\($0)_press_button_1" })
            }
        }
    }

    @Test("Names that people have given are text, whatever is in them", arguments: ["\"}, {\"x\": \"", "Küche 💡", "{{ 1 + 1 }}", "a\\b/c#+"])
    func names(_ name: String) async throws {
        try await HomeStage.play(name: name) { stage, id in
            let document = stage.document("homeassistant/device/flickit_\(id)/config")
            let state = stage.document("flickit/\(id)/state")
            #expect(document.device.name.string == name && state.name.string == name)
        }
    }
}
