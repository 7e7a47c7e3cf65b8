/// A command of the program, as the table that parses and explains it sees it.
struct Command: Sendable {
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// What `help` says below the usage line.
    let discussion: String
    let options: [Option]
    let run: @Sendable (ParsedArguments) async -> ExitCode
}

/// An option of a command.
struct Option: Sendable {
    /// With its hyphens.
    let name: String
    /// What stands for its value in the help; nil for a switch.
    var value: String?
    let summary: String

    static let help = Option(name: "--help", summary: "Show this text.")
    static let json = Option(name: "--json", summary: "Print one JSON object a line.")
}

/// What was given to a command.
struct ParsedArguments: Sendable {
    fileprivate(set) var switches: Set<String> = []
    fileprivate(set) var values: [String: String] = [:]

    func has(_ option: Option) -> Bool { switches.contains(option.name) }
    func value(_ option: Option) -> String? { values[option.name] }
}

/// Parses arguments by a table of commands, and makes the help from the same table.
struct ArgumentTable: Sendable {
    /// Why arguments were not understood.
    struct UsageError: Error, Equatable {
        let text: String
    }

    let program: String
    let summary: String
    let commands: [Command]

    func command(_ name: String) throws(UsageError) -> Command {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError(text: "There is no command '\(name)'.")
        }
        return command
    }

    /// - Parameter arguments: Those behind the name of the command.
    func parse(_ arguments: some Collection<String>, for command: Command) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard argument.hasPrefix("--") else { throw UsageError(text: "'\(command.name)' takes no argument '\(argument)'.") }
            guard let option = (command.options + [.help]).first(where: { $0.name == parts[0] }) else {
                throw UsageError(text: "'\(command.name)' has no option '\(parts[0])'.")
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError(text: "The option '\(option.name)' takes no value.") }
                parsed.switches.insert(option.name)
            } else {
                guard let value = parts.count == 2 ? parts[1] : rest.next() else {
                    throw UsageError(text: "The option '\(option.name)' needs a value.")
                }
                parsed.values[option.name] = value
            }
        }
        return parsed
    }

    /// The list of commands.
    var help: String {
        let width = commands.map(\.name.count).max() ?? 0
        let lines = commands.map { "  \(Self.pad($0.name, width))  \($0.summary)" }
        return """
            \(summary)

            Usage: \(program) COMMAND [OPTION]...

            \(lines.joined(separator: "\n"))

            '\(program) COMMAND --help' tells more.
            """
    }

    func help(for command: Command) -> String {
        let options = command.options + [.help]
        func left(_ option: Option) -> String { option.name + (option.value.map { " \($0)" } ?? "") }
        let width = options.map { left($0).count }.max() ?? 0
        let lines = options.map { "  \(Self.pad(left($0), width))  \($0.summary)" }
        return """
            Usage: \(program) \(command.name) [OPTION]...

            \(command.discussion)

            \(lines.joined(separator: "\n"))
            """
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
