import DBus
import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("More than one adapter", .timeLimit(.minutes(1)), .virtualTime)
struct CentralAdapterTests {
    private static let second = "/org/bluez/hci1"

    /// A second adapter, and the button's device there.
    private func stage() async throws -> (FakeStage, device: String) {
        let stage = try await FakeStage()
        await stage.fake.addAdapter(.init(.on, name: "hci1"))
        return (stage, stage.device.replacing("hci0", with: "hci1"))
    }

    private func discoveries(_ stage: FakeStage, on adapter: String) async -> [String] {
        await stage.fake.calls.filter { $0.hasSuffix("Discovery \(adapter)") }.map { String($0.split(separator: " ")[0]) }
    }

    @Test("One adapter listens, or all; what is off or unplugged meanwhile is left out, and joins in when it is back")
    func listening() async throws {
        let (stage, _) = try await stage()
        let user = FakeLinkUser(stage)
        await user.start()
        await user.central.discover(.any)
        await stage.fake.wait { $0.calls.contains("Adapter1.StartDiscovery \(FakeStage.adapter)") }
        await user.roundTrip()
        #expect(await discoveries(stage, on: Self.second) == [])
        await user.central.discover(.any, on: .all)
        await stage.fake.wait { $0.calls.contains("Adapter1.StartDiscovery \(Self.second)") }
        await user.central.discover(.any, on: .chosen)
        await stage.fake.wait { $0.calls.contains("Adapter1.StopDiscovery \(Self.second)") }
        #expect(await discoveries(stage, on: FakeStage.adapter) == ["Adapter1.StartDiscovery"])
        await user.central.discover(.any, on: .all)
        await stage.fake.wait { $0.calls.count { $0 == "Adapter1.StartDiscovery \(Self.second)" } == 2 }
        await stage.fake.setPower(.off, of: "hci1")
        await stage.fake.setPower(.on, of: "hci1")
        await stage.fake.wait { $0.calls.count { $0 == "Adapter1.StartDiscovery \(Self.second)" } == 3 }
        await stage.fake.removeAdapter("hci1")
        await stage.fake.addAdapter(.init(.on, name: "hci1"))
        await stage.fake.wait { $0.calls.count { $0 == "Adapter1.StartDiscovery \(Self.second)" } == 4 }
        await user.central.discover(nil)
        await stage.fake.wait { $0.calls.contains("Adapter1.StopDiscovery \(FakeStage.adapter)") }
        #expect(await discoveries(stage, on: FakeStage.adapter) == ["Adapter1.StartDiscovery", "Adapter1.StopDiscovery"])
    }

    @Test("A link is made by the adapter in use, if it hears the device")
    func first() async throws {
        let (stage, _) = try await stage()
        await stage.fake.setRSSI(-90, of: stage.button.address)
        let user = FakeLinkUser(stage)
        await user.start()
        await user.central.discover(.any, on: .all)
        await stage.button.enterPublicMode()
        let (here, there) = (stage.device, stage.device.replacing("hci0", with: "hci1"))
        await stage.fake.wait { [here, there] fake in [here, there].allSatisfy { path in fake.journal.contains { $0.contains(path) } } }
        await user.roundTrip()
        await user.open()
        await user.transcript.wait(for: "ready 140")
        #expect(await stage.fake.calls.filter { $0.hasPrefix("Device1.Connect") } == ["Device1.Connect \(stage.device)"])
    }

    @Test("Else by another that hears it; when that is unplugged, the device is looked for with the first again")
    func failOver() async throws {
        let (stage, device) = try await stage()
        await stage.fake.setRemote(true, "hci0")
        let user = FakeLinkUser(stage)
        await user.start()
        await user.central.discover(.any, on: .all)
        await user.open()
        await stage.button.enterPublicMode()
        await user.transcript.wait(for: "ready 140")
        #expect(await stage.fake.calls.filter { $0.hasPrefix("Device1.Connect") } == ["Device1.Connect \(device)"])
        _ = user.transcript.take()
        await stage.fake.setRemote(false, "hci0")
        await stage.fake.removeAdapter("hci1")
        await user.transcript.wait { $0.contains { $0.hasPrefix("closed") } }
        await user.open()
        await stage.button.enterPublicMode()
        await user.transcript.wait(for: "ready 140")
        #expect(await stage.fake.calls.last { $0.hasPrefix("Device1.Connect") } == "Device1.Connect \(stage.device)")
    }

    @Test("An adapter that is full is passed over for one that hears the device, too; alone it is a refusal")
    func full() async throws {
        let (stage, device) = try await stage()
        await stage.fake.setLinkLimit(0, of: "hci0")
        let user = FakeLinkUser(stage)
        await user.start()
        await user.central.discover(.any, on: .all)
        await stage.button.enterPublicMode()
        await stage.fake.wait { [first = stage.device] fake in [first, device].allSatisfy { path in fake.journal.contains { $0.contains(path) } } }
        await user.roundTrip()
        await user.open()
        await user.transcript.wait(for: "ready 140")
        #expect(
            await stage.fake.calls.filter { $0.hasPrefix("Device1.Connect") } == ["Device1.Connect \(stage.device)", "Device1.Connect \(device)"]
        )
        await user.close()
        await user.transcript.wait(for: "closed nil")
        await stage.fake.setLinkLimit(0, of: "hci1")
        await stage.button.enterPublicMode()
        await user.open()
        #expect(await user.transcript.wait { $0.last?.hasPrefix("closed l") == true }.last == "closed limitReached")
    }

    @Test("A Connect that waits when its adapter is switched off is over: bluetoothd will not say so (surprise 9)")
    func switchedOff() async throws {
        let (stage, device) = try await stage()
        await stage.fake.setRemote(true, "hci0")
        let user = FakeLinkUser(stage)
        await user.start()
        await user.central.discover(.any, on: .all)
        await stage.button.enterPublicMode()
        await stage.fake.wait { fake in fake.journal.contains { $0.contains(device) } }
        await stage.fake.trouble(with: "Device1.Connect", .silence)
        await user.open()
        await stage.fake.wait { $0.calls.contains("Device1.Connect \(device)") }
        await stage.fake.setPower(.off, of: "hci1")
        #expect(await user.transcript.wait { $0.last?.hasPrefix("closed") == true }.last == "closed failed")
    }

    @Test("One that was named is used alone")
    func named() async throws {
        let (stage, _) = try await stage()
        let central = BlueZCentral(
            session: BlueZSession(bus: stage.bus.address, adapter: .name("hci1"), loop: VirtualTime.makeLoop("user"))
        )
        let states = FakeTranscript()
        await central.start { if case .state(let state) = $0 { states.note("\(state)") } }
        await states.wait(for: "poweredOn")
        await central.discover(.any, on: .all)
        await stage.fake.wait { $0.calls.contains("Adapter1.StartDiscovery \(Self.second)") }
        await central.roundTrip()
        #expect(await discoveries(stage, on: FakeStage.adapter) == [])
    }

    @Test("A button that the first adapter does not hear any more is heard by the second, presses and all")
    func application() async throws {
        let (stage, device) = try await stage()
        let application = await FakeApplication(stage)
        _ = try await application.pair()
        await stage.fake.setRemote(true, "hci0")
        // Listening with all adapters begins when another button is looked for, or after a while.
        let listener = Task(executorPreference: VirtualTime.clock) { for await _ in await application.flic.discoveries() {} }
        await stage.button.click()
        await application.transcript.wait { $0.contains { $0.hasPrefix("click") } }  // queued or not: it may be back before
        #expect(await stage.fake.calls.last { $0.hasPrefix("Device1.Connect") } == "Device1.Connect \(device)")
        listener.cancel()
    }

    // MARK: Sleep

    @Test("What logind says when the computer is awake again is passed on; what it says before, and what others say, is not")
    func resumed() async throws {
        let stage = try await FakeStage()
        let central = BlueZCentral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("user")))
        let told = FakeTranscript()
        await central.start { event in
            switch event {
            case .state(let state): told.note("\(state)")
            case .resumed: told.note("resumed")
            default: break
            }
        }
        await told.wait(for: "poweredOn")
        let logind = FakeLogind(stage)
        await logind.say(true)
        await logind.say(false)
        await logind.take()
        await logind.say(true)
        await logind.say(false)
        #expect(await told.wait(for: "resumed") == ["poweredOn", "resumed"])
    }
}

/// Somebody on the bus who may become logind.
private actor FakeLogind {
    nonisolated let loop = VirtualTime.makeLoop("logind")
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let connection: DBusConnection

    init(_ stage: FakeStage) { connection = DBusConnection(stage.bus.address, loop: loop) }

    func say(_ isBeginning: Bool) {
        connection.assumeIsolated { connection in
            connection.open { _ in }
            let path = "/org/freedesktop/login1"
            connection.send(Signal(at: path, "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(isBeginning)]))
        }
    }

    /// Takes the name.
    func take() async {
        await withCheckedContinuation { continuation in
            connection.assumeIsolated { connection in
                connection.requestName("org.freedesktop.login1") { _ in continuation.resume() }
            }
        }
    }
}
