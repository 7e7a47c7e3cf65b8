import DBus
import EventLoops
import FlicSimulator
import GATT
import Testing

/// A bus of its own, a fake org.bluez on it, and one button in its air.
struct FakeStage: Sendable {
    static let adapter = "/org/bluez/hci0"

    let bus: PrivateBus
    let fake: FakeBlueZ
    let button: SimulatedButton
    /// Path of the button's device.
    var device: String { Self.path(of: button) }

    static func path(of button: SimulatedButton) -> String {
        adapter + "/dev_" + button.address.description.split(separator: ":").joined(separator: "_")
    }

    /// - Parameters:
    ///   - power: State of the adapter; nil for no adapter.
    ///   - starts: Whether the daemon runs.
    init(_ power: FakeBlueZ.Power? = .on, starts: Bool = true, timing: FakeBlueZ.Timing = FakeBlueZ.Timing()) async throws {
        bus = try PrivateBus()
        fake = FakeBlueZ(bus: bus.address, loop: VirtualTime.makeLoop("fake"), timing: timing)
        button = SimulatedButton(seed: 1, loop: fake.loop)
        await fake.air.place(button)
        if let power { await fake.addAdapter(.init(power)) }
        if starts { try await fake.start() }
    }

    /// Time on the stage's clock.
    var now: Duration { fake.loop.now }

    /// Lets time pass.
    func pass(_ span: Duration) async { await fake.loop.pause(for: span) }

    /// A program on the bus.
    func client() async -> FakeClient {
        let client = FakeClient(self)
        await client.open()
        return client
    }

    /// A program that has the button connected, its services resolved.
    func connectedClient() async -> FakeClient {
        await fake.addDevice(button.address)
        await button.enterPublicMode()
        let client = await client()
        await client.call("", "Device1.Connect")
        await client.transcript.wait { $0.contains { $0.hasPrefix("device ServicesResolved=true") } }
        _ = client.transcript.take()
        return client
    }
}
