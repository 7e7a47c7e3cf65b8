import Dispatch
import EventLoops
import FlicClient
import FlicKit
import FlicSimulator
import Foundation
import GATT
import Synchronization
import Testing

/// A program on the stage: a manager of its own with a delivery queue of its own, near a simulated button, in virtual time.
///
/// Nothing is delivered except within ``pass(_:step:)`` and ``settle()``; timers of the loop fire there and in ``VirtualLoop/advance(by:)``.
struct Stage: Sendable {
    let loop: VirtualLoop
    let air: SimulatedAir
    let button: SimulatedButton
    let options: FLICOptions
    let delivery: Delivery
    let flic: Flic
    let manager: FLICManager
    let program: Program

    /// The first launch, before anything has been told.
    init(
        state: CentralState = .poweredOn,
        settings: ButtonSettings = ButtonSettings(),
        isDuo: Bool = false,
        store: any PairingStore = MemoryStore()
    ) async {
        var options = FLICOptions(trustingTestRoot: TestRoot.publicKey)
        options.store = store
        await self.init(state: state, settings: settings, isDuo: isDuo, options: options)
    }

    /// The first launch, with options that name no central.
    init(
        state: CentralState = .poweredOn,
        settings: ButtonSettings = ButtonSettings(),
        isDuo: Bool = false,
        options: FLICOptions
    ) async {
        let loop = VirtualLoop()
        let air = SimulatedAir(loop: loop, state: state)
        let button = SimulatedButton(identity: .make(seed: 1, product: isDuo ? .duo : .flic2), seed: 1, settings: settings, loop: loop)
        await air.place(button)
        self.init(loop: loop, air: air, button: button, options: options)
    }

    /// Another program on the same machine, or the next launch of a program.
    init(near other: Stage, store: any PairingStore = MemoryStore()) {
        var options = FLICOptions(trustingTestRoot: TestRoot.publicKey)
        options.store = store
        self.init(loop: other.loop, air: other.air, button: other.button, options: options)
    }

    private init(loop: VirtualLoop, air: SimulatedAir, button: SimulatedButton, options: FLICOptions) {
        self.loop = loop
        self.air = air
        self.button = button
        delivery = Delivery()
        program = Program()
        var options = options
        options.central = SimulatedCentral(air: air)
        options.log = { [program] level, text in if level == .problem { program.complain(text) } }
        self.options = options
        flic = options.makeFlic()
        manager = FLICManager(flic: flic, delegate: program, buttonDelegate: program, background: true, queue: delivery.queue)
        program.watch(manager)
        manager.start()
    }

    /// A launch that is over: the restore and the first state have been told, and are not in the trace.
    static func launched(
        settings: ButtonSettings = ButtonSettings(),
        isDuo: Bool = false,
        store: any PairingStore = MemoryStore()
    ) async -> Stage {
        let stage = await Stage(settings: settings, isDuo: isDuo, store: store)
        await stage.settle()
        _ = stage.program.take()
        return stage
    }

    /// A program that has paired with the button; the trace is empty.
    static func paired(
        settings: ButtonSettings = ButtonSettings(),
        isDuo: Bool = false,
        store: any PairingStore = MemoryStore()
    ) async throws -> (Stage, FLICButton) {
        let stage = await launched(settings: settings, isDuo: isDuo, store: store)
        let button = try await stage.pair()
        _ = stage.program.take()
        return (stage, button)
    }

    /// Pairs, and waits until the button is ready and no longer public.
    func pair() async throws -> FLICButton {
        await button.enterPublicMode()
        program.scan()
        await pass(.seconds(35), step: .milliseconds(500))
        return try #require(manager.buttons().last)
    }

    /// The program is killed; the link ends with it.
    func kill() async {
        manager.delegate = nil
        for button in manager.buttons() { button.delegate = nil }
        try? await passing { await flic.stop() }  // which waits for the end of the link
    }

    /// The next launch of the program, with the same store.
    func relaunched() async -> Stage {
        await kill()
        return Stage(loop: loop, air: air, button: button, options: options)
    }

    // MARK: Time

    /// Waits until everything that can happen now has happened, what the program answers included.
    func settle() async {
        for _ in 0..<4 {
            await loop.advance(by: .zero)
            await delivery.drain()
        }
    }

    /// Lets time pass in small steps, so that the program can answer in between.
    func pass(_ span: Duration, step: Duration = .milliseconds(50)) async {
        var rest = span
        while rest > .zero {
            await loop.advance(by: min(step, rest))
            await delivery.drain()
            rest -= step
        }
        await settle()
    }

    /// Lets time pass until something is done. It may begin at any time, as other threads do it, so time must not stop before.
    func passing<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let ending = Ending()
        let task = Task {
            defer { ending.hasCome.withLock { $0 = true } }
            return try await work()
        }
        while !ending.hasCome.withLock({ $0 }) { await pass(.milliseconds(50)) }
        return try await task.value
    }

    private final class Ending: Sendable {
        let hasCome = Mutex(false)
    }

    /// Waits for something that the loop does not know of: files are written elsewhere.
    func until(_ condition: (Stage) -> Bool) async {
        for _ in 0..<100_000 where !condition(self) { await settle() }
    }

    // MARK: The finger

    /// Presses, releases after a time, and waits until the release has arrived.
    func press(for span: Duration) async {
        await button.press()
        await pass(span, step: .milliseconds(10))
        await button.release()
        await pass(.milliseconds(10))
    }

    // MARK: Trouble

    /// The button goes out of range and forgets to come back.
    func carryAway() async {
        await air.setInRange(false, button.address)
        await settle()
    }

    func bringBack() async {
        await air.setInRange(true, button.address)
        await settle()
    }
}
