import BlueZ
import Commands
import EventLoops
import FlicBridge
import FlicSimulator

extension Measurement {
    private static let presses = Option(name: "--presses", value: "N", summary: "Press the button so often (100).")

    static let exec = Measurement(
        name: "exec",
        summary: "From the button's notification to the program of a rule.",
        discussion: """
            A simulated button is pressed while the daemon's bridge has a rule that runs a program on each press: this program, which
            tells when its main began. Measured are the times from the moment at which the notification with the press comes out of
            the transport
              exec   until the program has been executed: posix_spawn has returned
              main   until its main begins, after the dynamic linker and the start of Swift

            With --adapter and --button both are on the air, over the system's bluetoothd; otherwise nothing needs Bluetooth.
            """,
        options: [presses] + AdapterPair.options
    ) { invocation in
        let stage: ExecStage =
            if let pair = try AdapterPair(invocation.arguments) {
                try await .onAdapters(pair, loop: invocation.loop)
            } else {
                await .inTheAir(on: invocation.loop)
            }
        let count = try invocation.arguments.count(presses, usual: 100)
        return try await ExecRun(stage: stage, loop: invocation.loop, command: try Stamp.command).report(presses: count)
    }
}

/// Presses a button, again and again, and takes the time.
struct ExecRun {
    /// How long a press, or the button, may take.
    private static let patience = Duration.seconds(60)
    /// Between a program's end and the next press: what the last one has left to do is done by then.
    private static let pause = Duration.milliseconds(100)

    let stage: ExecStage
    let loop: DispatchLoop
    /// Prints as ``Stamp`` does.
    let command: [String]

    /// Pairs with the button and presses it.
    func report(presses: Int) async throws -> Report {
        let times = PressTimes()
        let flic = Flic(configuration(StampedCentral(stage.central, times)))
        let bridge = Bridge(flic)
        let rules = RuleRunner(
            [Configuration.Rule(name: "stamp", events: [.down], exec: Configuration.Exec(command: command, concurrency: .queue))],
            loop: loop,
            programs: StampedRunner(ProcessRunner(loop: loop) { times.executed() }, times),
            webhooks: NoWebhooks(),
            environment: { _ in nil },
            log: { _, _ in }
        )
        await bridge.add { notice in
            if case .button(.press(let press), _) = notice, press.kind == .down { times.told(press.eventCount) }
            rules.hear(notice)
        }
        await bridge.start()
        do {
            let samples = try await measure(flic, bridge, times, presses)
            await end(bridge, rules)
            return report(samples)
        } catch {
            await end(bridge, rules)
            throw error
        }
    }

    private func configuration(_ central: any Central) -> FlicConfiguration {
        var configuration = FlicConfiguration(central: central, store: MemoryStore(), trustingTestRoot: TestRoot.publicKey)
        configuration.log = { _, _ in }
        return configuration
    }

    private func measure(_ flic: Flic, _ bridge: Bridge, _ times: PressTimes, _ presses: Int) async throws -> [PressTimes.Sample] {
        await stage.button.enterPublicMode()
        let info = try await bridge.pair()
        try await flic.buttons.first { $0.identifier == info.identifier }?.ready()
        var rest = times.samples.makeAsyncIterator()
        var samples: [PressTimes.Sample] = []
        for number in 1...presses {
            await loop.pause(for: Self.pause)
            let patience = loop.schedule(after: Self.patience) { times.giveUp() }
            await stage.button.press()
            guard let sample = await rest.next() else {
                throw Invocation.Failure("Press \(number) has not come to its program within \(Self.patience.components.seconds) s.")
            }
            patience.cancel()
            await stage.button.release()
            samples.append(sample)
        }
        return samples
    }

    private func end(_ bridge: Bridge, _ rules: RuleRunner) async {
        await rules.stop()
        await bridge.stop()
        await stage.end()
    }

    private func report(_ samples: [PressTimes.Sample]) -> Report {
        let figures = [Figure("exec", times: samples.map(\.exec)), Figure("main", times: samples.map(\.main))]
        return Report(measurement: Measurement.exec.name, conditions: ["transport": stage.transport], figures: figures.compactMap(\.self))
    }
}

/// Rules that only run programs ask it for nothing.
private struct NoWebhooks: WebhookSender {
    func send(_ hook: Configuration.Webhook, for event: EventRecord) async -> WebhookOutcome { .failed("there are no web hooks here") }
}
