import FlicClient
import FlicSimulator
import Testing

@testable import flic

@Suite("The program")
struct ProgramTests {
    private static let commands = [
        "doctor", "scan", "pair", "list", "listen", "forget", "status", "rename", "mode", "latency", "queue", "battery", "firmware", "export",
        "import",
        "run", "rules", "simulate", "demo", "replay", "help",
    ]

    @Test(
        "Exit codes: 0 for help, 2 for what is not understood",
        arguments: [
            (["help"], ExitCode.done), (["--help"], .done), (["-h"], .done), (["demo", "--help"], .done), (["help", "listen"], .done),
            (["--version"], .done), ([], .usage), (["dance"], .usage), (["help", "dance"], .usage), (["demo", "--loud"], .usage),
            (["forget"], .usage), (["scan", "now"], .usage), (["scan", "--timeout", "soon"], .usage), (["scan", "--timeout", "0"], .usage),
            (["scan", "--timeout", "nan"], .usage), (["scan", "--timeout=1e300"], .usage), (["pair", "--timeout", "-1"], .usage),
            (["listen", "--mode", "triple"], .usage), (["listen", "--queue", "some"], .usage),
            (["listen", "--seconds", "x"], .usage), (["simulate", "--seed", "-1"], .usage),
            (["import"], .usage), (["import", "a", "b"], .usage), (["export", "--passphrase", "x"], .usage),
            (["import", "--passphrase=x", "a"], .usage), (["rename", "a"], .usage), (["mode"], .usage), (["help", "--man"], .done),
            (["help", "--completions", "fish"], .done), (["help", "--completions", "tcsh"], .usage), (["help", "--completions"], .usage),
            (["help", "--man", "list"], .usage), (["help", "--man", "--completions", "zsh"], .usage), (["doctor", "a", "b"], .usage),
            (["doctor", "--timeout", "x"], .usage),
        ]
    )
    func exitCodes(arguments: [String], code: ExitCode) async throws {
        try await Stage.play { stage in
            let printed = Printed()
            #expect(await FlicProgram.run(arguments, in: stage.context(printed)) == code)
            #expect(printed.errors.isEmpty == (code == .done || arguments.isEmpty))
            #expect(printed.errors.allSatisfy { $0.hasPrefix("flic: ") })
        }
    }

    @Test("The help lists all commands; each has one of its own that names its options")
    func help() async throws {
        try await Stage.play { stage in
            let help = await stage.run("help").results
            for command in Self.commands {
                #expect(help.contains { $0.hasPrefix("  \(command) ") })
                let own = await stage.run(command, "--help")
                #expect(own.results.first?.hasPrefix("Usage: flic \(command)") == true)
                #expect(own.results == (await stage.run("help", command)).results)
            }
        }
        #expect(FlicProgram.table.commands.map(\.name).sorted() == Self.commands.sorted())
        for command in FlicProgram.table.commands {
            let help = FlicProgram.table.help(for: command)
            #expect(command.options.allSatisfy { help.contains($0.usage) && help.contains($0.summary) })
        }
    }

    @Test("No line of help is wider than a terminal of 132 columns")
    func helpWidth() {
        let texts = [FlicProgram.table.help] + FlicProgram.table.commands.map { FlicProgram.table.help(for: $0) }
        for line in texts.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 132, "\(line)") }
    }

    @Test(
        "A test root is 64 hexadecimal digits, or the published one",
        arguments: [
            ("published", true), (String(repeating: "0aF1", count: 16), true), (String(repeating: "a", count: 63), false),
            (String(repeating: "a", count: 66), false), (String(repeating: "g", count: 64), false), ("", false), ("vendor", false),
            (String(repeating: "a", count: 62) + " a", false), (String(repeating: "é", count: 64), false),
        ]
    )
    func testRoot(text: String, isGood: Bool) async throws {
        try await Stage.play { stage in
            let table = FlicProgram.table
            let invocation = Invocation(arguments: try table.parse(["list", "--trust-test-root", text]), context: stage.context(Printed()))
            guard isGood else {
                #expect(throws: ArgumentTable.UsageError.self) { try invocation.testRoot() }
                return
            }
            let root = try #require(try invocation.testRoot())
            #expect(root == (text == "published" ? TestRoot.publicKey : Array(repeating: [0x0A, 0xF1], count: 16).flatMap(\.self)))
        }
    }

    @Test("A wrong test root ends a command before it does anything", arguments: ["scan", "pair", "listen"])
    func wrongTestRoot(command: String) async throws {
        try await Stage.play { stage in
            await stage.pair()
            let printed = Printed()
            let start = stage.loop.now
            #expect(await FlicProgram.run([command, "--trust-test-root", "abc"], in: stage.context(printed)) == .usage)
            #expect(stage.loop.now == start && printed.results.isEmpty)
        }
    }

    @Test("Without the option, a simulated button is not trusted")
    func vendorRoot() async throws {
        try await Stage.play { stage in
            await stage.button.enterPublicMode()
            let printed = Printed()
            #expect(await FlicProgram.run(["pair"], in: stage.context(printed)) == .failed)
            #expect(printed.errors.last?.contains("--trust-test-root") == true)
            #expect(stage.store.contents.isEmpty)
        }
    }

    @Test("Remarks for people: not with --quiet, not with --json; details with -v")
    func remarks() async throws {
        try await Stage.play { stage in
            #expect(await stage.run("list").errors == ["No buttons are paired; 'flic pair' pairs one."])
            #expect(await stage.run("list", "--quiet").errors.isEmpty)
            #expect(await stage.run("list", "--json").errors.isEmpty)
        }
        let noisy = Printed()
        try await Stage.play { stage in
            let table = FlicProgram.table
            for arguments in [["list"], ["list", "-q"], ["list", "-v"]] {
                let invocation = Invocation(arguments: try table.parse(arguments), context: stage.context(noisy))
                invocation.log(.debug, "debug \(arguments.last ?? "")")
                invocation.log(.problem, "problem \(arguments.last ?? "")")
            }
        }
        #expect(noisy.errors == ["flic: problem list", "flic: debug -v", "flic: problem -v"])
    }
}
