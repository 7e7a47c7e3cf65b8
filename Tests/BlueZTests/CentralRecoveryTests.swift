import DBus
import FlicClient
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

/// What is done about a bluetoothd that hangs, and about one that believes in what is not.
@Suite("Recovery", .timeLimit(.minutes(1)), .virtualTime)
struct CentralRecoveryTests {
    // MARK: A bluetoothd that hangs (bluez/bluez#367)

    @Test("It hangs while a button is ready: resetting, unsupported, and ready again without help when it goes on; the press meanwhile comes once")
    func hung() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let button = try await application.pair()
        await stage.pass(.seconds(60))
        _ = application.transcript.take()
        await stage.fake.hang()
        let began = stage.now
        await button.setLatency(.low)  // a call without an answer
        await application.transcript.wait(for: "state resetting")
        #expect(stage.now - began <= .seconds(11))
        #expect(await application.transcript.wait { $0.count == 2 } == ["state resetting", "disconnected notPoweredOn, connecting"])
        await application.transcript.wait(for: "state unsupported")
        await stage.button.click()
        _ = application.transcript.take()
        await stage.pass(.seconds(300))
        #expect(application.transcript.take() == [])
        await stage.fake.goOn()
        await stage.button.click()
        await application.transcript.wait { $0.count { $0.hasPrefix("click") } == 2 }
        #expect(application.transcript.take().prefix(3) == ["state poweredOn", "connected", "ready"])
        await stage.pass(.seconds(60))
        #expect(!application.transcript.take().contains { $0.hasPrefix("click") })
    }

    @Test("It hangs and nobody calls it: a button that says nothing is asked after a minute, and that call finds out")
    func hungInSilence() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        _ = try await application.pair()
        await stage.pass(.seconds(60))
        _ = application.transcript.take()
        await stage.fake.hang()
        let began = stage.now
        await application.transcript.wait(for: "state resetting")
        #expect(stage.now - began <= .seconds(140))
    }

    @Test("It hangs, and dies of it: taken up with the next one")
    func hungAndKilled() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let button = try await application.pair()
        await stage.fake.hang()
        await button.setLatency(.low)
        await application.transcript.wait(for: "state resetting")
        await stage.fake.crash()
        await stage.pass(.seconds(3))
        try await stage.fake.start()
        await stage.button.click()
        await application.transcript.wait { $0.contains { $0.hasPrefix("click") } }
        #expect(application.transcript.take().filter { $0.hasPrefix("state") } == ["state resetting", "state poweredOn"])
    }

    @Test("A call that takes long, of a bluetoothd that answers questions, is waited for")
    func slow() async throws {
        let stage = try await FakeStage()
        await stage.fake.trouble(with: "Adapter1.StartDiscovery", times: 1, .late(.seconds(20)))
        let user = FakeLinkUser(stage)
        await user.start()
        await user.central.discover(.any)
        await stage.pass(.seconds(30))
        #expect(user.transcript.take() == ["state poweredOn"])
        #expect(await stage.fake.calls.count { $0.hasPrefix("Adapter1.StartDiscovery") } == 1)
    }

    // MARK: A bluetoothd that dies

    @Test(
        "It dies and nobody starts it: the bus is asked to, ever more rarely; one that took its adapters away first was stopped",
        arguments: [true, false]
    )
    func revival(hasDied: Bool) async throws {
        let stage = try await FakeStage()
        let log = FakeTranscript()
        let session = BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("user")) { log.note($0) }
        let central = BlueZCentral(session: session)
        let states = FakeTranscript()
        await central.start { if case .state(let state) = $0 { states.note("\(state)") } }
        await states.wait(for: "poweredOn")
        func attempts() -> Int { log.lines.count { $0.contains("StartServiceByName") } }

        if !hasDied { await stage.fake.removeAdapter() }
        await stage.fake.crash()
        await stage.pass(.milliseconds(2900))
        #expect(attempts() == 0)
        await stage.pass(.seconds(1))
        #expect(attempts() == (hasDied ? 1 : 0))
        await stage.pass(.seconds(3600))
        #expect(hasDied ? (15...25).contains(attempts()) : attempts() == 0)
        try await stage.fake.start()
        if !hasDied { await stage.fake.addAdapter() }
        await states.wait { $0.last == "poweredOn" && $0.count > 1 }
        let last = attempts()
        await stage.pass(.seconds(3600))
        #expect(attempts() == last)
    }

    // MARK: Devices that cannot be used

    private static let removal = "Adapter1.RemoveDevice \(FakeStage.adapter)"

    @Test("Three attempts without a link, and bluetoothd is made to forget the device (Bluetooth-Devices/bleak-retry-connector#226)")
    func strikes() async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.fake.trouble(
            with: "Device1.Connect",
            .error(DBusError(name: "org.bluez.Error.InProgress", message: "Operation already in progress"))
        )
        let user = FakeLinkUser(stage)
        await user.start()
        for attempt in 1...3 {
            #expect(await !stage.fake.calls.contains(Self.removal))
            await user.open(timeout: .seconds(2))
            await user.transcript.wait { $0.count { $0 == "closed timeout" } == attempt }
        }
        await stage.fake.wait { $0.calls.contains(Self.removal) }
    }

    @Test("A link between failures, and they count anew; a device that somebody trusts is never removed", arguments: [true, false])
    func kept(isTrusted: Bool) async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        let refusal = FakeBlueZ.Trouble.error(DBusError(name: "org.bluez.Error.Failed", message: "le-connection-refused"))
        let user = FakeLinkUser(stage)
        await user.start()
        if isTrusted { await stage.fake.changeProperties(["Trusted": .boolean(true)], of: "org.bluez.Device1", at: stage.device) }
        for attempt in 1...4 {
            if attempt == 3, !isTrusted {
                await stage.button.enterPublicMode()
                await user.open()
                await user.transcript.wait(for: "ready 140")
                await user.close()
                await user.transcript.wait(for: "closed nil")
            }
            await stage.fake.trouble(with: "Device1.Connect", times: 1, refusal)
            await user.open(timeout: .seconds(2))
            await user.transcript.wait { $0.count { $0 == "closed failed" } == attempt }
        }
        await user.roundTrip()
        #expect(await !stage.fake.calls.contains(Self.removal))
    }

    @Test("A link that Disconnect does not end is none: the last step is that bluetoothd forgets the device (bleak-retry-connector#230)")
    func phantom() async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        let user = FakeLinkUser(stage)
        await user.start()
        await user.open()
        await user.transcript.wait(for: "ready 140")
        await stage.fake.trouble(with: "Device1.Disconnect", .answer([]))
        await user.close(.forEverybody)
        await stage.fake.wait { $0.calls.contains(Self.removal) }
        #expect(user.transcript.lines.last == "closed nil")
    }
}
