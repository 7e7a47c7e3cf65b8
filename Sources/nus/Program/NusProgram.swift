import Commands
import Dispatch
import EventLoops
import Glibc

/// The `nus` command.
@main
enum NusProgram {
    static let version = "0.1.0"

    static let table: ArgumentTable<Invocation> = ArgumentTable(
        program: "nus",
        version: version,
        date: "November 30, 2026",
        summary: "Serial lines over Bluetooth Low Energy: the Nordic UART Service.",
        options: [.adapter, .json, .quiet, .verbose, .help],
        commands: [
            ScanCommand.command, ConnectCommand.command, ServeCommand.command, PtyCommand.command,
            .help(of: { table }, arguments: \.arguments, print: { $0.context.output.print($1) }),
        ],
        exitCodes: ExitCode.allCases.map { ($0.rawValue, $0.meaning) },
        environment: [("FLICKIT_ADAPTER", "The Bluetooth adapter to use, unless --adapter says otherwise.")]
    )

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let context = ProgramContext.system
        // All on the loop: after a single job on Swift's own executor libdispatch wakes the process every second, to watch its threads.
        Task(executorPreference: context.loop) {
            exit(await run(Array(CommandLine.arguments.dropFirst()), in: context).rawValue)
        }
        dispatchMain()
    }

    /// - Parameter arguments: Those behind the name of the program.
    static func run(_ arguments: [String], in context: ProgramContext) async -> ExitCode {
        switch table.request(arguments, output: context.output) {
        case .run(let command, let parsed): await run(command, Invocation(arguments: parsed, context: context))
        case .answered: .done
        case .refused: .usage
        }
    }

    /// Runs a command until it ends or is interrupted.
    private static func run(_ command: Command<Invocation>, _ invocation: Invocation) async -> ExitCode {
        do {
            try await race(
                { try await command.run(invocation) },
                {
                    for await _ in invocation.context.interrupts() { throw Failure(.interrupted, "interrupted", "Interrupted.") }
                    try await untilCancelled()
                }
            )
            return .done
        } catch let error as ArgumentError {
            invocation.context.output.printError("nus: \(error.text) Try 'nus \(command.name) --help'.")
            return .usage
        } catch {
            return report(Failure(error), of: invocation)
        }
    }

    private static func report(_ failure: Failure, of invocation: Invocation) -> ExitCode {
        guard failure.code != .interrupted else { return failure.code }
        if invocation.isJSON {
            var event = Event("failed", failure.message)
            event.reason = failure.reason
            event.message = failure.message
            invocation.show(event)
        }
        invocation.complain(failure.message)
        return failure.code
    }
}
