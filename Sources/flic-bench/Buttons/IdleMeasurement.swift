import Commands
import EventLoops
import FlicClient
import FlicSimulator
import Glibc

extension Measurement {
    private static let buttons = Option(name: "--buttons", value: "N", summary: "So many buttons are ready (10).")
    private static let seconds = Option(name: "--seconds", value: "N", summary: "Look for so many seconds (60).")

    static let idle = Measurement(
        name: "idle",
        summary: "How often a process with buttons that nobody presses wakes up, and what it computes.",
        discussion: """
            The simulated buttons are in the same process and have timers of their own, so the figures are upper bounds.
              wake-ups        times a thread has gone to sleep, in a minute
              processor time  milliseconds in a minute
            """,
        options: [buttons, seconds]
    ) { invocation in
        let (count, seconds) = (try invocation.arguments.count(buttons, usual: 10), try invocation.arguments.count(seconds, usual: 60))
        let loop = invocation.loop
        let air = SimulatedAir(loop: loop)
        var configuration = FlicConfiguration(central: SimulatedCentral(air: air), store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)
        configuration.log = { _, _ in }
        let flic = Flic(configuration)
        await flic.start()
        for seed in 1...UInt64(count) {
            let button = SimulatedButton(seed: seed, loop: loop)
            await air.place(button)
            await button.enterPublicMode()
            try await flic.pair().ready()
        }
        await loop.pause(for: .seconds(5))
        let before = usage
        await loop.pause(for: .seconds(seconds))
        let after = usage
        await flic.stop()
        let minute = 60 / Double(seconds)
        return Report(
            measurement: "idle",
            conditions: ["buttons": "\(count)", "seconds": "\(seconds)"],
            figures: [
                Figure("wake-ups", unit: "1/min", [Double(after.sleeps - before.sleeps) * minute]),
                Figure("processor time", unit: "ms/min", [Double(after.microseconds - before.microseconds) / 1000 * minute]),
            ].compactMap(\.self)
        )
    }

    private static var usage: (sleeps: Int, microseconds: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime].map { $0.tv_sec * 1_000_000 + Int($0.tv_usec) }
        return (usage.ru_nvcsw, times[0] + times[1])
    }
}
