import EventLoops
import Fixtures
import FlicBridge
import FlicSimulator
import Foundation
import MQTT
import Synchronization
import Testing

/// A button, a bridge, and what keeps a real broker in step with it; in real time.
private struct House: Sendable {
    let button: SimulatedButton
    let bridge: Bridge
    let home: HomeAssistant
    let id: String
    let remarks: HomeRemarks
    let gate: Gate

    /// Lets connections through, or not.
    final class Gate: Sendable {
        private let state = Mutex(true)

        var isOpen: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }

        func opener(_ open: @escaping MQTTOpener) -> MQTTOpener {
            { options, hear in
                guard !self.isOpen else { return open(options, hear) }
                var nowhere = options
                nowhere.port = 1
                return open(nowhere, hear)
            }
        }
    }

    init(_ broker: Mosquitto, maxAge: Duration? = nil) async throws {
        let loop = DispatchLoop(label: "house")
        let air = SimulatedAir(loop: loop)
        button = SimulatedButton(seed: 1, loop: loop)
        await air.place(button)
        bridge = Scene.bridge(on: air, MemoryStore())
        await bridge.start()
        await button.enterPublicMode()
        id = try await bridge.pair(name: "Hall").uuid
        let (gate, remarks) = (Gate(), HomeRemarks())
        (self.gate, self.remarks) = (gate, remarks)
        let home = HomeAssistant(
            bridge,
            Configuration.MQTT(host: "127.0.0.1", port: broker.port, clientID: "flickit-test", maxAge: maxAge),
            version: "1.2.3",
            open: gate.opener(MQTTClient.opener(on: loop)),
            log: { remarks.note($0, $1) }
        )
        self.home = home
        await bridge.add { home.hear($0) }
        await home.start()
    }

    func stop() async {
        await home.stop()
        await bridge.stop()
    }
}

@Suite("Home Assistant with a real broker", .enabled(if: Mosquitto.isThere), .timeLimit(.minutes(3)), .serialized)
struct MosquittoHomeTests {
    private static func options(_ broker: Mosquitto, _ clientID: String = "listener") -> MQTTOptions {
        MQTTOptions(host: "127.0.0.1", port: broker.port, clientID: clientID)
    }

    private static let filters = ["flickit/#", "homeassistant/#", "flickit-test/#"]

    /// What a broker keeps, by topic.
    private func retained(_ broker: Mosquitto) async -> [String: [UInt8]] {
        let listener = Listener(Self.options(broker, "looker"), subscribingTo: Self.filters)
        await listener.wait { $0.connections == 1 }
        await listener.catchUp()
        let messages = listener.heard.messages.filter(\.isRetained)
        await listener.stop()
        return Dictionary(messages.map { ($0.topic, $0.payload) }) { $1 }
    }

    private static func document(_ payload: [UInt8]?) -> JSONValue { HomeStage.document(payload ?? []) }

    @Test("From discovery to a press, a new name, and forgetting, nothing is retained that should not be")
    func life() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: Self.filters)
        await listener.wait { $0.connections == 1 }
        let house = try await House(broker)
        let id = house.id
        await listener.wait { $0.messages.contains { $0.topic == "flickit/\(id)/state" } }
        let kept = await retained(broker)
        #expect(
            kept.keys.sorted()
                == [
                    "flickit/\(id)/availability", "flickit/\(id)/state", "flickit/bridge/availability", "flickit/bridge/state",
                    "homeassistant/device/flickit_\(id)/config", "homeassistant/device/flickit_bridge/config",
                    "homeassistant/device_automation/flickit_\(id)/button_long_press_button_1/config",
                    "homeassistant/device_automation/flickit_\(id)/button_short_press_button_1/config",
                ].sorted()
        )
        let device = Self.document(kept["homeassistant/device/flickit_\(id)/config"])
        #expect(device.device.identifiers == .array([.string("flickit_\(id)")]) && device.device.name.string == "Hall")
        #expect(device.components.keys == ["battery", "battery_low", "connected", "last_press", "name", "press", "voltage"])
        #expect(device.components.press.event_types == .array([.string("click"), .string("hold")]))
        #expect(device.components.press.state_topic.string == "flickit/\(id)/event" && device.components.press.name.isNull)
        let trigger = Self.document(kept["homeassistant/device_automation/flickit_\(id)/button_short_press_button_1/config"])
        #expect(trigger.topic.string == "flickit/\(id)/action" && trigger.payload.string == "click" && trigger.type.string == "button_short_press")

        await house.button.click()
        await listener.wait { $0.messages.contains { $0.topic == "flickit/\(id)/action" } }
        let event = Self.document(listener.heard.messages.last { $0.topic == "flickit/\(id)/event" }?.payload)
        #expect(event.event_type.string == "click" && event.queued == .bool(false))

        listener.publish("flickit/\(id)/name/set", "Küche")
        await listener.wait {
            $0.messages.contains { $0.topic == "flickit/\(id)/state" && String(decoding: $0.payload, as: UTF8.self).contains("Küche") }
        }

        let later = await retained(broker)
        #expect(!later.keys.contains { $0.hasSuffix("/event") || $0.hasSuffix("/action") })
        #expect(Self.document(later["homeassistant/device/flickit_\(id)/config"]).device.name.string == "Küche")

        try await house.bridge.forget(await house.bridge.buttons[0].identifier)
        await listener.wait { $0.messages.contains { $0.topic == "flickit/\(id)/state" && $0.payload.isEmpty } }
        #expect(
            await retained(broker).keys.sorted() == [
                "flickit/bridge/availability", "flickit/bridge/state", "homeassistant/device/flickit_bridge/config",
            ]
        )
        await house.stop()
        #expect(await retained(broker)["flickit/bridge/availability"] == Array("offline".utf8))
        await listener.stop()
    }

    @Test("Presses before, during and after the death of the broker arrive once each, in their order")
    func death() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: Self.filters)
        await listener.wait { $0.connections == 1 }
        let house = try await House(broker)
        let id = house.id
        await listener.wait { $0.messages.contains { $0.topic == "flickit/\(id)/state" } }
        let told = Told()
        await house.bridge.add { told.hear($0) }
        for number in 0..<12 {
            await house.button.click()
            switch number {
            case 3:
                house.gate.isOpen = false
                broker.kill()
            case 7:
                try broker.start()
                // The one who counts is there first.
                listener.start(Self.options(broker), subscribingTo: Self.filters)
                await listener.wait { $0.connections == 2 }
                await listener.catchUp()
                house.gate.isOpen = true
            default: break
            }
        }
        func counts(_ heard: Listener.Heard) -> [Int64] {
            heard.messages.filter { $0.topic == "flickit/\(id)/event" }.compactMap { Self.document($0.payload).event_count.signed }
        }
        await listener.wait { heard in heard.messages.count { $0.topic == "flickit/\(id)/event" } >= 12 }
        await listener.catchUp()
        let arrived = counts(listener.heard)
        #expect(arrived.count == 12 && arrived == Set(arrived).sorted())
        #expect(told.take().count { $0.hasSuffix(" click") } == 12)
        #expect(await house.home.droppedPresses == 0)
        await house.stop()
        await listener.stop()
    }

    @Test("A press that is too old when the broker is back is told as dropped, and does not arrive")
    func dropped() async throws {
        let broker = try Mosquitto()
        let listener = Listener(Self.options(broker), subscribingTo: Self.filters)
        await listener.wait { $0.connections == 1 }
        let house = try await House(broker, maxAge: .seconds(1))
        let id = house.id
        await listener.wait { $0.messages.contains { $0.topic == "flickit/\(id)/state" } }
        house.gate.isOpen = false
        broker.kill()
        await house.button.click()
        while await house.home.droppedPresses == 0 { await Task.yield() }
        try broker.start()
        listener.start(Self.options(broker), subscribingTo: Self.filters)
        await listener.wait { $0.connections == 2 }
        house.gate.isOpen = true
        await listener.wait { heard in heard.messages.count { $0.topic == "flickit/bridge/state" } > 1 }
        await house.button.hold()
        await listener.wait { $0.messages.contains { $0.topic == "flickit/\(id)/action" } }
        await listener.catchUp()
        #expect(listener.heard.messages.filter { $0.topic == "flickit/\(id)/action" }.map { String(decoding: $0.payload, as: UTF8.self) } == ["hold"])
        #expect(house.remarks.problems.count { $0.contains("A press was dropped: it was too old.") } == 1)
        await house.stop()
        await listener.stop()
    }
}
