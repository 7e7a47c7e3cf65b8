import Fixtures
import FlicBridge
import FlicSimulator
import MQTT
import Testing

@Suite("Home Assistant: names")
struct NameTests {
    @Test("A name that is published becomes that of the button; names change, identifiers do not")
    func rename() async throws {
        try await HomeStage.play { stage, id in
            let before = stage.document("homeassistant/device/flickit_\(id)/config")
            _ = stage.broker.take()
            stage.broker.publish("flickit/\(id)/name/set", "Küche")
            await stage.pass(.seconds(2))
            #expect(await stage.scene.bridge.buttons[0].nickname == "Küche")
            let after = stage.document("homeassistant/device/flickit_\(id)/config")
            #expect(after.device.name.string == "Küche" && after.device.identifiers == before.device.identifiers)
            #expect(after.components == before.components)
            #expect(stage.document("flickit/\(id)/state").name.string == "Küche")
            #expect(!stage.broker.take().contains { $0.topic.contains("device_automation") })
            stage.broker.publish("flickit/\(id)/name/set", "")
            await stage.pass(.seconds(2))
            #expect(await stage.scene.bridge.buttons[0].nickname == nil)
            #expect(stage.document("flickit/\(id)/state").name.isNull)
        }
    }

    @Test("A name that another app has given is told")
    func renamedElsewhere() async throws {
        try await HomeStage.play { stage, id in
            await stage.scene.button.setName("Elsewhere", unixTime: 4_000_000_000_000)
            await stage.pass(.seconds(5))
            #expect(stage.document("homeassistant/device/flickit_\(id)/config").device.name.string == "Elsewhere")
        }
    }

    @Test(
        "What is no name changes nothing, and is told",
        arguments: [[0xFF, 0xFE], Array(repeating: 0x61, count: 257), Array("a\nb".utf8), [0x00], Array("a\u{1B}[31m".utf8), Array("\u{85}".utf8)]
    )
    func hostile(_ payload: [UInt8]) async throws {
        try await HomeStage.play { stage, id in
            stage.broker.publish("flickit/\(id)/name/set", payload)
            await stage.pass(.seconds(2))
            #expect(await stage.scene.bridge.buttons[0].nickname == "Hall")
            #expect(stage.remarks.problems.count { $0.contains("A new name was refused") } == 1)
        }
    }

    @Test("Nothing is done by what is retained, or meant for another button, or comes at another topic")
    func notMeant() async throws {
        try await HomeStage.play { stage, id in
            stage.broker.publish("flickit/\(id)/name/set", "Retained", isRetained: true)
            await stage.pass(.seconds(1))
            // The one who is there hears it as any other; those who connect later must not.
            #expect(await stage.scene.bridge.buttons[0].nickname == "Retained")
            stage.broker.publish("flickit/\(id)/name/set", "Hall")
            await stage.pass(.seconds(1))
            stage.broker.cut()
            await stage.pass(.seconds(5))
            for topic in [
                "flickit/\(String(repeating: "0", count: 32))/name/set", "flickit/bridge/name/set", "flickit/\(id)/name", "flickit/\(id)/name/set/x",
            ] {
                stage.broker.publish(topic, "Other")
            }
            await stage.pass(.seconds(1))
            #expect(await stage.scene.bridge.buttons[0].nickname == "Hall")
        }
    }
}
