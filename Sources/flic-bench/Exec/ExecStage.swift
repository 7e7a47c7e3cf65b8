import BlueZ
import EventLoops
import FlicClient
import FlicSimulator

/// A simulated button, and a way to reach it.
struct ExecStage: Sendable {
    let central: any Central
    let button: SimulatedButton
    /// For the report.
    let transport: String
    /// Takes the button away.
    let end: @Sendable () async -> Void

    /// Without Bluetooth.
    static func inTheAir(on loop: DispatchLoop) async -> ExecStage {
        let air = SimulatedAir(loop: loop)
        let button = SimulatedButton(seed: 1, loop: loop)
        await air.place(button)
        return ExecStage(central: SimulatedCentral(air: air), button: button, transport: "simulated") {}
    }

    /// Over bluetoothd. The button is on a loop of its own.
    static func onAdapters(_ pair: AdapterPair, loop: DispatchLoop) async throws -> ExecStage {
        let onAir = ButtonOnAir(peripheral: BlueZPeripheral(session: BlueZSession(adapter: pair.button)))
        return ExecStage(
            central: BlueZCentral(session: BlueZSession(adapter: pair.adapter, loop: loop)),
            button: try await onAir.start(seed: 1),
            transport: "BlueZ",
            end: { await onAir.stop() }
        )
    }
}
