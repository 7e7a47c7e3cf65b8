import FlicClient
import FlicSimulator
import FoundationEssentials
import Glibc

/// `flic demo`: the whole story of a button, without Bluetooth.
///
/// The button is simulated, everything else is what a real one meets: certificate, key agreement, signatures, link loss.
enum DemoCommand {
    static let command = Command(
        name: "demo",
        summary: "Pair with a simulated button and press it. Needs no Bluetooth.",
        discussion: """
            Finds, pairs and names a simulated button that speaks the true protocol, and shows a click, a double click and a
            hold with their times; then the link is lost, a press happens meanwhile, and it is told after the reconnect with its
            age. In the end the button is forgotten. Takes about ten seconds.
            """,
        options: [.json],
        run: { await run(isJSON: $0.has(.json)) }
    )

    /// Longer than the demo takes on the slowest machine; a demo that hangs must not hang for ever.
    private static let timeLimit = Duration.seconds(14)

    private static func run(isJSON: Bool) async -> ExitCode {
        let demo = Demo(output: DemoOutput(isJSON: isJSON))
        let watchdog = Task {
            try await Task.sleep(for: timeLimit)
            demo.output.failed(FlicError(.timedOut))
            exit(ExitCode.timedOut.rawValue)  // whatever hangs may not care about being cancelled
        }
        defer { watchdog.cancel() }
        do {
            try await demo.run()
            return .done
        } catch {
            demo.output.failed(error)
            return .failed
        }
    }
}

/// The story.
private struct Demo: Sendable {
    let output: DemoOutput

    func run() async throws {
        let loop = DispatchLoop(label: "flic.demo")
        let air = SimulatedAir(loop: loop)
        let simulated = SimulatedButton(seed: .random(in: 0...UInt64.max), loop: loop)
        await air.place(simulated)
        var configuration = FlicConfiguration(
            central: SimulatedCentral(air: air),
            store: MemoryStore(),
            trustingTestRoot: TestRoot.publicKey
        )
        let output = output
        configuration.log = { level, text in if level > .debug { output.remark(text) } }
        let flic = Flic(configuration)
        await flic.start()

        output.remark("The simulated button goes into pairing mode, as a real one does when it is held down for seven seconds.")
        await simulated.enterPublicMode()
        let button = try await flic.pair { step in output.scan(step) }
        output.paired(button.info)
        let reader = Task { for await notice in button.events() { output.heard(notice) } }

        await button.setNickname("Kitchen")
        output.named(button.info)
        await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
        try await Task.sleep(for: .milliseconds(300))

        output.remark("One press:")
        await simulated.click()
        try await Task.sleep(for: .milliseconds(600))
        output.remark("Two presses in quick succession:")
        await simulated.doubleClick()
        try await Task.sleep(for: .milliseconds(400))
        output.remark("Held down for one and a half seconds:")
        await simulated.hold()
        try await Task.sleep(for: .milliseconds(300))

        output.remark("The button is carried out of range, and pressed there:")
        await air.setInRange(false, simulated.address)
        try await Task.sleep(for: .milliseconds(200))
        await simulated.click()
        try await Task.sleep(for: .seconds(2))
        output.remark("It comes back:")
        await air.setInRange(true, simulated.address)
        try await button.ready()
        try await Task.sleep(for: .milliseconds(500))

        try await flic.forget(button)
        await reader.value
        output.forgotten(button.info, count: await flic.buttons.count)
        await flic.stop()
    }
}
