public import FlicClient

/// Runs `body` with a simulated button and an application that can pair with it, in virtual time: whatever the body waits for takes
/// no time at all.
///
/// ```swift
/// try await withSimulatedButton { button, flic in
///     await button.enterPublicMode()
///     let paired = try await flic.pair()
///     var events = paired.pressEvents().makeAsyncIterator()
///     await button.click()
///     #expect(await events.next()?.kind == .down)
/// }
/// ```
///
/// - Parameters:
///   - seed: Decides about everything that is random about the button.
///   - settings: How the button behaves where real ones may differ.
///   - faults: What is wrong from the beginning.
///   - mtu: ATT MTU that the adapter offers.
///   - store: Where the application keeps its pairings.
///   - timeLimit: Virtual time after which the body is given up.
///   - body: Runs on the loop. The application has been started; it trusts ``TestRoot``.
/// - Throws: What the body throws, or ``VirtualLoop/Failure`` if it does not end.
public func withSimulatedButton<Result: Sendable>(
    seed: UInt64 = 1,
    settings: ButtonSettings = ButtonSettings(),
    faults: Faults = Faults(),
    mtu: Int = 140,
    store: any PairingStore = MemoryStore(),
    timeLimit: Duration = .seconds(24 * 60 * 60),
    _ body: @escaping @Sendable (SimulatedButton, Flic) async throws -> Result
) async throws -> Result {
    try await withSimulatedCentral(seed: seed, settings: settings, faults: faults, mtu: mtu, timeLimit: timeLimit) { button, central in
        let flic = Flic(FlicConfiguration(central: central, store: store, trustingTestRoot: TestRoot.publicKey))
        await flic.start()
        return try await body(button, flic)
    }
}

/// The same one floor below: a simulated button and a transport near it.
///
/// - Parameters:
///   - seed: Decides about everything that is random about the button.
///   - settings: How the button behaves where real ones may differ.
///   - faults: What is wrong from the beginning.
///   - mtu: ATT MTU that the adapter offers.
///   - timeLimit: Virtual time after which the body is given up.
///   - body: Runs on the loop. Further apps are made with `SimulatedCentral(air: central.air)`.
/// - Throws: What the body throws, or ``VirtualLoop/Failure`` if it does not end.
public func withSimulatedCentral<Result: Sendable>(
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
