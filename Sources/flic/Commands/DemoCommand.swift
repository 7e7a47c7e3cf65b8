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

            With --json: one object a line as from 'flic pair' and 'flic listen'; at last one with event ("forgotten") and buttons
            (how many are left).
            """,
        run: run
    )

    /// Longer than the demo takes on the slowest machine; a demo that hangs must not hang for ever.
    private static let timeLimit = Duration.seconds(14)

    private static func run(_ invocation: Invocation) async throws {
        let watchdog = Task {
            try await Task.sleep(for: timeLimit)
            invocation.context.output.printError("flic: \(FlicError(.timedOut))")
            invocation.context.quit(.timedOut)  // whatever hangs may not care about being cancelled
        }
        defer { watchdog.cancel() }
        try await Demo(loop: invocation.loop, output: DemoOutput(invocation)).run()
    }
}

/// The story.
private struct Demo: Sendable {
    let loop: any EventLoop
    let output: DemoOutput

    func run() async throws {
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
        async let reading: Void = { for await notice in button.events() { output.heard(notice) } }()

        await button.setNickname("Kitchen")
        output.named(button.info)
        await button.setClickRules(.standard(.clickAndDoubleClickAndHold))
        try await pass(.milliseconds(300))

        output.remark("One press:")
        await simulated.click()
        try await pass(.milliseconds(600))
        output.remark("Two presses in quick succession:")
        await simulated.doubleClick()
        try await pass(.milliseconds(400))
        output.remark("Held down for one and a half seconds:")
        await simulated.hold()
        try await pass(.milliseconds(300))

        output.remark("The button is carried out of range, and pressed there:")
        await air.setInRange(false, simulated.address)
        try await pass(.milliseconds(200))
        await simulated.click()
        try await pass(.seconds(2))
        output.remark("It comes back:")
        await air.setInRange(true, simulated.address)
        try await button.ready()
        try await pass(.milliseconds(500))

        try await flic.forget(button)
        await reading
        output.forgotten(button.info, count: await flic.buttons.count)
        await flic.stop()
    }

    private func pass(_ time: Duration) async throws {
        await loop.pause(for: time)
        try Task.checkCancellation()
    }
}
