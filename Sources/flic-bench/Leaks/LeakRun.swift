import BlueZ
import EventLoops
import FlicClient
import FlicSimulator
import GATT

/// Loses the link to a button, again and again, and notes what the process uses.
struct LeakRun {
    /// Simulated time in which a button that was pressed has to have told its press.
    private static let patience = Duration.seconds(120)

    let cycles: Int
    let isOverBus: Bool

    /// - Returns: What the process used after each hundredth, at most.
    func measure() async throws -> [Usage] {
        let clock = VirtualLoop(patience: .seconds(60))
        return try await clock.run(timeLimit: .seconds(cycles) * 600) {
            isOverBus ? try await overBus(clock) : try await inTheAir(clock)
        }
    }

    private func inTheAir(_ clock: VirtualLoop) async throws -> [Usage] {
        let air = SimulatedAir(loop: clock)
        return try await measure(clock, air, SimulatedCentral(air: air), SimulatedButton(seed: 1, loop: clock))
    }

    private func overBus(_ clock: VirtualLoop) async throws -> [Usage] {
        let bus = try PrivateBus()
        // One loop for both sides: then nothing runs at the same time as anything else.
        let loop = clock.makeLoop(label: "leaks")
        let fake = FakeBlueZ(bus: bus.address, loop: loop, timing: .likeBluetoothd)
        await fake.setJournalLimit(100)
        await fake.addAdapter()
        try await fake.start()
        let central = BlueZCentral(session: BlueZSession(bus: bus.address, loop: loop))
        return try await measure(clock, fake.air, central, SimulatedButton(seed: 1, loop: loop))
    }

    private func measure(_ clock: VirtualLoop, _ air: SimulatedAir, _ central: any Central, _ button: SimulatedButton) async throws -> [Usage] {
        var configuration = FlicConfiguration(central: central, store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)
        configuration.log = { _, _ in }
        let flic = Flic(configuration)
        await air.place(button)
        await flic.start()
        for await state in await flic.stateUpdates() where state == .poweredOn { break }
        await button.enterPublicMode()
        let paired = try await flic.pair()
        var usage: [Usage] = []
        for cycle in 1...cycles {
            await air.loseLink(to: button.address)
            await button.click()
            try await wait(clock) {
                let (told, count) = (await button.acknowledgedEventCount, await button.eventCount)
                return paired.info.isReady && told == count
            }
            if cycle % max(cycles / 100, 1) == 0 { usage.append(.now) }
        }
        await flic.stop()
        return usage
    }

    private func wait(_ clock: VirtualLoop, until isTrue: () async -> Bool) async throws {
        let end = clock.now + Self.patience
        while await !isTrue() {
            guard clock.now < end else { throw Invocation.Failure("The button has not come back.") }
            await clock.pause(for: .milliseconds(200))
        }
    }

    /// - Throws: If there is more at the end than after the warm-up.
    func report(_ usage: [Usage]) throws -> Report {
        guard let last = usage.last else { throw Invocation.Failure("Nothing was noted.") }
        let warm = usage[usage.count / 5]
        let growth = last.growth(since: warm)
        guard growth.isEmpty else {
            throw Invocation.Failure("\(growth.joined(separator: " and ")) more after \(cycles) cycles than after a fifth of them.")
        }
        let settled = usage.dropFirst(usage.count / 5)
        let figures = [
            Statistics(settled.map { Double($0.heap) / 1024 }).map { Figure(name: "heap", unit: "KiB", statistics: $0) },
            Statistics(settled.map { Double($0.descriptors) }).map { Figure(name: "descriptors", unit: "", statistics: $0) },
        ]
        return Report(
            measurement: Measurement.leaks.name,
            conditions: ["cycles": "\(cycles)", "transport": isOverBus ? "simulated bluetoothd" : "simulated"],
            figures: figures.compactMap(\.self)
        )
    }
}
