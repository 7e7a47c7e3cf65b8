import EventLoops
import FlicBridge
import FlicSimulator
import FoundationEssentials
import Testing

@Suite("Metrics: what is counted")
struct BridgeMetricsTests {
    /// A bridge with a button and metrics.
    private func play(_ body: @escaping @Sendable (Scene, BridgeMetrics) async throws -> Void) async throws {
        try await Scene.play { scene in
            let metrics = BridgeMetrics(
                loop: scene.loop,
                version: "1.2.3",
                sources: [{ [MetricFamily("other", .gauge, help: "Other.", samples: [.init(7)])] }],
                date: { [loop = scene.loop] in Date(timeIntervalSince1970: 1_700_000_000 + loop.now / .seconds(1)) }
            )
            await scene.bridge.add { metrics.hear($0) }
            try await body(scene, metrics)
        }
    }

    private func read(_ metrics: BridgeMetrics) async throws -> OpenMetricsText { try OpenMetricsText(await metrics.text) }

    @Test("Without buttons there is the program and Bluetooth")
    func empty() async throws {
        try await play { scene, metrics in
            let text = try await read(metrics)
            #expect(text.value("flickit_build_info", ["version": "1.2.3"]) == 1)
            #expect(text.value("flickit_adapter_powered") == 1 && text.value("flickit_slots_in_use") == 0)
            #expect(text.value("other") == 7)
            #expect(text.families.filter { $0.key.hasPrefix("flickit_button_") }.values.allSatisfy { $0.samples.isEmpty })
            await scene.air.setState(.poweredOff)
            await scene.pass(.seconds(1))
            #expect(try await read(metrics).value("flickit_adapter_powered") == 0)
        }
    }

    @Test("A button, its presses by kind, and when it was last heard")
    func presses() async throws {
        try await play { scene, metrics in
            _ = try await scene.pair(name: "Hall \"1\"")
            await scene.pass(.seconds(1))
            let labels = ["button": scene.button.identity.serialNumber, "name": "Hall \"1\""]
            func press(_ kind: String, queued: Bool = false) async throws -> Double? {
                let own = ["kind": kind, "queued": "\(queued)"]
                return try await read(metrics).value("flickit_button_presses_total", labels.merging(own) { $1 })
            }
            var text = try await read(metrics)
            #expect(text.value("flickit_button_connected", labels) == 1 && text.value("flickit_button_ready", labels) == 1)
            #expect(text.value("flickit_slots_in_use") == 1)
            #expect(try #require(text.value("flickit_button_battery_volts", labels)) > 2)
            #expect(try await press("click") == 0)
            await scene.button.click()
            await scene.button.hold()
            await scene.pass(.seconds(2))
            #expect(try await press("down") == 2)
            #expect(try await press("up") == 2)
            #expect(try await press("click") == 1)
            #expect(try await press("hold") == 1)
            #expect(try await press("click", queued: true) == 0)
            let seen = try #require(try await read(metrics).value("flickit_button_last_seen_seconds", labels))
            await scene.pass(.seconds(1000))
            text = try await read(metrics)
            #expect(text.value("flickit_button_last_seen_seconds", labels) == seen)
            // The first down has nothing to be compared with; an up comes as fast as a down here.
            #expect(text.value("flickit_button_press_latency_seconds_count", labels) == 3)
        }
    }

    @Test("A press from before the connection is queued, and has no latency; the reconnect has the reason")
    func reconnects() async throws {
        try await play { scene, metrics in
            _ = try await scene.pair()
            await scene.pass(.seconds(1))
            let labels = ["button": scene.button.identity.serialNumber, "name": ""]
            let address = scene.button.identity.address
            await scene.air.setInRange(false, address)
            await scene.pass(.seconds(30))
            var text = try await read(metrics)
            #expect(text.value("flickit_button_connected", labels) == 0 && text.value("flickit_button_ready", labels) == 0)
            #expect(text.value("flickit_slots_in_use") == 0)
            #expect(text.families["flickit_button_reconnects"]?.samples.isEmpty == true)
            await scene.button.click()
            await scene.air.setInRange(true, address)
            await scene.button.click()
            await scene.pass(.seconds(30))
            text = try await read(metrics)
            let reconnects = try #require(text.families["flickit_button_reconnects"]?.samples)
            #expect(reconnects.map(\.value) == [1] && reconnects[0].labels["reason"] == "timeout")
            let queued = text.value("flickit_button_presses_total", labels.merging(["kind": "click", "queued": "true"]) { $1 }) ?? 0
            #expect(queued >= 1)
        }
    }

    @Test("A new name is a new label, and what was counted stays; a button that is forgotten is gone")
    func changes() async throws {
        try await play { scene, metrics in
            let info = try await scene.pair(name: "Hall")
            await scene.pass(.seconds(1))
            await scene.button.click()
            await scene.pass(.seconds(1))
            try await scene.bridge.change(info.identifier) { await $0.setNickname("Door\nbell") }
            let serial = scene.button.identity.serialNumber
            let text = try await read(metrics)
            let labels = ["button": serial, "name": "Door bell", "kind": "click", "queued": "false"]
            #expect(text.value("flickit_button_presses_total", labels) == 1)
            #expect(text.families["flickit_button_connected"]?.samples.count == 1)
            try await scene.bridge.forget(info.identifier)
            await scene.pass(.seconds(1))
            #expect(!(await metrics.text.contains(serial)))
        }
    }
}
