import Glibc
import Testing

@testable import flic

@Suite("Standard input")
struct StandardInputTests {
    /// What is read from a pipe into which these bytes are written.
    private func lines(_ bytes: [UInt8]) async throws -> [String] {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        let input = StandardInput.input(ends[0])
        #expect(!input.isTerminal)
        var lines: [String] = []
        for await case .line(let line) in input.elements() { lines.append(line) }
        return lines
    }

    @Test(
        "Lines, the last one even without an end",
        arguments: [
            ("", []), ("click\n", ["click"]), ("click\nname Küche", ["click", "name Küche"]), ("\n\nquit\n", ["", "", "quit"]),
        ]
    )
    func lines(text: String, expected: [String]) async throws {
        #expect(try await lines(Array(text.utf8)) == expected)
    }

    @Test("A line without end is cut into pieces, bytes that are no text are replaced")
    func anything() async throws {
        let long = try await lines(Array(repeating: UInt8(ascii: "x"), count: 10_000))
        #expect(long.map(\.count) == [4096, 4096, 1808])
        #expect(try await lines([0xFF, 0x0A]) == ["\u{FFFD}"])
    }
}
