import Testing

@testable import flic

@Suite("Arguments")
struct ArgumentTableTests {
    private static let level = Option(name: "--level", value: "N", summary: "How loud.")
    private static let shout = Command(
        name: "shout",
        summary: "Says it loudly.",
        discussion: "Says what it is told, loudly.",
        operand: Operand(name: "WORD", summary: "What to say.", count: 1...2),
        options: [level],
        run: { _ in }
    )
    private static let hush = Command(name: "hush", summary: "Says nothing.", discussion: "Says nothing at all.", run: { _ in })
    private static let table = ArgumentTable(
        program: "test",
        summary: "A test.",
        options: [.json, .quiet, .verbose, .store, .help],
        commands: [shout, hush],
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
        #expect(try Self.table.parse(["hush", "--store="]).value(.store) == "")
        #expect(try Self.table.parse(["hush", "--store", "a", "--store", "b"]).value(.store) == "b")
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
        let error = #expect(throws: ArgumentTable.UsageError.self) { try Self.table.parse(arguments) }
        #expect(error?.text.contains(named) == true)
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
