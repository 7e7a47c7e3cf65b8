import DBus
import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("What bluetoothd remembers of a device", .timeLimit(.minutes(1)), .virtualTime)
struct CentralMemoryTests {
    private static let removal = "Adapter1.RemoveDevice \(FakeStage.adapter)"

    /// A central that listens to everything, and whether what it hears can be paired.
    private func listener(_ stage: FakeStage) async -> (BlueZCentral, FakeTranscript) {
        let central = BlueZCentral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("listener")))
        let heard = FakeTranscript()
        await central.start { event in
            if case .advertisement(let advertisement) = event { heard.note(advertisement.isPublicFlic ? "public" : "private") }
        }
        await central.discover(.any)
        return (central, heard)
    }

    @Test("Services and data of earlier advertisements are not taken for those of this one")
    func silence() async throws {
        let stage = try await FakeStage()
        let (central, heard) = await listener(stage)
        await stage.button.enterPublicMode()
        await heard.wait { $0.count >= 3 }  // with the same data each time
        #expect(!heard.lines.contains("private"))
        // Public mode is over.
        await stage.button.setSettings { $0.publicModeDuration = .zero }
        await stage.button.enterPublicMode()
        await stage.button.click()
        await heard.wait { $0.last == "private" }
        // A name may come from a link; it says nothing about services.
        await stage.fake.changeProperties(["Name": .string("BlueZ 5.66")], of: "org.bluez.Device1", at: stage.device)
        await central.roundTrip()
        #expect(heard.lines.last == "private")
        #expect(await central.tree.advertisement(of: stage.device)?.isPublicFlic == true, "bluetoothd still knows what was")
        await stage.button.setSettings { $0.publicModeDuration = .seconds(30) }
        await stage.button.enterPublicMode()
        await heard.wait { $0.last == "public" }
    }

    @Test("Services that were found on a link make no public button")
    func link() async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.button.click()
        let client = await stage.client()
        await client.call("", "Device1.Connect")
        await client.transcript.wait { $0.contains { $0.hasPrefix("device ServicesResolved=true") } }
        await client.call("", "Device1.Disconnect")
        await client.transcript.wait { $0.last == "device Connected=false" }
        let (central, heard) = await listener(stage)
        await stage.pass(.milliseconds(10))  // the button learns of it, too
        await stage.button.click()
        await heard.wait { $0.count >= 3 }
        // What is there when discovery begins was not heard now.
        await central.discover(nil)
        await central.discover(.any)
        await heard.wait { $0.count >= 6 }
        #expect(!heard.lines.contains("public"))
    }

    @Test("B.6.3: a button that could not be paired is forgotten by bluetoothd, too; B.6.5: one that the application forgets is not")
    func forgetting() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        try await application.flic.forget(try await application.pair())
        await stage.fake.wait { $0.journal.contains { $0.contains("Connected=false") } }
        await application.central.roundTrip()
        #expect(await !stage.fake.calls.contains(Self.removal))

        await stage.button.setFaults { $0.refusesPairing = 1 }
        await stage.button.enterPublicMode()
        await #expect(throws: FlicError.self) { _ = try await application.flic.pair() }
        await stage.fake.wait { $0.journal.contains("reply \(Self.removal)") }
        await stage.button.setFaults { $0.refusesPairing = nil }
        #expect(try await application.pair().info.isReady)
    }

    @Test("The MTU is that of the link, though bluetoothd tells it of new characteristics only", arguments: [ValueTransfer.messages, .sockets])
    func mtu(transfer: ValueTransfer) async throws {
        let stage = try await FakeStage()
        let other = await stage.connectedClient()
        await stage.fake.air.loseLink(to: stage.button.address)
        await other.transcript.wait { $0.contains { $0.contains("Connected=false") } }
        // Its characteristics are known from now on, without an MTU.
        let user = FakeLinkUser(stage, transfer: transfer)
        await user.start()
        await user.open()
        #expect(await user.transcript.wait { $0.contains { $0.hasPrefix("ready") } }.last == "ready 140")
        await other.close()
    }

    @Test(
        "A device that somebody has paired with or trusts, or another program uses, is left alone",
        arguments: ["Trusted", "Paired", "Bonded", nil]
    )
    func kept(property: String?) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        let user = FakeLinkUser(stage)
        await user.start()
        await user.open()
        await user.transcript.wait(for: "ready 140")
        let other = await stage.client()
        if let property {
            await stage.fake.changeProperties([property: .boolean(true)], of: "org.bluez.Device1", at: stage.device)
        } else {
            await other.call("service0010/char0013", "GattCharacteristic1.StartNotify")
        }
        await user.close(.forgetting)
        await user.transcript.wait(for: "closed nil")
        await user.roundTrip()
        #expect(await !stage.fake.calls.contains(Self.removal))
        #expect(await stage.fake.calls.contains("Device1.Disconnect \(stage.device)") == (property != nil))
        await other.close()
    }
}
