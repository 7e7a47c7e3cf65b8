/// Runs `body` with a simulated button and an app's transport near it, in virtual time: whatever the body waits for, it takes no time.
///
/// ```swift
/// try await withSimulatedButton { button, central in
///     await button.enterPublicMode()
///     …
/// }
/// ```
///
/// - Parameters:
///   - seed: Decides about everything that is random about the button.
///   - settings: How the button behaves where real ones may differ.
///   - faults: What is wrong from the beginning.
///   - mtu: ATT MTU that the adapter offers.
///   - timeLimit: Virtual time after which the body is given up.
///   - body: Runs on the loop. Further apps are made with `SimulatedCentral(air: central.air)`.
/// - Throws: What the body throws, or ``VirtualLoop/Failure`` if it does not end.
public func withSimulatedButton<Result: Sendable>(
    seed: UInt64 = 1,
    settings: ButtonSettings = ButtonSettings(),
    faults: Faults = Faults(),
    mtu: Int = 140,
    timeLimit: Duration = .seconds(24 * 60 * 60),
    _ body: @escaping @Sendable (SimulatedButton, SimulatedCentral) async throws -> Result
) async throws -> Result {
    let loop = VirtualLoop()
    return try await loop.run(timeLimit: timeLimit) {
        let air = SimulatedAir(loop: loop, mtu: mtu)
        let button = SimulatedButton(seed: seed, settings: settings, faults: faults, loop: loop)
        await air.place(button)
        return try await body(button, SimulatedCentral(air: air))
    }
}
