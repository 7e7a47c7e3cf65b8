import FlicClient
import FlicSimulator
import Synchronization
import Testing

@testable import flic

@Suite("flic simulate")
struct SimulateTests {
    @Test(
        "Lines",
        arguments: [
            ("press", SimulateInput.press(0)), ("release", .release(0)), ("click", .click(0)), ("double 1", .double(1)), ("hold", .hold(0)),
            ("swipe left", .swipe(.left, 0)), ("swipe up 1", .swipe(.up, 1)), ("turn -0.5", .turn(-0.5)), ("public", .public),
            ("reboot", .reboot), ("battery 2.5", .battery(2.5)), ("battery   3", .battery(3)), ("name Hall", .name("Hall")),
            ("name A longer one", .name("A longer one")), ("name", .name("")), ("wait 0.5", .wait(0.5)), ("help", .help), ("quit", .quit),
            ("  click", .click(0)), ("click  ", .click(0)), ("", nil), ("   ", nil),
        ]
    )
    func lines(line: String, input: SimulateInput?) throws {
        #expect(try SimulateInput(line: line) == input)
    }

    @Test(
        "Lines that mean nothing",
        arguments: [
            "clack", "click twice", "click 2", "press -1", "swipe", "swipe sideways", "swipe left 2", "swipe left 1 1", "turn", "turn nan",
            "turn 101", "CLICK", "battery", "battery full", "battery 9", "battery -1", "battery nan", "wait", "wait -1", "wait inf",
            "quit now",
        ]
    )
    func mistakes(line: String) {
        #expect(throws: SimulateInput.Mistake.self) { try SimulateInput(line: line) }
    }

    @Test("Keys")
    func keys() throws {
        let keys: [Character: SimulateInput] = [
            " ": .toggle, "c": .click(0), "d": .double(0), "h": .hold(0), "p": .public, "r": .reboot, "?": .help, "q": .quit,
        ]
        for (key, input) in keys { #expect(try SimulateInput(key: key) == input) }
        #expect(throws: SimulateInput.Mistake.self) { try SimulateInput(key: "x") }
    }

    @Test("Whatever can be typed is in the help")
    func help() {
        for word in [
            "press", "release", "click", "double", "hold", "swipe WAY", "turn N", "mode N", "public", "reboot", "battery V", "name TEXT", "wait S",
            "help",
            "quit",
        ] {
            #expect(SimulateInput.lineHelp.contains(word))
        }
        for key in ["SPACE", "c", "d", "h", "p", "r", "?", "q"] { #expect(SimulateInput.keyHelp.contains("  \(key) ")) }
    }

    private func run(_ stage: Stage, _ input: [Input.Element], ends: Bool = false, _ arguments: String...) async -> Run {
        let printed = Printed()
        var context = stage.context(printed)
        context.input = Input {
            AsyncStream { continuation in
                for element in input { continuation.yield(element) }
                if ends { continuation.finish() }
            }
        }
        return Run(code: await FlicProgram.run(["simulate"] + arguments, in: context), printed: printed)
    }

    @Test("What is typed is done to the button, in order, and told")
    func text() async throws {
        try await Stage.play { stage in
            let lines = [
                "click", "wait 1", "double", "wait 1", "hold", "press", "release", "public", "battery 2.5", "name Hall", "reboot", "quit", "click",
            ]
            let run = await run(stage, lines.map { .line($0) }, "--seed", "7")
            #expect(run.code == .done)
            let identity = ButtonIdentity.make(seed: 7)
            #expect(run.results.first == "Simulated button \(identity.serialNumber), address \(identity.address), seed 7")
            #expect(run.results[1].wholeMatch(of: /Test root [0-9a-f]{64}/) != nil)
            let events = run.events.dropFirst(2).map { $0.split(separator: ",").first.map(String.init) }
            #expect(
                events == ["click", "double", "hold", "press", "release", "pairing mode", "battery 2.5 V", "name \"Hall\"", "reboot"]
            )
        }
    }

    @Test("JSON: the members that the help names")
    func json() async throws {
        try await Stage.play { stage in
            let run = await run(stage, ["click", "public", "battery 2.5", "name Hall", "quit"].map { .line($0) }, "--json", "--seed", "7")
            #expect(run.errors.isEmpty)
            let objects = try run.objects
            #expect(objects.map(\.event) == ["simulating", "click", "public", "battery", "name"])
            #expect(objects[0].names == ["event", "button", "address", "seed", "testRoot"])
            #expect(objects[0].texts["testRoot"]?.count == 64 && objects[0].numbers["seed"] == 7)
            let common: Set = ["event", "time", "date"]
            let members: [Set<String>] = [["count"], [], ["volts"], ["name"]]
            #expect(objects.dropFirst().map(\.names) == members.map { common.union($0) })
        }
    }

    @Test("A Flic Twist is turned, in modes, and is not also a Duo")
    func twist() async throws {
        try await Stage.play { stage in
            let lines = ["mode 3", "turn 0.25", "mode 13", "click", "quit"]
            let run = await run(stage, lines.map { .line($0) }, "--json", "--twist", "--seed", "7")
            let objects = try run.objects
            #expect(run.code == .done && objects.map(\.event) == ["simulating", "mode", "turn", "click"])
            #expect(objects[0].texts["button"]?.hasPrefix("T") == true && objects[1].numbers["twistMode"] == 3 && objects[2].numbers["turns"] == 0.25)
            #expect(run.errors == ["flic: 'mode' needs the number of a mode, 0 to 12."])
            #expect(await stage.run("simulate", "--twist", "--duo").code == .usage)
        }
    }

    @Test("The printed test root is the one that makes the button genuine")
    func pairing() async throws {
        try await Stage.play { stage in
            let (input, continuation) = AsyncStream.makeStream(of: Input.Element.self)
            let printed = Printed()
            var context = stage.context(printed)
            context.input = Input { input }
            async let simulate = FlicProgram.run(["simulate", "--json"], in: context)
            continuation.yield(.line("public"))
            await stage.pass(.seconds(1))
            let root = try #require(try printed.objects.first?.texts["testRoot"])
            let pair = Printed()
            #expect(await FlicProgram.run(["pair", "--trust-test-root", root], in: stage.context(pair)) == .done)
            continuation.yield(.line("quit"))
            #expect(await simulate == .done)
            // It is off the air.
            #expect(await stage.run("scan").code == .noButtonFound)
        }
    }

    @Test("Keys, with the space bar as the button")
    func toggle() async throws {
        try await Stage.play { stage in
            let run = await run(stage, [" ", " ", "c", "x", "q"].map { .key($0) }, "-q")
            let events = run.events.dropFirst(2).map { $0.split(separator: ",").first.map(String.init) }
            #expect(run.code == .done && events == ["press", "release", "click"])
            #expect(run.errors.count == 1)
        }
    }

    @Test("A line that is not understood is told and passed over")
    func mistake() async throws {
        try await Stage.play { stage in
            let run = await run(stage, ["clack", "", "click", "quit"].map { .line($0) }, "--json")
            #expect(run.code == .done && run.errors == ["flic: 'clack' is not understood; 'help' shows what is."])
            let objects = try run.objects
            #expect(objects.map(\.event) == ["simulating", "click"])
        }
    }

    @Test("At the end of the input the button stays on the air until the program is interrupted")
    func endOfInput() async throws {
        try await Stage.play { stage in
            let (interrupts, continuation) = AsyncStream.makeStream(of: Void.self)
            let printed = Printed()
            var context = stage.context(printed, interrupts: interrupts)
            context.input = Input { AsyncStream { $0.finish() } }
            async let simulate = FlicProgram.run(["simulate", "--seed", "7"], in: context)
            await stage.pass(.seconds(1000))
            continuation.yield()
            #expect(await simulate == .interrupted)
            #expect(stage.loop.now == .seconds(1000))
        }
    }

    @Test("What happens around the button is told; a button that cannot be put on the air ends the command")
    func notices() async throws {
        try await Stage.play { stage in
            let printed = Printed()
            var context = stage.context(printed)
            context.input = Input { AsyncStream { $0.yield(.line("quit")) } }
            let address = BluetoothAddress(value: 0x1122_3344_5566)
            context.makeBroadcast = { request, design, tell in
                tell(.state(.poweredOff, problem: "It is off."))
                tell(.connected(address))
                tell(.disconnected)
                tell(.failed("No room."))
                return Broadcast(button: SimulatedButton(seed: design.seed, loop: request.loop)) {}
            }
            #expect(await FlicProgram.run(["simulate", "--json"], in: context) == .done)
            let objects = try printed.objects
            #expect(objects.map(\.event) == ["bluetooth", "connected", "disconnected", "failed", "simulating"])
            #expect(objects[0].texts["state"] == "poweredOff" && objects[0].texts["message"] == "It is off.")
            #expect(objects[1].texts["address"] == address.description && objects[3].texts["message"] == "No room.")

            context.makeBroadcast = { _, _, _ in throw Failure(.bluetoothUnavailable, "unsupported", "There is no adapter.") }
            #expect(await FlicProgram.run(["simulate"], in: context) == .bluetoothUnavailable)
        }
    }
}
