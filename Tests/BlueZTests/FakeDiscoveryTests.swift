import DBus
import FlicSimulator
import Testing

@Suite("Fake org.bluez: adapters and discovery", .timeLimit(.minutes(1)), .virtualTime)
struct FakeDiscoveryTests {
    private let le: [DBusValue] = [.properties(["Transport": .string("le")])]

    @Test("The name comes first, the adapters later, each in one signal")
    func start() async throws {
        let stage = try await FakeStage(starts: false)
        let client = await stage.client()
        try await stage.fake.start()
        await client.transcript.wait(for: "added /org/bluez/hci0")
        #expect(client.transcript.lines == ["owner", "added /org/bluez/hci0"])
        let adapter = await client.objects()[FakeStage.adapter]?["org.bluez.Adapter1"]
        #expect(adapter?["Powered"]?.bool == true && adapter?["PowerState"]?.string == "on" && adapter?["Discovering"]?.bool == false)
        #expect(adapter?["Roles"]?.stringArray == ["central", "peripheral"])
    }

    @Test("A daemon that dies says nothing; calls under way end without an answer")
    func crash() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.addDevice(stage.button.address)
        await client.transcript.wait(for: "added device")
        await client.begin("", "Device1.Connect")
        await stage.fake.wait { $0.calls.contains("Device1.Connect \(stage.device)") }
        await stage.fake.crash()
        await client.transcript.wait { $0.contains("no owner") && $0.contains { $0.hasPrefix("Connect") } }
        let lines = client.transcript.take().filter { $0 != "added device" }
        #expect(lines.count == 2 && lines.contains { $0.hasPrefix("Connect \(DBusError.noReply)") })
        try await stage.fake.start()
        await client.transcript.wait(for: "added /org/bluez/hci0")
        #expect(await client.objects()[stage.device] == nil)
    }

    @Test(
        "What the adapter refuses",
        arguments: [
            ("", FakeBlueZ.Power.on, ["Adapter1.StartDiscovery", "Adapter1.StartDiscovery"], "org.bluez.Error.InProgress"),
            ("", .on, ["Adapter1.StopDiscovery"], "org.bluez.Error.Failed: No discovery started"),
            ("", .off, ["Adapter1.StartDiscovery"], "org.bluez.Error.NotReady: Resource Not Ready"),
            ("", .on, ["Adapter1.NoSuchMethod"], DBusError.unknownMethod),
            ("", .on, ["Device1.Connect"], DBusError.unknownMethod),
            ("/dev_00_00_00_00_00_00", .on, ["Device1.Connect"], DBusError.unknownObject),
        ]
    )
    func refusals(below: String, power: FakeBlueZ.Power, titles: [String], answer: String) async throws {
        let client = await (try await FakeStage(power)).client()
        for title in titles { await client.call(FakeStage.adapter + below, title) }
        #expect(client.transcript.lines.last { !$0.hasPrefix("/") }?.split(separator: " ", maxSplits: 1).last?.hasPrefix(answer) == true)
    }

    @Test("RemoveDevice of an unknown device: DoesNotExist; Set without a variant: UnknownMethod; a filter that makes no sense: InvalidArguments")
    func arguments() async throws {
        let client = await (try await FakeStage()).client()
        let adapter = FakeStage.adapter
        await client.call(adapter, "Adapter1.RemoveDevice", [.objectPath("/nowhere")])
        await client.call(adapter, "Properties.Set", [.string("org.bluez.Adapter1"), .string("Powered"), .boolean(false)])
        await client.call(adapter, "Adapter1.SetDiscoveryFilter", [.properties(["Nonsense": .boolean(true)])])
        await client.call(adapter, "Adapter1.SetDiscoveryFilter", [.properties(["RSSI": .string("loud")])])
        let names = client.transcript.lines.map { $0.split(separator: " ")[1] }
        #expect(
            names == [
                "org.bluez.Error.DoesNotExist:", "\(DBusError.unknownMethod):", "org.bluez.Error.InvalidArguments:",
                "org.bluez.Error.InvalidArguments:",
            ]
        )
    }

    @Test("A device in discovery: added, then RSSI again and again, which is gone when discovery ends")
    func reports() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.button.enterPublicMode()
        await client.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", le)
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        await client.transcript.wait { $0.contains("device RSSI=-59") && $0.contains("device RSSI=-60") }
        let device = await client.objects()[stage.device]?["org.bluez.Device1"]
        #expect(device?["Name"]?.string?.hasPrefix("F210") == true)
        #expect(device?["UUIDs"]?.stringArray == ["00420000-8f59-4420-870d-84f3b617e493"])
        #expect(device?["ManufacturerData"]?.dictionary?[.uint16(0x030F)]?.byteArray?.count == 5)
        #expect(device?["Connected"]?.bool == false && device?["Adapter"]?.path == FakeStage.adapter)
        await client.call(FakeStage.adapter, "Adapter1.StopDiscovery")
        let lines = client.transcript.take()
        #expect(
            lines.prefix(4) == ["SetDiscoveryFilter ok", "StartDiscovery ok", "/org/bluez/hci0 Discovering=true", "added device"]
        )
        #expect(lines.suffix(3) == ["/org/bluez/hci0 Discovering=false", "device -RSSI", "StopDiscovery ok"])
    }

    @Test("Without a filter a button that does not say that it is discoverable stays hidden")
    func withoutFilter() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        await stage.button.click()  // advertises its address only
        await client.call(FakeStage.adapter, "Adapter1.StopDiscovery")
        await client.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", le)
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        let lines = await client.transcript.wait(for: "added device")
        #expect(lines.firstIndex(of: "added device") ?? 0 > lines.firstIndex(of: "SetDiscoveryFilter ok") ?? .max)
    }

    @Test("Filters are each client's own: what one asked for the other sees, too, until the first has left the bus")
    func clients() async throws {
        let stage = try await FakeStage()
        let strict = await stage.client()
        let open = await stage.client()
        let far: [DBusValue] = [.properties(["RSSI": .int16(-30)])]
        await strict.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", far)
        await strict.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        await stage.button.enterPublicMode()
        await open.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", le)
        #expect(!strict.transcript.lines.contains("added device"))
        await open.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        await strict.transcript.wait(for: "added device")
        await strict.close()
        await stage.fake.wait { !$0.journal.contains("signal Adapter1 /org/bluez/hci0 Discovering=false") }
        await open.close()
        await stage.fake.wait { $0.journal.contains("signal Adapter1 /org/bluez/hci0 Discovering=false") }
    }

    @Test("A device that is not heard any more goes away")
    func temporary() async throws {
        var timing = FakeBlueZ.Timing()
        timing.temporary = .milliseconds(300)
        let stage = try await FakeStage(timing: timing)
        let client = await stage.client()
        await stage.button.enterPublicMode()
        await client.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", le)
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        await client.transcript.wait(for: "device RSSI=-59")
        await stage.fake.air.setInRange(false, stage.button.address)
        await client.transcript.wait(for: "removed device")
        await client.call("", "Device1.Connect")
        #expect(client.transcript.lines.last?.contains(DBusError.unknownObject) == true)
    }

    @Test("Power: the steps in between show in PowerState, and a blocked adapter cannot be switched on")
    func power() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        func set(_ isOn: Bool) async {
            let arguments: [DBusValue] = [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.boolean(isOn))]
            await client.call(FakeStage.adapter, "Properties.Set", arguments)
        }
        await set(false)
        await set(true)
        await client.transcript.wait { $0.count == 6 }
        let path = FakeStage.adapter
        #expect(
            client.transcript.take() == [
                "\(path) PowerState=on-disabling", "Set ok", "\(path) Discovering=false PowerState=off Powered=false",
                "\(path) PowerState=off-enabling", "Set ok", "\(path) Discovering=false PowerState=on Powered=true",
            ]
        )
        await stage.fake.setPower(.blocked)
        await set(true)
        #expect(client.transcript.lines.last?.hasPrefix("Set org.bluez.Error.Blocked") == true)
    }
}
