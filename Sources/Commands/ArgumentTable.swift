/// Parses arguments by a table of commands, and makes the help from the same table.
///
/// `Invocation` is what commands are run with.
package struct ArgumentTable<Invocation: Sendable>: Sendable {
    package typealias UsageError = ArgumentError

    package let program: String
    package let version: String
    /// When this version was made, as in a man page: month, day, year.
    package let date: String
    package let summary: String
    /// Those of all commands; they may also stand in front of the command.
    package let options: [Option]
    package let commands: [Command<Invocation>]
    /// How the program ends, and what that means.
    package let exitCodes: [(code: Int32, meaning: String)]
    /// Variables that the program looks at.
    package let environment: [(name: String, meaning: String)]
    /// Where it keeps what.
    package let files: [(path: String, meaning: String)]

    package init(
        program: String,
        version: String,
        date: String,
        summary: String,
        options: [Option],
        commands: [Command<Invocation>],
        exitCodes: [(code: Int32, meaning: String)],
        environment: [(name: String, meaning: String)] = [],
        files: [(path: String, meaning: String)] = []
    ) {
        self.program = program
        self.version = version
        self.date = date
        self.summary = summary
        self.options = options
        self.commands = commands
        self.exitCodes = exitCodes
        self.environment = environment
        self.files = files
    }

    /// The command of this name.
    package func command(_ name: String) throws(UsageError) -> Command<Invocation> {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError(text: "There is no command '\(name)'.")
        }
        return command
    }

    /// - Parameter arguments: Those behind the name of the program.
    package func parse(_ arguments: some Collection<String>) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var command: Command<Invocation>?
        var rest = arguments.makeIterator()
        var takesOptions = true
        while let argument = rest.next() {
            if takesOptions && argument == "--" {
                takesOptions = false
            } else if takesOptions && argument.hasPrefix("--") {
                try parseOption(argument, of: command, &rest, into: &parsed)
            } else if takesOptions && argument.hasPrefix("-") && argument != "-" {
                try parseLetters(argument, of: command, into: &parsed)
            } else if command == nil {
                command = try self.command(argument)
            } else {
                parsed.operands.append(argument)
            }
        }
        parsed.command = command?.name
        if let command, !parsed.has(.help) { try check(parsed.operands, of: command) }
        return parsed
    }

    /// An option by its name; its value is behind `=`, or is the next argument.
    private func parseOption(
        _ argument: String,
        of command: Command<Invocation>?,
        _ rest: inout some IteratorProtocol<String>,
        into parsed: inout ParsedArguments
    ) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try option(parts[0], of: command) { $0.name == parts[0] }
        if option.value == nil {
            guard parts.count == 1 else { throw UsageError(text: "The option '\(option.name)' takes no value.") }
            parsed.set(option)
        } else {
            guard let value = parts.count == 2 ? parts[1] : rest.next() else {
                throw UsageError(text: "The option '\(option.name)' needs a value.")
            }
            parsed.set(option, to: value)
        }
    }

    /// Switches by their letters, as in `-qv`.
    private func parseLetters(_ argument: String, of command: Command<Invocation>?, into parsed: inout ParsedArguments) throws(UsageError) {
        for letter in argument.dropFirst() {
            parsed.set(try option("-\(letter)", of: command) { $0.letter == letter && $0.value == nil })
        }
    }

    private func option(_ name: String, of command: Command<Invocation>?, where isMeant: (Option) -> Bool) throws(UsageError) -> Option {
        guard let option = ((command?.options ?? []) + options).first(where: isMeant) else {
            throw UsageError(text: "'\(command?.name ?? program)' has no option '\(name)'.")
        }
        return option
    }

    private func check(_ operands: [String], of command: Command<Invocation>) throws(UsageError) {
        var least = 0
        var most = 0
        for operand in command.operands {
            least += operand.count.lowerBound
            most = operand.count.upperBound > Int.max - most ? Int.max : most + operand.count.upperBound
            guard operands.count >= least else { throw UsageError(text: "'\(command.name)' needs a \(operand.name).") }
        }
        if operands.count > most { throw UsageError(text: "'\(command.name)' takes no argument '\(operands[most])'.") }
    }
}

/// Why arguments were not understood.
package struct ArgumentError: Error, Equatable {
    /// A sentence.
    package let text: String

    package init(text: String) { self.text = text }
}
