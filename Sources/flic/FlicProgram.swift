import FlicClient
import Glibc

/// The `flic` command.
@main
enum FlicProgram {
    static let version = "0.1.0"

    static let table = ArgumentTable(
        program: "flic",
        summary: "Flic 2 buttons on Linux. Not affiliated with Shortcut Labs.",
        commands: [DemoCommand.command]
    )

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    static func run(_ arguments: [String]) async -> ExitCode {
        switch arguments.first {
        case nil, "help", "--help", "-h":
            Terminal.print(table.help)
            return arguments.isEmpty ? .usage : .done
        case "--version":
            Terminal.print("flic \(version)")
            return .done
        case let name?:
            do throws(ArgumentTable.UsageError) {
                let command = try table.command(name)
                let parsed = try table.parse(arguments.dropFirst(), for: command)
                guard !parsed.has(.help) else {
                    Terminal.print(table.help(for: command))
                    return .done
                }
                return await command.run(parsed)
            } catch {
                Terminal.printError("\(error.text) Try 'flic help'.")
                return .usage
            }
        }
    }
}
