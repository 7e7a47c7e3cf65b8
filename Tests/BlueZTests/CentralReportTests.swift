import BlueZ
import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Synchronization
import Testing

@Suite("Public bug reports, over the fake org.bluez", .timeLimit(.minutes(1)), .virtualTime)
struct CentralReportTests {
    @Test("D1: abort-by-local is retried, and the flap is not an event")
    func abortByLocal() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let button = try await application.pair()
        var states = button.stateUpdates().makeAsyncIterator()
        #expect(await states.next() == .connected)
        let callsBefore = await stage.fake.calls.count
        let journalBefore = await stage.fake.journal.count
        await stage.fake.trouble(with: "Device1.Connect", times: 2, .flap(.milliseconds(40)))
        await stage.fake.air.loseLink(to: stage.button.address)
        await application.transcript.wait(for: "queue finished")

        #expect(
            application.transcript.lines.filter { !$0.hasPrefix("battery") } == [
                "disconnected timeout, connecting", "connected", "ready", "queue finished",
            ]
        )
        #expect(await stage.fake.calls.dropFirst(callsBefore).count { $0 == "Device1.Connect \(stage.device)" } == 3)
        #expect(await states.next() == .connecting)
        #expect(await states.next() == .connected)
        // None was sent before the end of the link before was seen.
        var isConnected = true
        for line in await stage.fake.journal.dropFirst(journalBefore) {
            if line.hasPrefix("signal Device1 \(stage.device)") {
                isConnected = line.contains("Connected=true") || isConnected && !line.contains("Connected=false")
            }
            if line == "call Device1.Connect \(stage.device)" { #expect(!isConnected) }
        }
    }

    @Test("D2: bluetoothd restarts under a live session")
    func restart() async throws {
        let stage = try await FakeStage()
        let application = await FakeApplication(stage)
        let button = try await application.pair()
        let found = FakeTranscript()
        let scan = Task(executorPreference: VirtualTime.clock) { [flic = application.flic] in
            for await advertisement in await flic.discoveries() { found.note("\(advertisement.address)") }
        }
        defer { scan.cancel() }
        await stage.fake.wait { $0.calls.last == "Adapter1.StartDiscovery /org/bluez/hci0" }

        await stage.fake.giveUpName()
        await application.transcript.wait { $0.count == 2 }
        #expect(application.transcript.take() == ["state resetting", "disconnected notPoweredOn, connecting"])
        let callsBefore = await stage.fake.calls.count
        try await stage.fake.start()
        await application.transcript.wait(for: "queue finished")
        #expect(application.transcript.take().prefix(3) == ["state poweredOn", "connected", "ready"])
        #expect(button.info.isReady)
        #expect(
            await stage.fake.calls.dropFirst(callsBefore).prefix(3) == [
                "ObjectManager.GetManagedObjects /", "Adapter1.SetDiscoveryFilter /org/bluez/hci0", "Adapter1.StartDiscovery /org/bluez/hci0",
            ]
        )
        #expect(await stage.fake.strayCalls == [])
        _ = found.take()
        await stage.button.enterPublicMode()
        await found.wait(for: "\(stage.button.address)")  // the scan goes on
    }

    @Test("D3: notifications that beat the reply to StartNotify")
    func earlyNotifications() async throws {
        let stage = try await FakeStage()
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await stage.fake.trouble(with: "GattCharacteristic1.StartNotify", times: 1, .valuesFirst([[1], [2]]))
        let user = FakeLinkUser(stage)
        await user.start()
        await user.open()
        await user.transcript.wait(for: "ready 140")
        await stage.fake.air.forge([3], from: stage.button.address)
        await user.transcript.wait(for: "value [3]")
        #expect(user.transcript.lines == ["state poweredOn", "connected", "ready 140", "value [1]", "value [2]", "value [3]"])
    }

    @Test("D9: started before Bluetooth is there")
    func startedFirst() async throws {
        let stage = try await FakeStage()
        let earlier = await FakeApplication(stage)
        _ = try await earlier.pair()
        await earlier.flic.stop()
        await stage.fake.crash()
        await stage.fake.removeAdapter()

        let application = await FakeApplication(stage, store: earlier.store)
        let scan = Task(executorPreference: VirtualTime.clock) { [flic = application.flic] in await flic.discoveries().first { _ in true }?.address }
        let failure = await #expect(throws: FlicError.self) { _ = try await application.flic.pair() }
        #expect(failure?.code == .bluetoothUnavailable)
        await application.transcript.wait { $0.count == 2 }
        try await stage.fake.start()
        await stage.fake.addAdapter(.init(.off))
        await application.transcript.wait(for: "state poweredOff")
        await stage.button.enterPublicMode()
        await stage.fake.setPower(.on)
        await application.transcript.wait(for: "queue finished")
        #expect(
            application.transcript.lines.prefix(6) == [
                "restored 1", "state unsupported", "state poweredOff", "state poweredOn", "connected", "ready",
            ]
        )
        #expect(await scan.value == stage.button.address)
    }
}
