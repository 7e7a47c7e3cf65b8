import Testing

@testable import Commands

@Suite("Arguments")
struct ArgumentTableTests {
    private typealias Command = Commands.Command<Void>

    private static let level = Option(name: "--level", value: "N", summary: "How loud.")
    private static let shout = Command(
        name: "shout",
        summary: "Says it loudly.",
        discussion: "Says what it is told, loudly.",
        operand: Operand(name: "WORD", summary: "What to say.", count: 1...2),
        options: [level],
        run: { _ in }
    )
    private static let pass = Command(
        name: "pass",
        summary: "Passes things on.",
        discussion: "Passes things on.",
        operands: [
            Operand(name: "WHAT", summary: "What to pass.", count: 1...1), Operand(name: "WHOM", summary: "Whom to.", count: 0...Int.max),
        ],
        run: { _ in }
    )
    private static let hush = Command(name: "hush", summary: "Says nothing.", discussion: "Says nothing at all.", run: { _ in })
    private static let store = Option(name: "--store", value: "DIR", summary: "Where to.")
    private static let table = ArgumentTable(
        program: "test",
        version: "1.2",
        date: "May 1, 2026",
        summary: "A test.",
        options: [.json, .quiet, .verbose, store, .help],
        commands: [shout, hush, pass],
        exitCodes: [(0, "done"), (130, "interrupted")]
    )

    @Test(
        "Switches, values and operands, in all spellings and orders",
        arguments: [
            ["shout", "--json", "--level", "3", "hey", "-q"], ["--json", "shout", "hey", "--level=3", "--quiet"],
            ["-q", "--json", "shout", "--level", "3", "--", "hey"],
        ]
    )
    func spellings(arguments: [String]) throws {
        let parsed = try Self.table.parse(arguments)
        #expect(parsed.command == "shout" && parsed.operands == ["hey"])
        #expect(parsed.has(.json) && parsed.has(.quiet) && !parsed.has(.verbose) && parsed.value(Self.level) == "3")
    }

    @Test("Nothing given is nothing set; an empty value is a value; the last value counts")
    func values() throws {
        #expect(try !Self.table.parse(["hush"]).has(.json))
        #expect(try Self.table.parse(["hush", "--store="]).value(Self.store) == "")
        #expect(try Self.table.parse(["hush", "--store", "a", "--store", "b"]).value(Self.store) == "b")
        #expect(try Self.table.parse([]).command == nil)
    }

    @Test("Letters can be put together")
    func letters() throws {
        let parsed = try Self.table.parse(["hush", "-qv"])
        #expect(parsed.has(.quiet) && parsed.has(.verbose))
    }

    @Test("Behind two hyphens, and as a hyphen alone, there are operands only")
    func operands() throws {
        #expect(try Self.table.parse(["shout", "--", "--json", "-x"]).operands == ["--json", "-x"])
        #expect(try Self.table.parse(["shout", "-"]).operands == ["-"])
    }

    @Test(
        "What is not understood is named",
        arguments: [
            (["dance"], "dance"), (["hush", "--loud"], "--loud"), (["hush", "now"], "now"), (["hush", "--json=yes"], "--json"),
            (["hush", "--store"], "--store"), (["hush", "-j"], "-j"), (["hush", "-qx"], "-x"), (["hush", ""], "''"), (["shout"], "WORD"),
            (["shout", "a", "b", "c"], "'c'"), (["--level", "3", "shout", "a"], "--level"), (["hush", "--level", "3"], "--level"),
        ]
    )
    func mistakes(arguments: [String], named: String) {
        let error = #expect(throws: ArgumentError.self) { try Self.table.parse(arguments) }
        #expect(error?.text.contains(named) == true)
    }

    @Test("Operands of several kinds are counted together, and the one that is missing is named")
    func kinds() throws {
        #expect(try Self.table.parse(["pass", "ball", "Ann", "Bob"]).operands == ["ball", "Ann", "Bob"])
        #expect(try Self.table.parse(["pass", "ball"]).operands == ["ball"])
        let error = #expect(throws: ArgumentError.self) { try Self.table.parse(["pass"]) }
        #expect(error?.text == "'pass' needs a WHAT.")
        #expect(Self.table.help(for: Self.pass).hasPrefix("Usage: test pass WHAT [WHOM...] [OPTION]...\n"))
    }

    @Test("What needs no command is answered at once: the version, help, and what is not understood")
    func requests() {
        func answer(_ arguments: String...) -> (String, results: [String], errors: [String]) {
            let printed = Printed()
            let request = Self.table.request(arguments, output: printed.output)
            let name =
                switch request {
                case .run(let command, let parsed): "run \(command.name) \(parsed.operands)"
                case .answered: "answered"
                case .refused: "refused"
                }
            return (name, printed.results, printed.errors)
        }
        #expect(answer("--version") == ("answered", ["test 1.2"], []))
        #expect(answer("--help") == ("answered", [Self.table.help], []))
        #expect(answer() == ("refused", [Self.table.help], []))
        #expect(answer("shout", "-h") == ("answered", [Self.table.help(for: Self.shout)], []))
        #expect(answer("shout", "hey") == ("run shout [\"hey\"]", [], []))
        #expect(answer("dance") == ("refused", [], ["test: There is no command 'dance'. Try 'test help'."]))
        #expect(answer("hush", "--version") == ("refused", [], ["test: 'hush' has no option '--version'. Try 'test help'."]))
    }

    @Test("Help is not refused for want of an operand")
    func helpWithoutOperand() throws {
        #expect(try Self.table.parse(["shout", "-h"]).has(.help))
    }

    @Test("Help names every command, option and exit code")
    func help() {
        let general = Self.table.help
        #expect(["shout  Says it loudly.", "hush", "--json", "-q, --quiet", "130"].allSatisfy { general.contains($0) })
        let help = Self.table.help(for: Self.shout)
        #expect(["test shout WORD... [OPTION]...", "What to say.", "--level N", "-h, --help", "loudly."].allSatisfy { help.contains($0) })
    }
}
