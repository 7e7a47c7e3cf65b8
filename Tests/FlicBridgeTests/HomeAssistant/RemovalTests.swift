import Fixtures
import FlicBridge
import FlicSimulator
import MQTT
import Testing

@Suite("Home Assistant: nothing stays that should not, and nothing of others goes")
struct RemovalTests {
    private static let bridgeTopics: Set<String> = [
        "flickit/bridge/availability", "flickit/bridge/state", "homeassistant/device/flickit_bridge/config",
    ]

    @Test("A forgotten button leaves nothing", arguments: Configuration.MQTT.Discovery.allCases)
    func forgotten(_ discovery: Configuration.MQTT.Discovery) async throws {
        try await HomeStage.play(HomeStage.configuration(discovery)) { stage, id in
            #expect(stage.broker.retained.keys.contains { $0.contains(id) })
            try await stage.scene.bridge.forget(await stage.scene.bridge.buttons[0].identifier)
            await stage.pass(.seconds(1))
            #expect(!stage.broker.retained.keys.contains { $0.contains(id) })
            #expect(stage.broker.retained["flickit/bridge/state"] != nil)
        }
    }

    @Test("A button that was forgotten while the broker was away goes when it is back")
    func forgottenMeanwhile() async throws {
        try await HomeStage.play { stage, id in
            stage.broker.refusal = MQTTError(.unreachable, "away")
            stage.broker.cut()
            try await stage.scene.bridge.forget(await stage.scene.bridge.buttons[0].identifier)
            await stage.pass(.seconds(10))
            stage.broker.refusal = nil
            await stage.pass(.seconds(30))
            #expect(Set(stage.broker.retained.keys) == Self.bridgeTopics)
        }
    }

    @Test("A button that was forgotten while the program did not run goes with the next run, also from where other settings had put it")
    func forgottenBetweenRuns() async throws {
        var configuration = HomeStage.configuration(.entity)
        configuration.discoveryPrefix = "ha/discovery"
        try await HomeStage.play(configuration) { stage, id in
            await stage.home.stop()
            await stage.scene.bridge.stop()
            let next = Scene.bridge(on: stage.scene.air, MemoryStore())
            await next.start()
            let home = await HomeStage(stage.scene, next, stage.broker, HomeStage.configuration())
            await home.home.start()
            await stage.pass(.seconds(2))
            #expect(Set(stage.broker.retained.keys) == Self.bridgeTopics)
            await next.stop()
        }
    }

    @Test("The next run knows the time of the last press, and sends no trigger again")
    func nextRun() async throws {
        try await HomeStage.play { stage, id in
            await stage.scene.button.click()
            await stage.pass(.seconds(1))
            let pressed = stage.document("flickit/\(id)/state").lastPress
            #expect(!pressed.isNull)
            await stage.home.stop()
            await stage.scene.bridge.stop()
            _ = stage.broker.take()
            let next = Scene.bridge(on: stage.scene.air, stage.scene.store)
            await next.start()
            let home = await HomeStage(stage.scene, next, stage.broker, HomeStage.configuration())
            await home.home.start()
            await stage.pass(.seconds(2))
            #expect(stage.document("flickit/\(id)/state").lastPress == pressed)
            #expect(!stage.broker.take().contains { $0.topic.contains("device_automation") })
            await next.stop()
        }
    }

    @Test("What others have published stays: other bridges, other programs, and what only looks like it")
    func others() async throws {
        let id = String(repeating: "ab", count: 16)
        let foreign = [
            "flickit/\(id)/state":
                #"{"published":{"bridge":"flickit-other","discovery":"device","discoveryPrefix":"homeassistant","gestures":["click"]}}"#,
            "flickit/\(id)/availability": "online",
            "homeassistant/device/flickit_\(id)/config": "{}",
            "flickit/\(String(repeating: "cd", count: 16))/state": #"{"published":{"bridge":"flickit-test"}}"#,
            "flickit/\(String(repeating: "ef", count: 16))/state": "no JSON",
            "flickit/UPPER/state": #"{"published":{"bridge":"flickit-test","discovery":"device","discoveryPrefix":"homeassistant","gestures":[]}}"#,
            "homeassistant/sensor/zigbee/config": "{}",
            "elsewhere/\(id)/state": #"{"published":{"bridge":"flickit-test","discovery":"device","discoveryPrefix":"homeassistant","gestures":[]}}"#,
        ]
        try await HomeStage.play(before: { broker, _ in broker.retained = foreign.mapValues { Array($0.utf8) } }) { stage, _ in
            await stage.pass(.seconds(10))
            for (topic, text) in foreign { #expect(stage.text(topic) == text, "\(topic)") }
        }
    }

    @Test("What a state of one's own says leads to no topic that a bridge would not use")
    func hostileStates() async throws {
        let id = String(repeating: "ab", count: 16)
        let states = [
            #"{"published":{"bridge":"flickit-test","discovery":"device","discoveryPrefix":"a/#","gestures":["click"]}}"#,
            #"{"published":{"bridge":"flickit-test","discovery":"entity","discoveryPrefix":"zigbee2mqtt","gestures":[\#(Array(repeating: #""click""#, count: 9).joined(separator: ","))]}}"#,
        ]
        for state in states {
            try await HomeStage.play(before: { broker, _ in broker.retained["flickit/\(id)/state"] = Array(state.utf8) }) { stage, _ in
                await stage.pass(.seconds(10))
                let cleared = stage.broker.take().filter { $0.payload.isEmpty }.map(\.topic)
                #expect(cleared == ["flickit/\(id)/availability", "flickit/\(id)/state"])
            }
        }
    }

    @Test("A flood of old states has a bound")
    func flood() async throws {
        let old = #"{"published":{"bridge":"flickit-test","discovery":"none","discoveryPrefix":"homeassistant","gestures":[]}}"#
        let topics = (0..<1500).map { number in
            let digits = String(number, radix: 16)
            return "flickit/\(String(repeating: "0", count: 32 - digits.count))\(digits)/state"
        }
        try await HomeStage.play(before: { broker, _ in for topic in topics { broker.retained[topic] = Array(old.utf8) } }) { stage, _ in
            await stage.pass(.seconds(30))
            #expect(stage.broker.retained.keys.count { $0.hasSuffix("/state") } == 502)
            stage.broker.cut()
            await stage.pass(.seconds(30))
            #expect(stage.broker.retained.keys.count { $0.hasSuffix("/state") } == 2)
        }
    }

    @Test("Other settings leave nothing of the old ones: another form, prefix, base, broker")
    func settings() async throws {
        try await HomeStage.play { stage, id in
            func discovery() -> Set<String> { Set(stage.broker.retained.keys.filter { $0.hasSuffix("/config") }) }
            func isOnly(_ word: String) -> Bool { !discovery().isEmpty && discovery().allSatisfy { $0.hasPrefix(word) } }
            await stage.home.apply(HomeStage.configuration(.entity))
            await stage.pass(.seconds(5))
            #expect(discovery().count == 11 && !discovery().contains { $0.contains("/device/") })
            var configuration = HomeStage.configuration(.entity)
            configuration.discoveryPrefix = "other"
            await stage.home.apply(configuration)
            await stage.pass(.seconds(5))
            #expect(discovery().count == 11 && isOnly("other/"))
            configuration.baseTopic = "buttons/flic"
            await stage.home.apply(configuration)
            await stage.pass(.seconds(5))
            #expect(discovery().count == 11 && !stage.broker.retained.keys.contains { $0.hasPrefix("flickit/") })
            #expect(stage.text("buttons/flic/\(id)/availability") == "online")
            configuration.clientID = "flickit-renamed"
            configuration.discovery = .none
            await stage.home.apply(configuration)
            await stage.pass(.seconds(5))
            #expect(discovery().isEmpty && stage.text("buttons/flic/\(id)/availability") == "online")
            configuration.host = "elsewhere"
            await stage.home.apply(configuration)
            await stage.pass(.milliseconds(200))
            #expect(stage.broker.options.map(\.host) == ["broker", "broker", "broker", "broker", "broker", "elsewhere"])
        }
    }

    @Test("Leaving a broker clears it, and presses of that time arrive at the next")
    func anotherBroker() async throws {
        try await HomeStage.play { stage, id in
            stage.broker.acknowledges = false
            var configuration = HomeStage.configuration()
            configuration.host = "elsewhere"
            await stage.home.apply(configuration)
            await stage.scene.button.click()
            await stage.pass(.milliseconds(500))
            // Two brokers in one: what was there is gone before the second connection is made.
            #expect(stage.broker.options.count == 1 && stage.broker.retained.isEmpty)
            stage.broker.acknowledges = true
            _ = stage.broker.take()
            await stage.pass(.seconds(5))
            #expect(stage.broker.options.map(\.host) == ["broker", "elsewhere"])
            #expect(stage.presses(id).count == 1)
            #expect(stage.text("flickit/\(id)/availability") == "online")
        }
    }

    @Test("Stopping for good leaves nothing")
    func forGood() async throws {
        try await HomeStage.play { stage, _ in
            await stage.home.stop(isForGood: true)
            #expect(stage.broker.retained.isEmpty && stage.broker.connections == 0)
        }
    }

    @Test("The same settings change nothing")
    func sameSettings() async throws {
        try await HomeStage.play { stage, _ in
            _ = stage.broker.take()
            await stage.home.apply(HomeStage.configuration())
            await stage.pass(.seconds(10))
            #expect(stage.broker.take().isEmpty && stage.broker.attempts.count == 1)
        }
    }
}
