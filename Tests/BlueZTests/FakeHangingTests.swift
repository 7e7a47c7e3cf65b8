import DBus
import FlicSimulator
import GATT
import Testing

@Suite("Fake org.bluez: hanging, phantom links, services that move", .timeLimit(.minutes(1)), .virtualTime)
struct FakeHangingTests {
    @Test("A daemon that hangs answers nothing, not even Ping; when it goes on, calls are answered in their order")
    func hang() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.hang()
        let start = stage.now
        await client.call("/", "Peer.Ping", timeout: .seconds(100))
        #expect(client.transcript.take().first?.hasPrefix("Ping \(DBusError.noReply)") == true)
        #expect(stage.now - start == .seconds(100))
        await client.begin(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", [.properties([:])])
        await client.begin(FakeStage.adapter, "Adapter1.StartDiscovery")
        await stage.pass(.seconds(5))
        #expect(client.transcript.lines.isEmpty)
        await stage.fake.goOn()
        await client.transcript.wait(for: "StartDiscovery ok")
        #expect(client.transcript.lines.filter { $0.hasSuffix("ok") } == ["SetDiscoveryFilter ok", "StartDiscovery ok"])
    }

    @Test("A link that is lost while the daemon hangs is told when it goes on")
    func lossWhileHanging() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        await stage.fake.hang()
        await stage.fake.air.loseLink(to: stage.button.address)
        await stage.pass(.seconds(60))
        #expect(client.transcript.lines.isEmpty)
        await stage.fake.goOn()
        await client.transcript.wait(for: "device Connected=false ServicesResolved=false")
    }

    @Test("A daemon that hangs can be killed: calls end without an answer, and the next one is well")
    func kill() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.hang()
        await client.begin(FakeStage.adapter, "Adapter1.StartDiscovery")
        await stage.pass(.seconds(1))
        await stage.fake.crash()
        await client.transcript.wait { $0.contains { $0.hasPrefix("StartDiscovery \(DBusError.noReply)") } }
        try await stage.fake.start()
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        #expect(client.transcript.lines.contains("StartDiscovery ok"))
    }

    @Test("A phantom link: connected for the daemon alone, values go nowhere, Connect says ok, and Disconnect ends it")
    func phantom() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        await stage.fake.loseLinkUnnoticed(to: stage.button.address)
        #expect(await !stage.button.isConnected)
        await client.call("service0010/char0011", "GattCharacteristic1.WriteValue", [.bytes([1]), .properties(["type": .string("command")])])
        await client.call("", "Device1.Connect")
        await stage.pass(.seconds(3600))
        #expect(client.transcript.take() == ["WriteValue ok", "Connect ok"])
        await client.call("", "Device1.Disconnect")
        await client.transcript.wait(for: "device Connected=false")
        #expect(client.transcript.lines == ["device ServicesResolved=false", "Disconnect ok", "device Connected=false"])
        await stage.button.enterPublicMode()
        await client.call("", "Device1.Connect")
        #expect(await stage.button.isConnected)
    }

    @Test("Services that move: the old ones are shown, and fail, until the daemon has noticed")
    func moving() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        await stage.fake.moveServices(of: stage.button.address)
        await stage.fake.air.loseLink(to: stage.button.address)
        await stage.button.enterPublicMode()
        await client.transcript.wait(for: "device Connected=false ServicesResolved=false")
        await client.call("", "Device1.Connect")
        await client.transcript.wait(for: "device ServicesResolved=true")
        _ = client.transcript.take()
        await client.call("service0010/char0013", "GattCharacteristic1.StartNotify")
        #expect(client.transcript.take() == ["StartNotify org.bluez.Error.Failed: Operation failed with ATT error: 0x01"])
        await client.transcript.wait(for: "added desc0025")
        #expect(
            client.transcript.take() == [
                "removed desc0015", "removed char0013", "removed char0011", "removed service0010",
                "added service0020", "added char0021", "added char0023", "added desc0025",
            ]
        )
        await client.call("service0020/char0023", "GattCharacteristic1.StartNotify")
        await stage.fake.air.forge([9], from: stage.button.address)
        await client.transcript.wait(for: "char0023 Value=[9]")
    }

    @Test("Late signals come after the answers, in their order, but before an answer that tells the same")
    func lateSignals() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.setFaults { $0.signalDelay = .seconds(2) }
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        #expect(client.transcript.lines == ["StartDiscovery ok"])
        await client.call(FakeStage.adapter, "Adapter1.StopDiscovery")
        await client.call("/", "ObjectManager.GetManagedObjects")
        #expect(
            client.transcript.lines == [
                "StartDiscovery ok", "StopDiscovery ok", "/org/bluez/hci0 Discovering=true", "/org/bluez/hci0 Discovering=false",
                "GetManagedObjects ok",
            ]
        )
    }

    @Test("The bus ends and comes back at the same address")
    func bus() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        stage.bus.stop()
        await stage.fake.crash()
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        #expect(client.transcript.take().last?.hasPrefix("StartDiscovery \(DBusError.disconnected)") == true)
        try stage.bus.start()
        try await stage.fake.start()
        let next = await stage.client()
        await next.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        #expect(next.transcript.lines.first == "StartDiscovery ok")
    }

    @Test("Each kind of weather passes, and the daemon is as good as new after it", arguments: Weather.Kind.allCases)
    func weather(kind: Weather.Kind) async throws {
        let stage = try await FakeStage()
        let clock = try #require(VirtualTime.clock)
        _ = await stage.connectedClient()
        var weather = Weather(seed: 1)
        for _ in 0..<3 { try await stage.fake.endure(weather.next(buttons: [stage.button.address], kinds: [kind]), bus: stage.bus, clock: clock) }
        let client = await stage.client()
        let adapter = try #require(await client.objects().first { $0.value["org.bluez.Adapter1"]?["Powered"]?.bool == true }?.key)
        await client.call(adapter, "Adapter1.StartDiscovery")
        #expect(client.transcript.lines.contains("StartDiscovery ok"))
        let device = await stage.fake.addDevice(stage.button.address, on: String(adapter.split(separator: "/").last ?? ""))
        await stage.button.enterPublicMode()
        if kind == .phantom { await client.call(device, "Device1.Disconnect") }
        await client.call(device, "Device1.Connect")
        #expect(client.transcript.lines.contains("Connect ok"))
        #expect(await stage.button.isConnected)
    }

    @Test("Equal seeds draw equal weather, and all kinds come")
    func seeds() {
        let address = BluetoothAddress(value: 1)
        func story(_ seed: UInt64) -> [String] {
            var weather = Weather(seed: seed)
            return (0..<500).map { _ in "\(weather.next(buttons: [address]))" }
        }
        #expect(story(3) == story(3))
        #expect(story(3) != story(4))
        #expect(Set(story(3).map { $0.split(separator: " ")[0] }) == Set(Weather.Kind.allCases.map { Substring($0.rawValue) }))
    }
}
