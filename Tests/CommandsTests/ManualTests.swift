import Commands
import Testing

@testable import flic
@testable import nus

@Suite("Man pages")
struct ManualTests {
    static let pages = [FlicProgram.table.manual, NusProgram.table.manual]

    @Test("Nothing to complain of", .enabled(if: OtherProgram.isThere("mandoc")), arguments: pages)
    func lint(page: String) throws {
        let mandoc = try #require(OtherProgram("mandoc"))
        let result = try mandoc.run("-Tlint", "-W", "warning", file: page)
        #expect(result.status == 0 && result.text == "", "\(result.text)")
    }

    @Test("What is read is what the table says", .enabled(if: OtherProgram.isThere("mandoc")))
    func contents() throws {
        let mandoc = try #require(OtherProgram("mandoc"))
        let table = FlicProgram.table
        let result = try mandoc.run("-Tutf8", "-O", "width=300", file: table.manual)
        // Bold letters are a letter, a backspace and the letter.
        let text = result.text.replacing(/.\u{8}/, with: "")
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for command in table.commands {
            #expect(words.contains(([table.program, command.name] + command.operands.map(\.usage)).joined(separator: " ")))
            for line in command.discussion.split(separator: "\n") {
                #expect(words.contains(line.split(separator: " ").joined(separator: " ")), "\(line)")
            }
            for option in command.options + table.options {
                let tag = [option.letter.map { "-\($0)," }, option.name, option.value].compactMap(\.self).joined(separator: " ")
                #expect(words.contains("\(tag) \(option.summary)"), "\(tag)")
            }
        }
        for code in table.exitCodes { #expect(words.contains("\(code.code) \(code.meaning)")) }
        for variable in table.environment { #expect(words.contains("\(variable.name) \(variable.meaning)")) }
    }

    @Test("Texts mean nothing but themselves", .enabled(if: OtherProgram.isThere("mandoc")))
    func hostile() throws {
        let mandoc = try #require(OtherProgram("mandoc"))
        let text = #"""
            .so /etc/passwd
            'br \fB \n(.. "quoted" `x` ^ ~ \

              .Sh literal
              --two  spaces
            No Fl -x .
            """#
        let command = Command<Void>(name: "x", summary: "X.", discussion: text, run: { _ in })
        let table = ArgumentTable(
            program: "test",
            version: "1",
            date: "May 1, 2026",
            summary: "A test.",
            options: [],
            commands: [command],
            exitCodes: [(0, "done")],
            files: [("~/.x", ".Sh x")]
        )
        let complaints = try mandoc.run("-Tlint", "-W", "warning", file: table.manual).text
        #expect(complaints == "")
        let page = try mandoc.run("-Tutf8", file: table.manual).text.replacing(/.\u{8}/, with: "")
        for line in text.split(separator: "\n").map(String.init) + [".Sh x", "~/.x"] {
            let words = line.split(separator: " ").joined(separator: " ")
            #expect(page.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words), "\(line)")
        }
        #expect(page.contains("--two  spaces\n"))
    }
}
