import FlicClient
import FlicSimulator
import Testing

@Suite("Names, battery, latency (contract B.6.7)")
struct SettingsTests {
    @Test("A rename reaches the button at once, is stored, and is not told to the one who made it")
    func rename() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await button.setNickname("Küche")
            #expect(button.info.nickname == "Küche")
            await scene.pass(.seconds(1))
            #expect(await scene.button.name == "Küche")
            #expect(scene.trace.take() == [])
            #expect(scene.store.contents.first?.nickname == "Küche" && scene.store.contents.first?.pendingRenameTime == 0)
            await button.setNickname(nil)
            await scene.pass(.seconds(1))
            #expect(await scene.button.name == "" && button.info.nickname == nil)
        }
    }

    @Test(
        "At most 23 bytes, cut between scalars",
        arguments: [
            (String(repeating: "a", count: 24), String(repeating: "a", count: 23)),
            (String(repeating: "a", count: 22) + "é", String(repeating: "a", count: 22)),
            (String(repeating: "a", count: 20) + "🙂", String(repeating: "a", count: 20)),
            (String(repeating: "a", count: 19) + "🙂", String(repeating: "a", count: 19) + "🙂"),
            ("👨‍👩‍👧‍👦 family", "👨‍👩‍👧\u{200D}"),
        ]
    )
    func cut(name: String, expected: String) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await button.setNickname(name)
            await scene.pass(.seconds(1))
            let kept = await scene.button.name
            #expect(button.info.nickname == kept && kept.utf8.count <= 23)
            #expect(Array(kept.unicodeScalars) == Array(expected.unicodeScalars))
        }
    }

    @Test("Renamed while away: sent in the next session, unless another app was later")
    func offlineRename() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(5))
            await button.setNickname("Ours")
            await scene.pass(.milliseconds(1))
            #expect(scene.store.contents.first?.pendingRenameTime != 0)
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await scene.button.name == "Ours" && scene.store.contents.first?.pendingRenameTime == 0)

            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(5))
            await button.setNickname("Earlier")
            await scene.button.setName("Later", unixTime: 1 << 46)
            _ = scene.trace.take()
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(20))
            #expect(scene.trace.take().contains("renamed Later") && button.info.nickname == "Later")
            #expect(await scene.button.name == "Later")
        }
    }

    @Test("Another app's rename is told, live and after a reconnect")
    func renamedByOthers() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await scene.button.setName("Theirs")
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["renamed Theirs"] && button.info.nickname == "Theirs")
            await scene.air.setInRange(false, scene.button.address)
            await scene.button.setName("Anew")
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(20))
            let lines = scene.trace.take()
            let ready = try #require(lines.firstIndex(of: "ready, connected"))
            #expect(try #require(lines.firstIndex(of: "renamed Anew")) > ready)
        }
    }

    @Test("A battery sample with the pairing, then every three hours")
    func battery() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            _ = scene.trace.take()
            await scene.button.setBattery(volts: 2.6)
            await scene.pass(.seconds(3 * 3600 - 10))
            #expect(scene.trace.take() == [])
            await scene.pass(.seconds(20))
            #expect(scene.trace.take() == ["battery 2.6 low"])
            #expect(button.info.batteryVoltage.map { ($0 * 10).rounded() } == 26)
            await scene.pass(.seconds(3 * 3600))
            #expect(scene.trace.take() == ["battery 2.6 low"])
        }
    }

    @Test("Latency: parameters asked for at once, again in each session, and kept across runs")
    func latency() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            #expect(await scene.button.connectionParameters?.maximumInterval == .microseconds(112_500))
            await button.setLatency(.low)
            await scene.pass(.seconds(1))
            #expect(await scene.button.connectionParameters?.maximumInterval == .microseconds(17_500))
            await button.setLatency(.normal)
            await button.setLatency(.low)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(await scene.button.connectionParameters?.maximumInterval == .microseconds(17_500))
            await scene.flic.stop()
            await scene.pass(.seconds(2))

            let flic = Scene.application(on: scene.air, store: scene.store)
            await flic.start()
            #expect(await flic.buttons.first?.info.latency == .low)
            await scene.button.click()
            await scene.pass(.seconds(5))
            #expect(await scene.button.connectionParameters?.maximumInterval == .microseconds(17_500))
        }
    }

    @Test("Latency of this run only: asked for at once, shown, and not stored")
    func passingLatency() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.flic.setLatency(.low, of: button.identifier, isKept: false)
            await scene.pass(.seconds(1))
            #expect(await scene.button.connectionParameters?.maximumInterval == .microseconds(17_500))
            #expect(button.info.latency == .low && scene.store.contents.first?.latency == nil)
        }
    }

    @Test("A new firmware is noticed and stored")
    func firmware() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await scene.button.setFirmwareVersion(12)
            await scene.air.loseLink(to: scene.button.address)
            await scene.pass(.seconds(20))
            #expect(button.info.firmwareVersion == 12 && scene.store.contents.first?.firmwareVersion == 12)
        }
    }
}
