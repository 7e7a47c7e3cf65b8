import FlicClient
import FlicSimulator

/// `flic replay`: what a trace tells, and whether this program would have decided the same.
///
/// JSON, a line for each difference: `event` (`difference`), `line`, `session`, `message`; then `event` (`replayed`), `program`,
/// `sessions`, `differences`, `cut`, `full`.
enum ReplayCommand {
    static let command = Command(
        name: "replay",
        summary: "Tell what a trace has recorded, and replay it.",
        discussion: """
            Reads a trace that 'flic listen' or 'flic pair' has recorded with --record, tells what happened, and leads new sessions
            through it. What these decide otherwise than it was recorded is shown as a difference, with its line in the trace; then
            the exit code is 1. Needs no Bluetooth and no button, and no keys: none are in a trace.

            With --json: one object a difference with the members event ("difference"), line, session and message; at last one with
            event ("replayed"), program, sessions and differences (how many), cut and full (how the recording ended).
            """,
        operand: Operand(name: "FILE", summary: "The trace; '-' is standard input.", count: 1...1, choices: .files),
        run: run
    )

    private struct DifferenceLine: Encodable {
        var event = "difference"
        var line: Int
        var session: Int
        var message: String
    }

    private struct Summary: Encodable {
        var event = "replayed"
        var program: String
        var sessions: Int
        var differences: Int
        var cut: Bool
        var full: Bool
    }

    private static func run(_ invocation: Invocation) async throws {
        let data = try await UserFile.read(invocation.arguments.operands[0], limit: TraceReader.largestSize)
        let replay = try SessionReplay(data)
        if invocation.isJSON {
            for difference in replay.differences {
                try invocation.printJSON(DifferenceLine(line: difference.line, session: difference.session, message: difference.text))
            }
            try invocation.printJSON(
                Summary(
                    program: replay.program,
                    sessions: replay.sessionCount,
                    differences: replay.differences.count,
                    cut: replay.isCut,
                    full: replay.isFull
                )
            )
        } else {
            if !invocation.arguments.has(.quiet) {
                invocation.print("Recorded by \(replay.program.inOneLine).")
                replay.tellStory { invocation.print($0.inOneLine) }
            }
            for difference in replay.differences { invocation.print("Difference: \(difference.description.inOneLine)") }
            invocation.print("\(replay.sessionCount) sessions replayed, \(replay.differences.count) differences.")
        }
        guard replay.differences.isEmpty else {
            throw Failure(.failed, "differences", "This program decides otherwise than the one that recorded the trace.")
        }
    }
}
