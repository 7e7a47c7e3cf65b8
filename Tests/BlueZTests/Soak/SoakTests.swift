import FlicSimulator
import Foundation
import Testing

/// An application that runs for days on a computer where everything goes wrong now and then.
///
/// `FLICKIT_SOAK_HOURS` sets how many simulated hours (two unless told otherwise), `FLICKIT_SOAK_SEED` the seed: a failure names it.
@Suite("Days of trouble", .serialized)
struct SoakTests {
    private static let hours = environment("FLICKIT_SOAK_HOURS")
    private static let seed = UInt64(environment("FLICKIT_SOAK_SEED") ?? 1)

    private static func environment(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("After each trouble all buttons come back when pressed, each press is told once, and nothing grows")
    func soak() async throws {
        let hours = Self.hours ?? 2
        let clock = VirtualLoop(patience: .seconds(30))
        let start = ContinuousClock.now
        try await clock.run(timeLimit: .seconds(3600 * (2 * hours + 6))) {
            let world = try await SoakWorld(seed: Self.seed, clock: clock)
            let usage = UsageLog()
            let report = try await world.live(for: .seconds(3600 * hours)) { usage.note() }
            let real = ContinuousClock.now - start
            print(
                "soak, seed \(Self.seed): \(hours) h in \(real), \(clock.now / real) virtual seconds a second; \(report.spells) spells of trouble, "
                    + "slowest recovery \(report.slowestRecovery), from a link that was none \(report.slowestDoubt), \(report.told) edges told, \(report.queued) of them queued; \(report.inventory); "
                    + usage.text
            )
            #expect(report.faults == [], "seed \(Self.seed), at \(clock.now):\n\(world.story.text)")
            #expect(report.told > 20 * hours)
            // Other tests run in the same process unless this one is run alone.
            if Self.hours != nil { #expect(usage.growth == []) }
        }
    }
}
