/// Parses arguments by a table of commands, and makes the help from the same table.
struct ArgumentTable: Sendable {
    /// Why arguments were not understood.
    struct UsageError: Error, Equatable {
        let text: String
    }

    let program: String
    let summary: String
    /// Those of all commands; they may also stand in front of the command.
    let options: [Option]
    let commands: [Command]

    func command(_ name: String) throws(UsageError) -> Command {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError(text: "There is no command '\(name)'.")
        }
        return command
    }

    /// - Parameter arguments: Those behind the name of the program.
    func parse(_ arguments: some Collection<String>) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments()
        var rest = arguments.makeIterator()
        var takesOptions = true
        while let argument = rest.next() {
            if takesOptions && argument == "--" {
                takesOptions = false
            } else if takesOptions && argument.hasPrefix("--") {
                try parseOption(argument, &rest, into: &parsed)
            } else if takesOptions && argument.hasPrefix("-") && argument != "-" {
                try parseLetters(argument, into: &parsed)
            } else if parsed.command == nil {
                parsed.command = try command(argument)
            } else {
                parsed.operands.append(argument)
            }
        }
        if let command = parsed.command, !parsed.has(.help) { try check(parsed.operands, of: command) }
        return parsed
    }

    /// An option by its name; its value is behind `=`, or is the next argument.
    private func parseOption(
        _ argument: String,
        _ rest: inout some IteratorProtocol<String>,
        into parsed: inout ParsedArguments
    ) throws(UsageError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try option(parts[0], of: parsed.command) { $0.name == parts[0] }
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
    private func parseLetters(_ argument: String, into parsed: inout ParsedArguments) throws(UsageError) {
        for letter in argument.dropFirst() {
            parsed.set(try option("-\(letter)", of: parsed.command) { $0.letter == letter && $0.value == nil })
        }
    }

    private func option(_ name: String, of command: Command?, where isMeant: (Option) -> Bool) throws(UsageError) -> Option {
        guard let option = ((command?.options ?? []) + options).first(where: isMeant) else {
            throw UsageError(text: "'\(command?.name ?? program)' has no option '\(name)'.")
        }
        return option
    }

    private func check(_ operands: [String], of command: Command) throws(UsageError) {
        let count = command.operand?.count ?? 0...0
        if let operand = command.operand, operands.count < count.lowerBound {
            throw UsageError(text: "'\(command.name)' needs a \(operand.name).")
        }
        if operands.count > count.upperBound {
            throw UsageError(text: "'\(command.name)' takes no argument '\(operands[count.upperBound])'.")
        }
    }
}
