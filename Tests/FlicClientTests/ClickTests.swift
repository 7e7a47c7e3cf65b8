import Fixtures
import FlicClient
import FlicProtocol
import FlicSimulator
import Testing

@testable import FlicClient

@Suite("Clicks from the button's codes (protocol 7.2)")
struct ClickTests {
    private static let modes: [(name: String, mode: TriggerMode)] = [
        ("clickAndHold", .clickAndHold), ("clickAndDoubleClick", .clickAndDoubleClick),
        ("clickAndDoubleClickAndHold", .clickAndDoubleClickAndHold), ("click", .click),
    ]

    @Test("All 16 codes of the vectors in all four modes, 64 cases")
    func codes() {
        let codes = JSONValue.vectors("packets").event_codes.array
        #expect(codes.count == 16)
        for code in codes {
            for (name, mode) in Self.modes {
                var translator = ClickTranslator()
                let event = ButtonEvent(code: EventCode(UInt8(code.code.unsigned!)), count: 1, timestamp: 1, wasQueued: false, ageTicks: 0)
                let decision = translator.translate(event, mode: mode)
                #expect(decision.earlier == nil)
                let click = decision.click
                #expect(code[name].array.compactMap(\.string) == (click.map { [$0.rawValue] } ?? []), "code \(code.code) in \(name)")
            }
        }
    }

    @Test("46 sequences of the vectors that have codes: they give the expected events in all four modes")
    func sequences() {
        let cases = JSONValue.vectors("classifier").cases.array
        #expect(cases.count == 61)
        var compared = 0
        for sequence in cases where !sequence.button_events.array.isEmpty {
            for (name, mode) in Self.modes {
                var judge = PressJudge(rules: .standard(mode))
                var told: [String] = []
                for record in sequence.button_events.array {
                    let milliseconds = record.t_ms.double!
                    let event = ButtonEvent(
                        code: EventCode(UInt8(record.code.unsigned!)),
                        count: UInt32(record.counter.unsigned!),
                        timestamp: UInt64((milliseconds * 32.768).rounded()),
                        wasQueued: false,
                        ageTicks: 0
                    )
                    judge.judge(event, now: .zero) { told.append("\($0.kind.rawValue) \(Int(milliseconds))") }
                }
                let expected = sequence.expected[name].array.map { "\($0.event.string!) \(Int($0.t_ms.double!))" }
                #expect(told == expected, "\(sequence.name) in \(name)")
                compared += 1
            }
        }
        #expect(compared == 46 * 4)
    }

    @Test(
        "D6 a hold is not also a click, even if a time-out for the same press follows",
        arguments: [
            (TriggerMode.clickAndHold, ["down", "hold", "up"]),
            (.clickAndDoubleClickAndHold, ["down", "hold", "up"]),
            (.clickAndDoubleClick, ["down", "up", "click"]),
            (.click, ["down", "click", "up"]),
        ]
    )
    func d6(mode: TriggerMode, expected: [String]) {
        let records: [(code: UInt8, count: UInt32, ticks: UInt64)] = [
            (1, 1, 1000), (3, 2, 1000 + 32_768), (14, 3, 1000 + 43_925), (2, 4, 1000 + 50_000),
        ]
        for rules in [ClickRules.standard(mode), .custom(mode, limits: .init())] {
            var judge = PressJudge(rules: rules)
            var told: [String] = []
            for record in records {
                let event = ButtonEvent(
                    code: EventCode(record.code),
                    count: record.count,
                    timestamp: record.ticks,
                    wasQueued: false,
                    ageTicks: 0
                )
                judge.judge(event, now: .zero) { told.append($0.kind.rawValue) }
            }
            #expect(told == expected)
        }
    }

    @Test(
        "D7 the edge between single and double, by the simulated button's codes",
        arguments: [
            (499, ["down", "up", "down", "up", "doubleClick"]), (500, ["down", "up", "down", "up", "doubleClick"]),
            (501, ["down", "up", "click", "down", "up", "click"]),
        ]
    )
    func d7(milliseconds: Int, expected: [String]) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await button.setClickRules(.standard(.clickAndDoubleClick))
            _ = scene.trace.take()
            await scene.button.press(for: .milliseconds(100))
            await scene.pass(.milliseconds(milliseconds - 100))
            await scene.button.press(for: .milliseconds(100))
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == expected)
        }
    }

    @Test(
        "D7 three fast clicks are a double and a single, four are two doubles",
        arguments: [
            (3, ["doubleClick", "click"]), (4, ["doubleClick", "doubleClick"]),
        ]
    )
    func d7(presses: Int, expected: [String]) async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await button.setClickRules(.standard(.clickAndDoubleClick))
            _ = scene.trace.take()
            for _ in 0..<presses {
                await scene.button.click()
                await scene.pass(.milliseconds(100))
            }
            await scene.pass(.seconds(1))
            #expect(scene.trace.take().filter { $0 != "down" && $0 != "up" } == expected)
        }
    }

    @Test("A change of the mode applies to the next decision, and no press is told twice")
    func modeChange() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await button.setClickRules(.standard(.clickAndHold))
            _ = scene.trace.take()
            await scene.button.press()
            await scene.pass(.milliseconds(1200))
            await button.setClickRules(.standard(.clickAndDoubleClick))
            await scene.button.release()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "hold", "up"])
            await scene.button.press()
            await scene.pass(.milliseconds(100))
            await button.setClickRules(.standard(.click))
            await scene.button.release()
            await scene.pass(.seconds(1))
            // The deciding event, the time-out, comes in a mode that decides at the down.
            #expect(scene.trace.take() == ["down", "up"])
        }
    }

    @Test("Limits of one's own: triple clicks, short holds, decided by host timers with slack")
    func customRules() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            let limits = ClickClassifier.Limits(doubleClick: 16_384, hold: 16_384, tripleClick: true)
            await button.setClickRules(.custom(.clickAndDoubleClickAndHold, limits: limits))
            _ = scene.trace.take()
            for _ in 0..<3 {
                await scene.button.click()
                await scene.pass(.milliseconds(200))
            }
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "down", "up", "down", "up", "tripleClick"])
            for _ in 0..<2 {
                await scene.button.click()
                await scene.pass(.milliseconds(200))
            }
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["down", "up", "down", "up", "doubleClick"])
            await scene.button.press()
            await scene.pass(.milliseconds(700))
            #expect(scene.trace.take() == ["down"])
            await scene.pass(.milliseconds(100))
            #expect(scene.trace.take() == ["hold"])
            await scene.button.release()
            await scene.pass(.seconds(1))
            #expect(scene.trace.take() == ["up"])
        }
    }

    @Test("Limits of one's own: a press of a new boot of the button that comes in several notifications is one")
    func customRulesAfterReboot() async throws {
        var settings = ButtonSettings()
        settings.eventsPerNotification = 1
        try await Scene.run(settings: settings) { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await button.setClickRules(.custom(.clickAndHold, limits: .init()))
            await scene.button.press()  // never ends, as far as anybody hears
            await scene.air.setInRange(false, scene.button.address)
            await scene.pass(.seconds(5))
            await scene.button.release()
            await scene.button.reboot()
            await scene.button.click()
            _ = scene.trace.take()
            await scene.air.setInRange(true, scene.button.address)
            await scene.pass(.seconds(20))
            #expect(
                scene.trace.take().map { $0.split(separator: " ")[0] }.filter { ["down", "up", "click"].contains($0) } == ["down", "up", "click"]
            )
        }
    }

    @Test("Limits of one's own: a press that spans a lost link is told once")
    func customRulesAcrossLinkLoss() async throws {
        try await Scene.run { scene in
            let button = try await scene.pair()
            await scene.pass(.seconds(1))
            await button.setClickRules(.custom(.clickAndDoubleClick, limits: .init(doubleClick: 20_000)))
            _ = scene.trace.take()
            await scene.button.press()
            await scene.pass(.milliseconds(50))
            await scene.air.loseLink(to: scene.button.address)
            await scene.button.release()
            await scene.pass(.seconds(20))
            #expect(
                scene.trace.take().filter { ["down", "up", "click"].contains($0.split(separator: " ").first) }.map { $0.prefix(4) } == [
                    "down", "up q", "clic",
                ]
            )
        }
    }
}
