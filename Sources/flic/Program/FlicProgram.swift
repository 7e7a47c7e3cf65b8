import Dispatch
import FlicBridge
import Glibc

/// The `flic` command.
@main
enum FlicProgram {
    static let version = "0.1.0"

    static let table: ArgumentTable = ArgumentTable(
        program: "flic",
        version: version,
        date: "November 30, 2026",
        summary: "Flic 2 buttons on Linux. Not affiliated with Shortcut Labs.",
        options: [.adapter, .store, .trustTestRoot, .json, .quiet, .verbose, .help],
        commands: [
            DoctorCommand.command, ScanCommand.command, PairCommand.command, ListCommand.command, ListenCommand.command, ForgetCommand.command,
            StatusCommand.command, RenameCommand.command, ModeCommand.command, LatencyCommand.command, QueueCommand.command, BatteryCommand.command,
            FirmwareCommand.command, ExportCommand.command, ImportCommand.command, RunCommand.command, RulesCommand.command, SimulateCommand.command,
            DemoCommand.command,
            ReplayCommand.command, .help(of: { table }, arguments: \.arguments, print: { $0.print($1) }),
        ],
        exitCodes: ExitCode.allCases.map { ($0.rawValue, $0.meaning) },
        environment: [
            (Invocation.passphraseVariable, "The passphrase of exported pairings, unless --passphrase-file says otherwise."),
            ("STATE_DIRECTORY", "Where paired buttons are kept, unless --store says otherwise. Set by systemd."),
            ("CONFIGURATION_DIRECTORY", "Where the configuration of the daemon is, in config.json. Set by systemd."),
            ("XDG_CONFIG_HOME", "Where it is without that: in the directory flickit in this one, or in ~/.config; else in /etc/flickit."),
            ("XDG_STATE_HOME", "Where paired buttons are kept without that: in the directory flickit in this one, or in ~/.local/state."),
        ],
        files: [
            ("~/.local/state/flickit/buttons.json", "The paired buttons, with their keys: see --store. Those of the daemon are in /var/lib/flickit."),
            ("/etc/flickit/config.json", "The configuration of the daemon."),
        ]
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

    /// Runs a command until it ends or is interrupted. An interrupted command has the time to end in good order.
    private static func run(_ command: Command, _ invocation: Invocation) async -> ExitCode {
        do {
            try await race(
                { try await command.run(invocation) },
                {
                    for await _ in invocation.context.interrupts() { throw Failure(.interrupted, "interrupted", "Interrupted.") }
                    try await untilCancelled()
                }
            )
            return .done
        } catch let error as ArgumentTable.UsageError {
            invocation.context.output.printError("flic: \(error.text) Try 'flic \(command.name) --help'.")
            return .usage
        } catch let verdict as Verdict {
            return verdict.code
        } catch {
            let failure = Failure(thrown: error)
            return failure.code == .interrupted && command.runsUntilInterrupted ? .done : report(failure, of: invocation)
        }
    }

    private static func report(_ failure: Failure, of invocation: Invocation) -> ExitCode {
        guard failure.code != .interrupted else { return failure.code }
        if invocation.isJSON {
            var record = EventRecord("failed")
            record.reason = failure.reason
            record.message = failure.message
            try? invocation.printJSON(record)
        }
        if !failure.detail.isEmpty { invocation.log(.debug, failure.detail) }
        invocation.complain(failure.message)
        return failure.code
    }
}
