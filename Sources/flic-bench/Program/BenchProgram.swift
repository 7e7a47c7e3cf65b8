import Commands
import Dispatch
import EventLoops
import FoundationEssentials
import Glibc

/// The `flic-bench` command: how fast it is.
@main
enum BenchProgram {
    static let table: ArgumentTable<Invocation> = ArgumentTable(
        program: "flic-bench",
        version: "0.1.0",
        date: "November 30, 2026",
        summary: "Measure how fast FlicKit is on this machine.",
        options: [Invocation.table, .help],
        commands: Measurement.all.map(\.command) + [.help(of: { table }, arguments: \.arguments, print: { $0.output.print($1) })],
        exitCodes: [(0, "done"), (1, "failed"), (2, "the arguments were not understood")]
    )

    static func main() {
        if Stamp.isAskedFor(CommandLine.arguments) { return Stamp.print() }
        signal(SIGPIPE, SIG_IGN)
        let loop = DispatchLoop(label: "flic-bench")
        Task(executorPreference: loop) {
            exit(await run(Array(CommandLine.arguments.dropFirst()), on: loop, output: Terminal.output))
        }
        dispatchMain()
    }

    /// - Parameter arguments: Those behind the name of the program.
    /// - Returns: With what the program ends.
    static func run(_ arguments: [String], on loop: DispatchLoop, output: Output) async -> Int32 {
        switch table.request(arguments, output: output) {
        case .answered: return 0
        case .refused: return 2
        case .run(let command, let parsed):
            do {
                try await command.run(Invocation(arguments: parsed, loop: loop, output: output))
                return 0
            } catch let error as ArgumentError {
                output.printError("flic-bench: \(error.text) Try 'flic-bench \(command.name) --help'.")
                return 2
            } catch {
                output.printError("flic-bench: \(error)")
                return 1
            }
        }
    }
}

/// One call of the program.
struct Invocation: Sendable {
    static let table = Option(name: "--table", summary: "Print a table instead of JSON.")

    let arguments: ParsedArguments
    let loop: DispatchLoop
    let output: Output

    /// Why nothing was measured.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}

extension ParsedArguments {
    /// How often something is to be done.
    ///
    /// - Parameter usual: If the option was not given.
    func count(_ option: Option, usual: Int) throws(ArgumentError) -> Int {
        guard let text = value(option) else { return usual }
        guard let count = Int(text), 1...1_000_000 ~= count else {
            throw ArgumentError(text: "The option '\(option.name)' needs a number from 1 to 1000000, not '\(text)'.")
        }
        return count
    }
}
