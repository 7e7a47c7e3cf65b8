import BlueZ
import FlicClient
import FlicSimulator
import GATT
import Testing

@Suite("Flic over BlueZ", .timeLimit(.minutes(1)), .virtualTime)
struct CentralFlowTests {
    @Test("Pair, click, lose the link, press meanwhile, come back, forget", arguments: [ValueTransfer.messages, .sockets])
    func life(transfer: ValueTransfer) async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage, transfer: transfer)
        let button = try await application.pair()
        #expect(button.info.address == stage.button.address && button.info.isReady)

        await stage.button.click()
        #expect(await application.transcript.wait(for: "click") == ["down", "up", "click"])
        _ = application.transcript.take()

        await stage.fake.air.setInRange(false, stage.button.address)
        await application.transcript.wait(for: "disconnected timeout, connecting")
        await stage.button.click()
        await stage.fake.air.setInRange(true, stage.button.address)
        await application.transcript.wait(for: "queue finished")
        #expect(
            application.transcript.take().prefix(7) == [
                "disconnected timeout, connecting", "connected", "ready", "down queued", "up queued", "click queued", "queue finished",
            ]
        )

        try await application.flic.forget(button)
        await stage.fake.wait { $0.calls.contains("Device1.Disconnect \(stage.device)") }
        #expect(application.store.contents.isEmpty)
        #expect(application.transcript.take().last == "disconnected nil, disconnected")
    }

    @Test("Nobody listens when all are connected; what waits is listened for")
    func discovery() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        _ = try await application.pair()
        await stage.fake.wait { $0.journal.last { $0.contains("Discovering") }?.hasSuffix("Discovering=false") ?? false }
        await stage.fake.air.setInRange(false, stage.button.address)
        await stage.fake.wait { $0.journal.last { $0.contains("Discovering") }?.hasSuffix("Discovering=true") ?? false }
        // A filter always comes first (bluez-facts, surprise 8).
        let calls = await stage.fake.calls.filter { $0.contains("Discovery") }.map { $0.split(separator: " ")[0] }
        for (call, next) in zip(calls, calls.dropFirst()) where next == "Adapter1.StartDiscovery" { #expect(call == "Adapter1.SetDiscoveryFilter") }
    }

    @Test("Power off and on: the manager first, then the button; back without help")
    func power() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let button = try await application.pair()
        await stage.fake.setPower(.off)
        await application.transcript.wait { $0.contains("state poweredOff") && $0.contains { $0.hasPrefix("disconnected") } }
        await stage.button.press()
        await stage.fake.setPower(.on)
        await application.transcript.wait(for: "queue finished")
        #expect(
            application.transcript.take().prefix(4) == [
                "state poweredOff", "disconnected notPoweredOn, connecting", "state poweredOn", "connected",
            ]
        )
        #expect(button.info.isReady)
    }

    @Test("bluetoothd forgets the device while the button is away; a press brings it back all the same")
    func forgottenDevice() async throws {
        var timing = FakeBlueZ.Timing()
        timing.temporary = .seconds(1)
        timing.disconnect = .milliseconds(1)
        let stage = try await FakeStage(timing: timing)
        let application = await FakeApplication(stage)
        _ = try await application.pair()
        await stage.fake.air.setInRange(false, stage.button.address)
        await stage.fake.wait { $0.journal.contains("signal removed \(stage.device)") }
        await stage.button.press()
        await stage.fake.air.setInRange(true, stage.button.address)
        await application.transcript.wait(for: "queue finished")
        #expect(application.transcript.take().prefix(4) == ["disconnected timeout, connecting", "connected", "ready", "down queued"])
    }

    @Test("The services of a connected button change: it is ready again on the same link, and no press is lost", arguments: [false, true])
    func changedServices(isGoing: Bool) async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        _ = try await application.pair()
        if isGoing {
            // The objects of a device that is removed go one by one, its own last.
            await stage.fake.removeDevice(stage.button.address)
            await stage.button.press()
            await application.transcript.wait(for: "ready")
            #expect(application.transcript.take().prefix(3) == ["disconnected failed, connecting", "connected", "ready"])
            return
        }
        await stage.fake.moveServices(of: stage.button.address)
        await stage.fake.announceServices(of: stage.device)
        await stage.button.press()
        await application.transcript.wait(for: "down queued")
        #expect(application.transcript.take().prefix(4) == ["disconnected failed, connecting", "connected", "ready", "down queued"])
        #expect(await stage.fake.calls.count { $0.hasPrefix("Device1.Connect") } == 1)
        await stage.button.release()
        await application.transcript.wait(for: "up")
    }

    @Test("A link of whose making no signal told is known all the same: it is used anew once its services have changed, and cut when it is to end")
    func untoldLink() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let button = try await application.pair()
        await stage.pass(.seconds(31))  // the end of pairing mode, in which it would be heard beside its link
        _ = application.transcript.take()
        await stage.fake.setFaults { $0.omitsConnected = true }
        await stage.fake.air.loseLink(to: stage.button.address)
        await stage.button.press()
        await application.transcript.wait(for: "queue finished")
        _ = application.transcript.take()
        await stage.fake.moveServices(of: stage.button.address)
        await stage.fake.announceServices(of: stage.device)
        await stage.button.release()
        await application.transcript.wait { $0.contains { $0.hasPrefix("up") } }
        #expect(
            application.transcript.take().filter { !$0.hasPrefix("battery") }.prefix(3) == ["disconnected failed, connecting", "connected", "ready"]
        )
        await button.disconnect()
        await stage.fake.wait { $0.calls.last == "Device1.Disconnect \(stage.device)" }
    }

    @Test("Another program's link is joined whenever it is wished for, though the button is not heard meanwhile")
    func joining() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let other = await FakeApplication(stage)
        let button = try await application.pair()
        _ = try await other.pair()
        await button.disconnect()
        await application.transcript.wait(for: "disconnected nil, disconnected")
        _ = application.transcript.take()
        await button.connect()
        await application.transcript.wait(for: "ready")
        #expect(application.transcript.lines.prefix(2) == ["connected", "ready"])
        #expect(await stage.fake.calls.count { $0.hasPrefix("Device1.Connect") } == 1)
    }

    @Test("Another program's link is shared, and left to it when the button is forgotten")
    func sharing() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let other = await FakeApplication(stage)
        let button = try await application.pair()
        _ = try await other.pair()
        #expect(await stage.fake.calls.count { $0.hasPrefix("Device1.Connect") } == 1)
        await stage.button.click()
        await application.transcript.wait(for: "click")
        await other.transcript.wait(for: "click")
        #expect(application.transcript.take() == ["down", "up", "click"])
        #expect(other.transcript.take() == ["down", "up", "click"])
        try await application.flic.forget(button)
        await stage.button.click()
        await other.transcript.wait(for: "click")
        #expect(other.transcript.lines == ["down", "up", "click"])
        #expect(await !stage.fake.calls.contains { $0.hasPrefix("Device1.Disconnect") })
    }
}
