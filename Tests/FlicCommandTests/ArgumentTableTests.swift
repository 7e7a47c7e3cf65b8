import Testing

@testable import flic

@Suite("Arguments of the command")
struct ArgumentTableTests {
    private static let level = Option(name: "--level", value: "N", summary: "How loud.")
    private static let command = Command(
        name: "shout",
        summary: "Says it loudly.",
        discussion: "Says what it is told, loudly.",
        options: [.json, level],
        run: { _ in .done }
    )
    private static let table = ArgumentTable(program: "test", summary: "A test.", commands: [command])

    @Test("Switches and values, in both spellings", arguments: [["--json", "--level", "3"], ["--level=3", "--json"]])
    func options(arguments: [String]) throws {
        let parsed = try Self.table.parse(arguments, for: Self.command)
        #expect(parsed.has(.json) && parsed.value(Self.level) == "3" && !parsed.has(.help))
    }

    @Test("Nothing given is nothing set; an empty value is a value")
    func defaults() throws {
        #expect(try !Self.table.parse([], for: Self.command).has(.json))
        #expect(try Self.table.parse(["--level="], for: Self.command).value(Self.level) == "")
    }

    @Test(
        "What is not understood is named",
        arguments: [
            (["--loud"], "--loud"), (["now"], "now"), (["--json=yes"], "--json"), (["--level"], "--level"), (["-j"], "-j"), ([""], "''"),
        ]
    )
    func mistakes(arguments: [String], named: String) {
        let error = #expect(throws: ArgumentTable.UsageError.self) { try Self.table.parse(arguments, for: Self.command) }
        #expect(error?.text.contains(named) == true)
    }

    @Test("Help names every command and option")
    func help() {
        #expect(Self.table.help.contains("shout  Says it loudly."))
        let help = Self.table.help(for: Self.command)
        #expect(["--json", "--level N", "--help"].allSatisfy { help.contains($0) })
    }

    @Test(
        "Exit codes: 0 for help, 2 for what is not understood",
        arguments: [
            (["help"], ExitCode.done), (["demo", "--help"], .done), (["--version"], .done), ([], .usage), (["dance"], .usage),
            (["demo", "--loud"], .usage),
        ]
    )
    func exitCodes(arguments: [String], code: ExitCode) async {
        #expect(await FlicProgram.run(arguments) == code)
    }
}
