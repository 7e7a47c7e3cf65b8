import DBus
import FlicSimulator
import Testing

@Suite("Fake org.bluez: trouble on demand", .timeLimit(.minutes(1)), .virtualTime)
struct FakeTroubleTests {
    @Test("Errors come as often as asked for, then all is well")
    func errors() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.trouble(with: "Adapter1.StartDiscovery", times: 2, .error(DBusError(name: "org.bluez.Error.Failed", message: "no")))
        for _ in 0..<3 { await client.call(FakeStage.adapter, "Adapter1.StartDiscovery") }
        #expect(
            client.transcript.lines.filter { $0.hasPrefix("Start") } == [
                "StartDiscovery org.bluez.Error.Failed: no", "StartDiscovery org.bluez.Error.Failed: no", "StartDiscovery ok",
            ]
        )
    }

    @Test("Access denied to one client does not disturb another")
    func denied() async throws {
        let stage = try await FakeStage()
        let client = FakeClient(stage)
        await stage.fake.denyAccess(to: await client.open())
        let other = await stage.client()
        for client in [client, other] { await client.call(FakeStage.adapter, "Adapter1.StartDiscovery") }
        #expect(client.transcript.lines.first == "StartDiscovery \(DBusError.accessDenied): Rejected send message")
        #expect(other.transcript.lines.first == "StartDiscovery ok")
    }

    @Test("Silence and late answers: the client's time is over, and what comes after it disturbs nobody")
    func late() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.trouble(with: "Adapter1.StartDiscovery", .silence)
        await stage.fake.trouble(with: "Adapter1.SetDiscoveryFilter", times: 1, .late(.milliseconds(100)))
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery", timeout: .milliseconds(20))
        await client.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", [.properties([:])], timeout: .milliseconds(20))
        await stage.fake.wait { $0.journal.contains("reply Adapter1.SetDiscoveryFilter /org/bluez/hci0") }
        await client.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", [.properties([:])])
        #expect(
            client.transcript.lines.map { $0.split(separator: ":")[0] } == [
                "StartDiscovery \(DBusError.noReply)", "SetDiscoveryFilter \(DBusError.noReply)", "SetDiscoveryFilter ok",
            ]
        )
    }

    @Test("Distorted properties are so in answers and signals alike; the truth comes back")
    func distortion() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.distort { interface, properties in
            guard interface == "org.bluez.Adapter1" else { return }
            properties["Alias"] = nil
            if properties["Powered"] != nil { properties["Powered"] = .string("perhaps") }
        }
        let adapter = await client.objects()[FakeStage.adapter]?["org.bluez.Adapter1"]
        #expect(adapter?["Alias"] == nil && adapter?["Powered"]?.string == "perhaps")
        await stage.fake.setPower(.off)
        await client.transcript.wait(for: "/org/bluez/hci0 Discovering=false PowerState=off Powered=perhaps")
        await stage.fake.distort(nil)
        #expect(await client.objects()[FakeStage.adapter]?["org.bluez.Adapter1"]?["Powered"]?.bool == false)
    }

    @Test("A connection that flaps, and values before the answer of StartNotify")
    func reports() async throws {
        let stage = try await FakeStage()
        await stage.fake.trouble(with: "Device1.Connect", times: 1, .flap(.milliseconds(10)))
        await stage.fake.trouble(with: "GattCharacteristic1.StartNotify", times: 1, .valuesFirst([[1], [2]]))
        await stage.fake.addDevice(stage.button.address)
        let client = await stage.client()
        await client.call("", "Device1.Connect")
        #expect(
            client.transcript.take() == [
                "device Connected=true", "device Connected=false", "Connect org.bluez.Error.Failed: le-connection-abort-by-local",
            ]
        )
        await stage.button.enterPublicMode()
        await client.call("", "Device1.Connect")
        await client.transcript.wait { $0.contains { $0.hasPrefix("device ServicesResolved=true") } }
        _ = client.transcript.take()
        await client.call("service0010/char0013", "GattCharacteristic1.StartNotify")
        #expect(
            client.transcript.lines == ["char0013 Value=[1]", "char0013 Value=[2]", "char0013 Notifying=true", "StartNotify ok"]
        )
    }

    @Test("Signals come as often as asked for; objects vanish with all that is below them")
    func signals() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        await stage.fake.setFaults { $0.signalCopies = 2 }
        await stage.fake.removeObject(at: stage.device + "/service0010/char0013")
        await client.call(FakeStage.adapter, "Adapter1.StopDiscovery")  // everything sent before has arrived
        #expect(
            client.transcript.lines.dropLast() == ["removed desc0015", "removed desc0015", "removed char0013", "removed char0013"]
        )
    }

    @Test("A daemon that gave its name up hears who still calls it")
    func stranger() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        let owner = await client.owner()
        await stage.fake.giveUpName()
        try await stage.fake.start()
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery", to: owner, timeout: .milliseconds(50))
        await stage.fake.wait { !$0.strayCalls.isEmpty }
        #expect(await stage.fake.strayCalls == ["Adapter1.StartDiscovery /org/bluez/hci0"])
        #expect(await !stage.fake.calls.contains("Adapter1.StartDiscovery /org/bluez/hci0"))
        #expect(await client.owner() != owner)
    }
}
