import DBus
import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("Services that an advertisement names and bluetoothd does not show", .timeLimit(.minutes(1)), .virtualTime)
struct CentralHiddenTests {
    private static let transport: [DBusValue] = [.properties(["Transport": .string("le")])]

    /// A central that listens, and how much each advertisement hides.
    private struct Listener {
        let central: BlueZCentral
        let heard = FakeTranscript()

        init(_ stage: FakeStage, _ filter: DiscoveryFilter = .service(FlicGATT.service)) async {
            central = BlueZCentral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("user")))
            await central.start { [heard] event in
                if case .advertisement(let advertisement) = event { heard.note("\(advertisement.address) \(advertisement.hidden)") }
            }
            await central.discover(filter)
        }
    }

    /// The button's services have been looked up when Flic's was not among them. Now it is, and the button names it.
    private func stage() async throws -> (FakeStage, FakeClient) {
        let stage = try await FakeStage()
        await stage.fake.setFaults { $0.hidesService = true }
        let other = await stage.connectedClient()
        await other.call("", "Device1.Disconnect")
        await stage.fake.setFaults { $0.hidesService = false }
        await stage.button.enterPublicMode()
        return (stage, other)
    }

    @Test("Heard while nobody else listens, the device names what is listened for")
    func alone() async throws {
        let (stage, other) = try await stage()
        let listener = await Listener(stage)
        #expect(await listener.heard.wait { !$0.isEmpty }.first == "\(stage.button.address) likely")
        let uuids = await other.objects()[stage.device]?["org.bluez.Device1"]?["UUIDs"]?.stringArray
        #expect(uuids?.contains(FlicGATT.service.description) == false)
    }

    @Test("Heard while another program listens, it may be a stranger")
    func together() async throws {
        let (stage, other) = try await stage()
        await other.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", Self.transport)
        await other.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        let listener = await Listener(stage)
        await listener.heard.wait { $0.count == 5 }
        #expect(Set(listener.heard.lines) == ["\(stage.button.address) possible"])
        await other.close()
    }

    @Test("Another program that begins later shows by what it has passed on; alone again, we listen anew")
    func later() async throws {
        let (stage, other) = try await stage()
        let listener = await Listener(stage)
        await listener.heard.wait { !$0.isEmpty }
        await other.call(FakeStage.adapter, "Adapter1.SetDiscoveryFilter", Self.transport)
        await other.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        let stranger = SimulatedButton(seed: 2, loop: stage.fake.loop)
        await stage.fake.air.place(stranger)
        await stranger.press()
        await listener.heard.wait(for: "\(stranger.address) none")
        _ = listener.heard.take()
        #expect(await listener.heard.wait { $0.contains { $0.hasPrefix("\(stage.button.address)") } }.contains("\(stage.button.address) possible"))
        await other.call(FakeStage.adapter, "Adapter1.StopDiscovery")
        await listener.central.discover(nil)
        await listener.central.roundTrip()
        await listener.central.discover(.service(FlicGATT.service))
        await listener.heard.wait(for: "\(stage.button.address) likely")
    }

    @Test("Nothing is hidden where it is shown, where services were never looked up, and where no service is listened for")
    func nothing() async throws {
        let stage = try await FakeStage()
        await stage.button.enterPublicMode()
        for filter in [DiscoveryFilter.service(FlicGATT.service), .service(BluetoothUUID(assigned: 0x180F)), .any] {
            let listener = await Listener(stage, filter)
            let other = await Listener(stage, .any)
            #expect(await other.heard.wait { !$0.isEmpty }.first == "\(stage.button.address) none")
            await listener.central.roundTrip()
            #expect(Set(listener.heard.lines).isSubset(of: ["\(stage.button.address) none"]))
        }
    }

    @Test("The services of a paired device may be those of an earlier life of bluetoothd", arguments: [true, false])
    func paired(isPaired: Bool) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.fake.changeProperties(["Paired": .boolean(isPaired)], of: "org.bluez.Device1", at: stage.device)
        await stage.button.enterPublicMode()
        let everything = await Listener(stage, .any)
        await everything.heard.wait { !$0.isEmpty }
        let listener = await Listener(stage, .service(BluetoothUUID(assigned: 0x180F)))
        #expect(await listener.heard.wait { !$0.isEmpty }.first == "\(stage.button.address) \(isPaired ? "possible" : "none")")
    }
}
