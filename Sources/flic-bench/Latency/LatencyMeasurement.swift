import BlueZ
import Commands
import DBus
import EventLoops
import FlicBridge
import FlicClient
import FlicSimulator

extension Measurement {
    private static let presses = Option(name: "--presses", value: "N", summary: "Press the button so often (100).")
    private static let listener = Option(name: "--listener", value: "PATH", summary: "Have this program listen at the same time.")

    static let latency = Measurement(
        name: "latency",
        summary: "From the finger to the program, over D-Bus, beside a program that only listens.",
        discussion: """
            The time begins when a simulated button is pressed, and ends
              flickit   when the event has been told
              bare      when the other program has the notification: libdbus and nothing else (BareClient, built with the tests)

            With --adapter and --button both are on the air, over the system's bluetoothd; otherwise over a bus of its own with an imitation of bluetoothd.
            """,
        options: [presses] + AdapterPair.options + [listener]
    ) { invocation in
        let stage: LatencyStage =
            if let pair = try AdapterPair(invocation.arguments) {
                try await .onAdapters(pair, loop: invocation.loop)
            } else {
                try await .onFake(loop: invocation.loop)
            }
        let count = try invocation.arguments.count(presses, usual: 100)
        let run = LatencyRun(stage: stage, loop: invocation.loop, listener: invocation.arguments.value(listener))
        return try await run.report(presses: count)
    }
}

/// A simulated button, and a bus over which it is reached.
struct LatencyStage: Sendable {
    let bus: BusAddress
    let session: BlueZSession
    let button: SimulatedButton
    /// For the report.
    let transport: String
    /// Takes the button away.
    let end: @Sendable () async -> Void

    /// Without Bluetooth. The imitation is on a loop of its own.
    static func onFake(loop: DispatchLoop) async throws -> LatencyStage {
        let bus = try PrivateBus()
        let far = DispatchLoop(label: "fake")
        let fake = FakeBlueZ(bus: bus.address, loop: far)
        let button = SimulatedButton(seed: 1, loop: far)
        await fake.air.place(button)
        await fake.addAdapter(.init(.on))
        try await fake.start()
        return LatencyStage(bus: bus.address, session: BlueZSession(bus: bus.address, loop: loop), button: button, transport: "imitation") {
            withExtendedLifetime(fake) {}
            bus.stop()
        }
    }

    /// Over bluetoothd.
    static func onAdapters(_ pair: AdapterPair, loop: DispatchLoop) async throws -> LatencyStage {
        let onAir = ButtonOnAir(peripheral: BlueZPeripheral(session: BlueZSession(adapter: pair.button)))
        let button = try await onAir.start(seed: 1)
        return LatencyStage(bus: .system, session: BlueZSession(adapter: pair.adapter, loop: loop), button: button, transport: "BlueZ") {
            await onAir.stop()
        }
    }
}
