import Fixtures
import FlicBridge
import FlicSimulator
import Foundation
import MQTT
import Testing

@Suite("Home Assistant: what the broker is told")
struct HomeAssistantTests {
    @Test("A press is an event and an action, once each, and is never retained")
    func press() async throws {
        try await HomeStage.play { stage, id in
            _ = stage.broker.take()
            await stage.scene.button.click()
            await stage.pass(.seconds(1))
            let about = stage.broker.take().filter { !$0.isRetained }
            #expect(about.map(\.topic) == ["flickit/\(id)/event", "flickit/\(id)/action"])
            #expect(about.map(\.quality) == [.atLeastOnce, .atLeastOnce] && about.last?.payload == Array("click".utf8))
            let event = try JSONDecoder().decode(JSONValue.self, from: Data(about[0].payload))
            #expect(event.keys == ["age", "event_count", "event_type", "queued", "timestamp"])
            #expect(event.event_type.string == "click" && event.queued == .bool(false) && event.age == .integer(0))
            #expect(event.event_count.signed ?? 0 > 0)
            let state = stage.document("flickit/\(id)/state")
            #expect(state.lastPress.string == event.timestamp.string.map { $0.prefix(19) + "Z" })
            #expect(stage.broker.retained.keys.allSatisfy { !$0.hasSuffix("/event") && !$0.hasSuffix("/action") })
        }
    }

    @Test("A press from before the button was ready is told with its age and its time")
    func queued() async throws {
        try await HomeStage.play { stage, id in
            await stage.scene.air.setInRange(false, stage.scene.button.identity.address)
            await stage.pass(.seconds(60))
            await stage.scene.button.click()
            let pressed = HomeStage.midnight.addingTimeInterval(stage.scene.loop.now / .seconds(1))
            _ = stage.broker.take()
            await stage.pass(.seconds(9))
            await stage.scene.air.setInRange(true, stage.scene.button.identity.address)
            await stage.pass(.seconds(60))
            let events = stage.presses(id)
            #expect(events.count == 1 && events[0].queued == .bool(true) && events[0].age.signed ?? 0 >= 9)
            let told = try Date(events[0].timestamp.string ?? "", strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            #expect(abs(told.timeIntervalSince(pressed)) <= 1.5)
        }
    }

    @Test("A press waits for the broker and says how long; one that waits too long is dropped, and told as that")
    func brokerAway() async throws {
        try await HomeStage.play(HomeStage.configuration(maxAge: .seconds(40))) { stage, id in
            stage.broker.refusal = MQTTError(.unreachable, "away")
            stage.broker.cut()
            await stage.scene.button.click()
            await stage.pass(.seconds(35))
            await stage.scene.button.click()
            await stage.pass(.seconds(6))
            #expect(await stage.home.droppedPresses == 1)
            #expect(stage.remarks.problems.count { $0.contains("A press was dropped: it was too old.") } == 1)
            stage.broker.refusal = nil
            _ = stage.broker.take()
            while await stage.home.connection != .connected { await stage.pass(.seconds(1)) }
            await stage.pass(.seconds(1))
            let events = stage.presses(id)
            #expect(events.count == 1 && events[0].queued == .bool(true) && (6...40).contains(events[0].age.signed ?? 0))
            #expect(await stage.home.droppedPresses == 1)
        }
    }

    @Test("A press that is too old when it arrives is not published")
    func tooOld() async throws {
        try await HomeStage.play(HomeStage.configuration(maxAge: .seconds(5))) { stage, id in
            await stage.scene.air.setInRange(false, stage.scene.button.identity.address)
            await stage.pass(.seconds(60))
            await stage.scene.button.click()
            await stage.pass(.seconds(9))
            await stage.scene.air.setInRange(true, stage.scene.button.identity.address)
            await stage.pass(.seconds(60))
            #expect(stage.presses(id).isEmpty)
            #expect(await stage.home.droppedPresses == 1)
        }
    }

    @Test("When Home Assistant starts, everything is told again within three seconds, but for the triggers; once for several times")
    func birth() async throws {
        try await HomeStage.play { stage, id in
            let before = Set(stage.broker.retained.keys)
            _ = stage.broker.take()
            stage.broker.publish("homeassistant/status", "offline")
            await stage.pass(.milliseconds(3100))
            #expect(stage.broker.take().count == 1)
            stage.broker.publish("homeassistant/status", "online")
            stage.broker.publish("homeassistant/status", "online")
            await stage.pass(.milliseconds(3100))
            let told = stage.broker.take().map(\.topic).filter { $0 != "homeassistant/status" }
            #expect(told.sorted() == before.filter { !$0.contains("device_automation") }.sorted())
            await stage.pass(.seconds(10))
            #expect(stage.broker.take().isEmpty)
        }
    }

    @Test("The delay after the start of Home Assistant is not always the same")
    func delays() async throws {
        try await HomeStage.play { stage, _ in
            var delays: Set<Duration> = []
            for _ in 0..<5 {
                _ = stage.broker.take()
                let start = stage.scene.loop.now
                stage.broker.publish("homeassistant/status", "online")
                while stage.broker.take().allSatisfy({ $0.topic == "homeassistant/status" }) { await stage.pass(.milliseconds(50)) }
                delays.insert(stage.scene.loop.now - start)
            }
            #expect(delays.count >= 4 && delays.allSatisfy { $0 < .milliseconds(3100) })
        }
    }

    @Test("After a lost connection everything is told again, the triggers only if the broker has lost them")
    func reconnection() async throws {
        try await HomeStage.play { stage, id in
            let before = Set(stage.broker.retained.keys)
            _ = stage.broker.take()
            stage.broker.retained["homeassistant/status"] = Array("online".utf8)
            stage.broker.cut()
            #expect(stage.text("flickit/bridge/availability") == "offline")
            _ = stage.broker.take()
            await stage.pass(.seconds(10))
            #expect(stage.text("flickit/bridge/availability") == "online")
            #expect(stage.broker.take().map(\.topic).sorted() == before.filter { !$0.contains("device_automation") }.sorted())
            stage.broker.retained = [:]
            stage.broker.cut()
            await stage.pass(.seconds(5))
            #expect(Set(stage.broker.retained.keys) == before)
        }
    }

    @Test("Nothing is told twice that has not changed")
    func once() async throws {
        try await HomeStage.play { stage, id in
            await stage.scene.button.click()
            await stage.pass(.seconds(1))
            _ = stage.broker.take()
            await stage.scene.air.loseLink(to: stage.scene.button.identity.address)
            await stage.pass(.seconds(100))
            let told = stage.broker.take()
            #expect(Set(told.map(\.topic)) == ["flickit/\(id)/state"])
            #expect(zip(told, told.dropFirst()).allSatisfy { $0.payload != $1.payload })
        }
    }

    @Test("A button that sleeps is not offline; it is where Bluetooth is off, or its pairing is void")
    func availability() async throws {
        try await HomeStage.play { stage, id in
            let address = stage.scene.button.identity.address
            func state() -> (String?, JSONValue) {
                (stage.text("flickit/\(id)/availability"), stage.document("flickit/\(id)/state").connected)
            }
            #expect(state() == ("online", .bool(true)))
            await stage.scene.air.setInRange(false, address)
            await stage.pass(.seconds(60))
            #expect(state() == ("online", .bool(false)))
            await stage.scene.air.setState(.poweredOff)
            await stage.pass(.seconds(1))
            #expect(state() == ("offline", .bool(false)))
            #expect(stage.document("flickit/bridge/state").bluetooth.string == "poweredOff")
            await stage.scene.air.setState(.poweredOn)
            await stage.scene.air.setInRange(true, address)
            await stage.scene.button.click()
            await stage.pass(.seconds(60))
            #expect(state() == ("online", .bool(true)))
            await stage.scene.button.factoryReset()
            await stage.scene.button.click()
            await stage.pass(.seconds(200))
            #expect(stage.document("flickit/\(id)/state").unpaired == .bool(true))
            #expect(state().0 == "offline")
        }
    }

    @Test("The end is told; a late will of an earlier connection is put right")
    func offline() async throws {
        try await HomeStage.play { stage, id in
            stage.broker.publish("flickit/bridge/availability", "offline", isRetained: true)
            await stage.pass(.seconds(1))
            #expect(stage.text("flickit/bridge/availability") == "online")
            await stage.home.stop()
            #expect(stage.text("flickit/bridge/availability") == "offline" && stage.broker.connections == 0)
            _ = stage.broker.take()
            await stage.scene.button.click()
            await stage.scene.air.setState(.poweredOff)
            await stage.pass(.seconds(100))
            #expect(stage.broker.take().isEmpty && stage.broker.attempts.count == 1)
        }
    }
}
