import DBus
import FlicSimulator
import Testing

@Suite("Fake org.bluez: links and services", .timeLimit(.minutes(1)), .virtualTime)
struct FakeLinkTests {
    private let services = ["added service0010", "added char0011", "added char0013", "added desc0015"]
    private let command: DBusValue = .properties(["type": .string("command")])

    @Test("Connected, the reply, the services, ServicesResolved; the second time the services have stayed")
    func connect() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await client.call("", "Device1.Connect")
        await client.transcript.wait(for: "device ServicesResolved=true UUIDs=as")
        #expect(
            client.transcript.take() == ["added device", "device Connected=true", "Connect ok"] + services
                + ["device ServicesResolved=true UUIDs=as"]
        )
        let notifying = await client.objects()[stage.device + "/service0010/char0013"]?["org.bluez.GattCharacteristic1"]
        #expect(notifying?["MTU"]?.integer == 140 && notifying?["Flags"]?.stringArray == ["notify"] && notifying?["Notifying"]?.bool == false)
        await client.call("", "Device1.Disconnect")
        await client.transcript.wait(for: "device Connected=false")
        await stage.button.enterPublicMode()
        await client.call("", "Device1.Connect")
        await client.transcript.wait(for: "device ServicesResolved=true")
        #expect(
            client.transcript.take() == [
                "device ServicesResolved=false", "Disconnect ok", "device Connected=false", "device Connected=true", "Connect ok",
                "device ServicesResolved=true",
            ]
        )
    }

    @Test("A lost link: both in one signal")
    func loss() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        await stage.fake.air.loseLink(to: stage.button.address)
        await client.transcript.wait(for: "device Connected=false ServicesResolved=false")
        #expect(client.transcript.lines.count == 1)
        await client.call("service0010/char0011", "GattCharacteristic1.WriteValue", [.bytes([1]), command])
        #expect(client.transcript.lines.last == "WriteValue org.bluez.Error.Failed: Not connected")
    }

    @Test("An absent device: abort-by-local after the limit; a second Connect meanwhile is in progress")
    func absent() async throws {
        var timing = FakeBlueZ.Timing()
        timing.connectLimit = .seconds(2)
        let stage = try await FakeStage(timing: timing)
        let client = await stage.client()
        await stage.fake.addDevice(stage.button.address)
        await client.begin("", "Device1.Connect")
        await client.call("", "Device1.Connect")
        await client.transcript.wait(for: "Connect org.bluez.Error.Failed: le-connection-abort-by-local")
        #expect(client.transcript.lines.contains("Connect org.bluez.Error.Failed: Operation already in progress"))
    }

    @Test("Disconnect ends a waiting Connect; without a link it is ok")
    func cancel() async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.addDevice(stage.button.address)
        await client.begin("", "Device1.Connect")
        await client.call("", "Device1.Disconnect")
        await client.call("", "Device1.Disconnect")
        #expect(
            client.transcript.lines == [
                "added device", "Connect org.bluez.Error.Failed: br-connection-canceled", "Disconnect ok", "Disconnect ok",
            ]
        )
    }

    @Test("RemoveDevice or power off while a Connect waits: it never gets an answer", arguments: [true, false])
    func unanswered(removes: Bool) async throws {
        let stage = try await FakeStage()
        let client = await stage.client()
        await stage.fake.addDevice(stage.button.address)
        await client.begin("", "Device1.Connect")
        if removes {
            await client.call(FakeStage.adapter, "Adapter1.RemoveDevice", [.objectPath(stage.device)])
            await client.call("", "Device1.Connect")
            #expect(client.transcript.lines.suffix(2).first == "RemoveDevice ok")
            #expect(client.transcript.lines.last?.contains(DBusError.unknownObject) == true)
        } else {
            await stage.fake.wait { $0.calls.contains { $0.hasPrefix("Device1.Connect") } }
            await stage.fake.setPower(.off)
            await client.call("", "Device1.Connect")
            #expect(client.transcript.lines.last == "Connect org.bluez.Error.Failed: Input/output error")
        }
        #expect(client.transcript.lines.count { $0.hasPrefix("Connect") } == 1)
    }

    @Test("Power off while connected: the link is gone before the adapter is off; device and services stay")
    func powerOff() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        let arguments: [DBusValue] = [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.boolean(false))]
        await client.call(FakeStage.adapter, "Properties.Set", arguments)
        await client.transcript.wait { $0.count == 4 }
        #expect(
            client.transcript.take() == [
                "/org/bluez/hci0 PowerState=on-disabling", "device Connected=false ServicesResolved=false", "Set ok",
                "/org/bluez/hci0 Discovering=false PowerState=off Powered=false",
            ]
        )
        #expect(await client.objects()[stage.device + "/service0010/char0013"] != nil)
    }

    @Test("Notifications: once for each client that has called StartNotify, to everybody; the sessions outlast the link")
    func notifications() async throws {
        let stage = try await FakeStage()
        let first = await stage.connectedClient()
        let second = await stage.client()
        let path = "service0010/char0013"
        await first.call(path, "GattCharacteristic1.StartNotify")
        #expect(first.transcript.take() == ["char0013 Notifying=true", "StartNotify ok"])
        await stage.fake.air.forge([1], from: stage.button.address)
        await second.transcript.wait(for: "char0013 Value=[1]")
        await second.call(path, "GattCharacteristic1.StartNotify")
        await stage.fake.air.forge([2], from: stage.button.address)
        await second.transcript.wait { $0.count { $0 == "char0013 Value=[2]" } == 2 }
        await second.close()
        await stage.fake.air.loseLink(to: stage.button.address)
        await first.transcript.wait(for: "device Connected=false ServicesResolved=false")
        await stage.button.enterPublicMode()
        await first.call("", "Device1.Connect")
        await first.transcript.wait(for: "device ServicesResolved=true")
        await stage.fake.air.forge([3], from: stage.button.address)
        await first.transcript.wait(for: "char0013 Value=[3]")
        await first.call(path, "GattCharacteristic1.StopNotify")
        await first.call(path, "GattCharacteristic1.StopNotify")
        let lines = first.transcript.take()
        #expect(lines.filter { $0.contains("Value") } == [1, 2, 2, 3].map { "char0013 Value=[\($0)]" })
        #expect(
            lines.suffix(3) == ["char0013 Notifying=false", "StopNotify ok", "StopNotify org.bluez.Error.Failed: No notify session started"]
        )
    }

    @Test("What characteristics refuse")
    func refusals() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        let request: DBusValue = .properties(["type": .string("request")])
        await client.call("service0010/char0011", "GattCharacteristic1.WriteValue", [.bytes([]), command])
        await client.call("service0010/char0011", "GattCharacteristic1.WriteValue", [.bytes([1]), request])
        await client.call("service0010/char0013", "GattCharacteristic1.WriteValue", [.bytes([1]), command])
        await client.call("service0010/char0011", "GattCharacteristic1.WriteValue", [.bytes(Array(repeating: 0, count: 138)), command])
        await client.call("service0010/char0011", "GattCharacteristic1.StartNotify")
        await client.call("service0010/char0013", "GattCharacteristic1.ReadValue", [.properties([:])])
        #expect(
            client.transcript.lines.map { $0.split(separator: ":")[0] } == [
                "WriteValue ok", "WriteValue org.bluez.Error.NotSupported", "WriteValue org.bluez.Error.NotSupported",
                "WriteValue org.bluez.Error.Failed", "StartNotify org.bluez.Error.NotSupported", "ReadValue org.bluez.Error.NotPermitted",
            ]
        )
    }
}
