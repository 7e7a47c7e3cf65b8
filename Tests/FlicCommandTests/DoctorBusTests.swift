import BlueZ
import DBus
import FlicClient
import FlicSimulator
import FoundationEssentials
import Testing

@testable import flic

/// The whole program, beside a fake org.bluez on a bus of its own.
@Suite("flic doctor on a bus", .timeLimit(.minutes(1)))
struct DoctorBusTests {
    private static let adapter = "/org/bluez/hci0"

    /// A bus with an adapter and a paired button in its air.
    private struct Scene {
        let bus: PrivateBus
        let fake: FakeBlueZ
        let button: SimulatedButton
        let record: ButtonRecord

        init(_ power: FakeBlueZ.Power = .on) async throws {
            bus = try PrivateBus()
            fake = FakeBlueZ(bus: bus.address, loop: DispatchLoop(label: "fake"))
            button = SimulatedButton(seed: 1, loop: fake.loop)
            record = try await DoctorMaterial.record()
            await fake.air.place(button)
            await fake.addAdapter(.init(power))
            try await fake.start()
        }

        func run(_ arguments: String..., printed: Printed = Printed(), interrupts: AsyncStream<Void>? = nil) async -> Run {
            let loop = DispatchLoop(label: "doctor")
            let address = bus.address
            var context = ProgramContext.system
            context.loop = loop
            context.output = printed.output
            context.interrupts = { interrupts ?? AsyncStream { _ in } }
            context.makeTransport = { request in
                Transport(central: BlueZCentral(session: BlueZSession(bus: address, adapter: try request.adapterChoice(), loop: loop)))
            }
            context.examiner.system = { DoctorMaterial.system }
            context.examiner.bluetooth = { request, expectsAdapter in
                await BluetoothExaminer(bus: address, adapter: try request.adapterChoice(), loop: loop).examine(expectsAdapter: expectsAdapter)
            }
            context.examiner.store = { [record] _ in
                var facts = DoctorMaterial.store
                facts.contents = .records([record])
                return facts
            }
            return Run(code: await FlicProgram.run(["doctor"] + arguments, in: context), printed: printed)
        }
    }

    @Test("A press is heard; then nothing is listened for, and nothing was connected, paired or changed")
    func heard() async throws {
        let scene = try await Scene()
        async let doctor = scene.run("--timeout", "20")
        await scene.fake.wait { $0.calls.contains("Adapter1.StartDiscovery \(Self.adapter)") }
        await scene.button.press()
        let run = await doctor
        #expect(run.code == .done && run.results.contains { $0.contains("Heard at -60 dBm") || $0.contains("Heard at -59 dBm") })
        await scene.fake.wait { $0.journal.last { $0.contains("Discovering") }?.hasSuffix("Discovering=false") == true }
        let calls = Set(await scene.fake.calls.map { $0.split(separator: " ")[0] })
        #expect(
            calls.isSubset(of: [
                "ObjectManager.GetManagedObjects", "Adapter1.SetDiscoveryFilter", "Adapter1.StartDiscovery", "Adapter1.StopDiscovery",
            ])
        )
    }

    @Test("Interrupted: discovery ends")
    func interrupted() async throws {
        let scene = try await Scene()
        let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
        async let doctor = scene.run("--timeout", "60", interrupts: interrupts)
        await scene.fake.wait { $0.journal.last { $0.contains("Discovering") }?.hasSuffix("Discovering=true") == true }
        continuation.yield()
        #expect(await doctor.code == .interrupted)
        await scene.fake.wait { $0.journal.last { $0.contains("Discovering") }?.hasSuffix("Discovering=false") == true }
    }

    @Test("bluetoothd refuses to listen: that is told from silence")
    func deaf() async throws {
        let scene = try await Scene()
        await scene.fake.trouble(with: "Adapter1.StartDiscovery", .error(DBusError(name: "org.bluez.Error.Failed", message: "no")))
        let run = await scene.run("--timeout", "0.5")
        #expect(run.code == .bluetoothUnavailable && run.results.contains { $0.hasPrefix("✗ radio") })
    }

    @Test("It listens and hears nothing: no problem")
    func silence() async throws {
        let scene = try await Scene()
        let run = await scene.run("--timeout", "0.5")
        #expect(run.code == .done && run.results.contains { $0.hasPrefix("! radio") } && run.results.contains { $0.contains("Not heard within 1 s") })
    }

    @Test("Another program has connected the button")
    func linked() async throws {
        let scene = try await Scene()
        await scene.fake.addDevice(scene.button.address)
        await scene.button.enterPublicMode()
        let client = DBusConnection(scene.bus.address, loop: DispatchLoop())
        await client.open { _ in }
        let path = Self.adapter + "/dev_" + scene.button.address.description.split(separator: ":").joined(separator: "_")
        _ = try await client.call(MethodCall(to: "org.bluez", at: path, "org.bluez.Device1", "Connect"))
        let run = await scene.run()
        #expect(run.code == .done && run.results.contains { $0.contains("another program on this machine") })
        #expect(await !scene.fake.calls.contains { $0.contains("Discovery") })
        await client.close()
    }

    @Test("Off, or another adapter")
    func off() async throws {
        let scene = try await Scene(.off)
        let run = await scene.run()
        #expect(run.code == .bluetoothUnavailable && run.results.contains { $0.hasPrefix("✗ power") })
        let missing = await scene.run("--adapter", "hci7")
        #expect(missing.code == .bluetoothUnavailable && missing.results.contains { $0.contains("no adapter hci7, only hci0") })
        #expect(await scene.fake.calls.allSatisfy { $0.hasPrefix("ObjectManager.GetManagedObjects") })
    }
}
