import CAllocations
import Commands
import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Glibc

extension Measurement {
    private static let presses = Option(name: "--presses", value: "N", summary: "Press each button so often (20).")

    static let crowd = Measurement(
        name: "crowd",
        summary: "Memory and processor time for each of 1 to 1,000 buttons that are ready.",
        discussion: """
            All buttons are simulated, in the same process and on simulated time, and ready at the same time. What is told of each number is
              memory    of the heap, in KiB for each button: the client, its link, and what the simulation has for it
              button    the part of it that the simulated buttons had before anybody knew them
              press     processor time from the finger to the click, in microseconds, the simulated button included
            """,
        options: [presses, .most]
    ) { invocation in
        let count = try invocation.arguments.count(presses, usual: 20)
        var figures: [Figure?] = []
        let most = try invocation.arguments.count(.most, usual: 1000)
        for buttons in [1, 10, 100, 1000] where buttons <= most {
            let crowd = try await Crowd.measure(buttons, presses: count)
            figures.append(Figure("\(buttons) buttons: memory", unit: "KiB", [crowd.memory / 1024]))
            figures.append(Figure("\(buttons) buttons: button", unit: "KiB", [crowd.button / 1024]))
            figures.append(Figure("\(buttons) buttons: press", unit: "us", [crowd.press / 1000]))
        }
        return Report(measurement: "crowd", figures: figures.compactMap(\.self))
    }
}

/// What each of many buttons costs.
private struct Crowd {
    /// Bytes.
    var memory = 0.0
    /// Bytes.
    var button = 0.0
    /// Nanoseconds.
    var press = 0.0

    static func measure(_ count: Int, presses: Int) async throws -> Crowd {
        let loop = VirtualLoop()
        return try await loop.run(timeLimit: .seconds(24 * 3600)) {
            let before = heap
            let air = SimulatedAir(loop: loop)
            let buttons = (1...UInt64(count)).map { SimulatedButton(seed: $0, loop: loop) }
            for button in buttons { await air.place(button) }
            var crowd = Crowd(button: Double(heap - before) / Double(count))
            var configuration = FlicConfiguration(central: SimulatedCentral(air: air), store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)
            configuration.log = { _, _ in }
            let flic = Flic(configuration)
            await flic.start()
            for button in buttons {
                await button.enterPublicMode()
                _ = try await flic.pair()
            }
            await loop.pause(for: .seconds(10))
            guard await flic.buttons.allSatisfy(\.info.isReady) else { throw Invocation.Failure("Not all of \(count) buttons are ready.") }
            crowd.memory = Double(heap - before) / Double(count)
            let start = processorTime
            for _ in 0..<presses {
                for button in buttons { await button.press() }
                await loop.pause(for: .milliseconds(100))
                for button in buttons { await button.release() }
                await loop.pause(for: .seconds(1))
            }
            crowd.press = Double(processorTime - start) / Double(count * presses)
            await flic.stop()
            return crowd
        }
    }

    /// Bytes that are in use.
    private static var heap: Int { Int(c_heap_bytes()) }

    /// Nanoseconds of this process.
    private static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
