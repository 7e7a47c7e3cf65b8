import FlicBridge
import FlicSimulator
import Foundation
import Testing

@Suite("Rules: what they do")
struct RulesRunnerTests {
    /// A bridge with a button, and a runner that is not its outlet yet.
    private struct Play: Sendable {
        let scene: Scene
        let info: ButtonInfo
        let programs: ScriptedPrograms
        let webhooks: ScriptedWebhooks
        let remarks: RuleRemarks
        let runner: RuleRunner

        func settle() async { await scene.pass(.milliseconds(1)) }
        var counters: [RuleCounters] { get async { await runner.counters.map(\.counters) } }
    }

    private static func play(
        _ rules: [Configuration.Rule],
        areProgramsObedient: Bool = true,
        webhooks outcome: WebhookOutcome? = .delivered,
        _ body: @escaping @Sendable (Play) async throws -> Void
    ) async throws {
        try await Scene.play { scene in
            let info = try await scene.pair(name: "Hall")
            await scene.pass(.seconds(1))
            let remarks = RuleRemarks()
            let programs = ScriptedPrograms(loop: scene.loop, isObedient: areProgramsObedient)
            let webhooks = ScriptedWebhooks(outcome, loop: scene.loop)
            let runner = RuleRunner(
                rules,
                loop: scene.loop,
                programs: programs,
                webhooks: webhooks,
                environment: { ["HOME": "/home/u", "NOTIFY_SOCKET": "/run/notify"][$0] },
                date: { Date(timeIntervalSince1970: 1_767_225_600.5) },
                log: remarks.log
            )
            try await body(Play(scene: scene, info: info, programs: programs, webhooks: webhooks, remarks: remarks, runner: runner))
        }
    }

    private static func rule(
        _ name: String,
        _ events: Set<PressEvent.Kind> = [.click],
        maxAge: Duration? = nil,
        minInterval: Duration? = nil,
        policy: Configuration.Exec.Concurrency = .skip
    ) -> Configuration.Rule {
        let exec = Configuration.Exec(command: ["/bin/echo", name], concurrency: policy, environment: ["LAMP": "2"])
        return Configuration.Rule(name: name, events: events, maxAge: maxAge, minInterval: minInterval, exec: exec)
    }

    @Test("A Flic Duo: which button it was is told, and a rule may be for one of them", arguments: 0...1)
    func duo(number: Int) async throws {
        var rule = Self.rule("lamp")
        rule.buttonNumber = number
        try await Self.play([rule]) { play in
            for pressed in 0...1 {
                let press = PressEvent(kind: .click, buttonNumber: pressed, acceleration: .init(x: 0, y: 0, z: 1))
                await play.runner.tell(.button(.press(press), play.info))
            }
            await play.settle()
            #expect(play.programs.launches.map { $0.environment["FLICKIT_BUTTON_NUMBER"] } == ["\(number)"])
        }
    }

    @Test("A press of a real session becomes a program with the event in its environment and on its input")
    func press() async throws {
        try await Self.play([Self.rule("lamp")]) { play in
            await play.scene.bridge.add { [runner = play.runner] in runner.hear($0) }
            await play.scene.button.click()
            await play.scene.pass(.seconds(1))
            let launch = try #require(play.programs.launches.first)
            #expect(play.programs.launches.count == 1 && launch.command == ["/bin/echo", "lamp"] && launch.timeout == .seconds(10))
            let serial = play.scene.button.identity.serialNumber
            let variables = launch.environment
            #expect(variables["FLICKIT_BUTTON_ID"] == play.info.uuid && variables["FLICKIT_SERIAL"] == serial && variables["FLICKIT_NAME"] == "Hall")
            #expect(variables["FLICKIT_EVENT"] == "click" && variables["FLICKIT_QUEUED"] == "false" && variables["FLICKIT_AGE"] == "0")
            #expect(variables["LAMP"] == "2" && variables["HOME"] == "/home/u" && variables["PATH"]?.hasSuffix("/bin") == true)
            #expect(variables["NOTIFY_SOCKET"] == nil && variables["FLICKIT_BUTTON_NUMBER"] == nil)
            #expect(launch.input.last == UInt8(ascii: "\n") && launch.input.filter { $0 == UInt8(ascii: "\n") }.count == 1)
            let event = try #require(try JSONSerialization.jsonObject(with: Data(launch.input)) as? [String: Any])
            #expect(event["event"] as? String == "click" && event["button"] as? String == serial && event["name"] as? String == "Hall")
            #expect(
                event["date"] as? String == "2026-01-01T00:00:00.500Z"
                    && (event["volts"] as? Double).map { "\($0)" } == variables["FLICKIT_BATTERY_VOLTS"]
            )
            #expect((event["count"] as? Int).map { "\($0)" } == variables["FLICKIT_COUNT"])
            #expect(play.remarks.texts(.notice) == ["rules lamp: runs"])
            play.programs.end(0)
            await play.settle()
            #expect(await play.counters == [RuleCounters(fired: 1)] && play.remarks.texts(.problem).isEmpty)
        }
    }

    @Test("Each rule is asked, in the order of the file; one with two actions does both")
    func order() async throws {
        var both = Self.rule("both", [.click, .hold])
        both.webhook = Configuration.Webhook(url: "https://host/")
        try await Self.play([Self.rule("a"), Self.rule("hold", [.hold]), both]) { play in
            await play.runner.press(play.info)
            await play.settle()
            #expect(play.programs.started == ["a", "both"] && play.webhooks.sent.map(\.url) == ["https://host/"])
            await play.runner.press(play.info, .hold)
            await play.settle()
            #expect(play.programs.started == ["a", "both", "hold"] && play.webhooks.sent.map(\.event.event) == ["click", "hold"])
            #expect(await play.counters == [RuleCounters(fired: 1), RuleCounters(fired: 1), RuleCounters(fired: 2, skipped: 1)])
        }
    }

    @Test("skip: one at a time, and what comes meanwhile is left out")
    func skip() async throws {
        try await Self.play([Self.rule("lamp")]) { play in
            await play.runner.press(play.info, count: 1000)
            await play.settle()
            #expect(play.programs.counts == ["1"])
            #expect(play.remarks.texts(.notice).filter { $0 == "rules lamp: left out: its program still runs" }.count == 999)
            play.programs.end(0)
            await play.settle()
            await play.runner.press(play.info)
            await play.settle()
            #expect(play.programs.counts == ["1", "1"])
            #expect(await play.counters == [RuleCounters(fired: 1001, skipped: 999)])
        }
    }

    @Test("queue: one at a time, in order, up to a bound")
    func queue() async throws {
        try await Self.play([Self.rule("lamp", policy: .queue)]) { play in
            await play.runner.press(play.info, count: 1000)
            await play.settle()
            #expect(play.programs.counts == ["1"] && play.programs.running == [0])
            for number in 0..<40 {
                play.programs.end(number)
                await play.settle()
            }
            #expect(play.programs.counts == (1...33).map { "\($0)" } && play.programs.running.isEmpty)
            #expect(await play.counters == [RuleCounters(fired: 1000, skipped: 967)])
            #expect(play.remarks.texts(.notice).contains("rules lamp: left out: 32 presses wait already"))
        }
    }

    @Test("restart: the running program is ended, and the latest press has the next one")
    func restart() async throws {
        try await Self.play([Self.rule("lamp", policy: .restart)]) { play in
            await play.runner.press(play.info, count: 1)
            await play.settle()
            await play.runner.press(play.info, count: 999)
            await play.settle()
            #expect(play.programs.counts == ["1", "999"] && play.programs.cancelled == [0] && play.programs.running == [1])
            #expect(await play.counters == [RuleCounters(fired: 1000, skipped: 998)])
        }
    }

    @Test("So many programs run at the same time: further ones are left out, or wait for their turn in the order of the presses")
    func bound() async throws {
        let rules = (0..<20).map { Self.rule("\($0)", policy: $0 < 17 ? .skip : .queue) }
        try await Self.play(rules) { play in
            await play.runner.press(play.info)
            await play.settle()
            #expect(play.programs.started == (0..<16).map { "\($0)" })
            #expect(play.remarks.texts(.notice).contains("rules 16: left out: 16 programs run already"))
            await play.runner.press(play.info)
            for number in 0..<16 {
                play.programs.end(number)
                await play.settle()
            }
            #expect(play.programs.started.dropFirst(16) == ["17", "18", "19"] && play.programs.running == [16, 17, 18])
            for number in [18, 17, 16, 19, 20, 21] {
                play.programs.end(number)
                await play.settle()
            }
            #expect(play.programs.started.dropFirst(19).sorted() == ["17", "18", "19"] && play.programs.running.isEmpty)
        }
    }

    @Test("So many web hooks of a rule are under way, and no more; stopping ends them")
    func hooks() async throws {
        let rule = Configuration.Rule(name: "hook", webhook: Configuration.Webhook(url: "https://host/"))
        try await Self.play([rule], webhooks: nil) { play in
            await play.runner.press(play.info, count: 100)
            await play.settle()
            #expect(play.webhooks.sent.map(\.event.count) == (1...64).map { UInt32($0) })
            #expect(await play.counters == [RuleCounters(fired: 100, skipped: 36)])
            let start = play.scene.loop.now
            await play.runner.stop()
            #expect(await play.runner.runningCount == 0 && play.scene.loop.now == start)
        }
    }

    @Test("Web hooks that were answered are not under way any more")
    func answered() async throws {
        let rule = Configuration.Rule(name: "hook", webhook: Configuration.Webhook(url: "https://host/"))
        try await Self.play([rule]) { play in
            for _ in 0..<2 {
                await play.runner.press(play.info, count: 50)
                await play.settle()
            }
            #expect(play.webhooks.sent.count == 100)
            #expect(await play.counters == [RuleCounters(fired: 100)])
        }
    }

    @Test("A press that has waited until it is too old for its rule is left out")
    func late() async throws {
        try await Self.play([Self.rule("lamp", maxAge: .seconds(3), policy: .queue)]) { play in
            await play.runner.press(play.info, count: 2)
            await play.scene.pass(.seconds(2))
            await play.runner.press(play.info)
            await play.scene.pass(.seconds(2))
            play.programs.end(0)
            await play.settle()
            #expect(play.programs.counts == ["1", "1"] && play.remarks.texts(.notice).contains("rules lamp: left out: it waited for too long"))
            #expect(await play.counters == [RuleCounters(fired: 3, skipped: 1)])
        }
    }

    @Test("What goes wrong is told and counted")
    func outcomes() async throws {
        var rule = Self.rule("lamp", policy: .queue)
        rule.webhook = Configuration.Webhook(url: "https://host/")
        try await Self.play([rule], webhooks: .failed("host: 500")) { play in
            let outcomes: [ProgramOutcome] = [.exited(3), .signalled(9), .timedOut, .notStarted("No such file or directory"), .stuck, .lost]
            await play.runner.press(play.info, count: outcomes.count)
            for (number, outcome) in outcomes.enumerated() {
                await play.settle()
                play.programs.end(number, outcome)
            }
            await play.settle()
            #expect(await play.counters == [RuleCounters(fired: 6, failed: 12)])
            #expect(
                play.remarks.texts(.problem).filter { !$0.contains("web hook") } == [
                    "rules lamp: /bin/echo: exit code 3", "rules lamp: /bin/echo: ended by signal 9",
                    "rules lamp: /bin/echo: not done in time, and ended", "rules lamp: /bin/echo: not started: No such file or directory",
                    "rules lamp: /bin/echo: does not end, even when killed", "rules lamp: /bin/echo: has ended, nobody knows how",
                ]
            )
            #expect(play.remarks.texts(.problem).filter { $0 == "rules lamp: web hook: host: 500" }.count == 6)
        }
    }

    @Test("A rule that stays keeps its program, what waits, and its memory; a changed one its counters; one that is gone only what runs")
    func reload() async throws {
        let kept = Self.rule("kept", minInterval: .seconds(60), policy: .queue)
        let changed = Self.rule("changed", policy: .queue)
        try await Self.play([kept, changed, Self.rule("gone", policy: .queue)]) { play in
            await play.runner.press(play.info, count: 2)
            await play.settle()
            #expect(play.programs.started == ["kept", "changed", "gone"])
            var other = changed
            other.exec?.command = ["/bin/echo", "other"]
            await play.runner.apply([other, kept])
            #expect(play.programs.running == [0, 1, 2] && play.remarks.texts(.notice).contains("rules gone: left out: its rule is gone"))
            await play.runner.press(play.info)
            await play.settle()
            #expect(play.programs.started == ["kept", "changed", "gone", "other"])
            for number in 0..<4 { play.programs.end(number) }
            await play.settle()
            #expect(play.programs.running.isEmpty)
            await play.scene.pass(.seconds(61))
            await play.runner.press(play.info)
            await play.settle()
            #expect(play.programs.started.suffix(2) == ["other", "kept"])
            let counters = await play.runner.counters
            #expect(counters.map(\.rule) == ["changed", "kept"])
            #expect(counters.map(\.counters) == [RuleCounters(fired: 4), RuleCounters(fired: 2)])
        }
    }

    @Test("A button that was forgotten is not remembered by a rule either")
    func forgotten() async throws {
        try await Self.play([Self.rule("lamp", minInterval: .seconds(60), policy: .queue)]) { play in
            await play.runner.press(play.info, count: 2)
            await play.runner.tell(.removed(play.info))
            await play.runner.press(play.info)
            #expect(await play.counters.map(\.fired) == [2])
        }
    }

    @Test("Stopping ends what runs, and nothing is heard any more")
    func stop() async throws {
        try await Self.play([Self.rule("a", policy: .queue), Self.rule("b")]) { play in
            await play.runner.press(play.info, count: 2)
            await play.settle()
            let start = play.scene.loop.now
            await play.runner.stop()
            #expect(play.scene.loop.now == start && play.programs.cancelled.sorted() == [0, 1] && play.programs.running.isEmpty)
            await play.runner.press(play.info)
            await play.settle()
            #expect(play.programs.started == ["a", "b"])
            #expect(await play.runner.runningCount == 0)
        }
    }

    @Test("Stopping does not wait for ever")
    func stopBound() async throws {
        try await Self.play([Self.rule("a")], areProgramsObedient: false) { play in
            await play.runner.press(play.info)
            await play.settle()
            let start = play.scene.loop.now
            await play.runner.stop()
            #expect(play.scene.loop.now - start == .seconds(5) && play.programs.cancelled == [0])
            play.programs.end(0)
            await play.settle()
        }
    }
}
