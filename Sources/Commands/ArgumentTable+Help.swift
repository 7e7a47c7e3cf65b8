/// The help, made from the table.
extension ArgumentTable {
    /// The list of commands.
    package var help: String {
        """
        \(summary)

        Usage: \(program) COMMAND [OPTION]...

        \(Self.list(commands.map { ($0.name, $0.summary) }))

        Options of all commands:
        \(Self.list(options.map { ($0.usage, $0.summary) }))

        Exit codes:
        \(Self.list(exitCodes.map { ("\($0.code)", $0.meaning) }))
        \(failureHelp)
        '\(program) COMMAND --help' tells more.
        """
    }

    /// Of programs that print JSON if they are asked to.
    private var failureHelp: String {
        guard options.contains(where: { $0.name == Option.json.name }) else { return "" }
        return "\nWith --json, a failure is also one object with the members event (\"failed\"), reason and message.\n"
    }

    package func help(for command: Command<Invocation>) -> String {
        let own = command.operands.map { ($0.name, $0.summary) } + command.options.map { ($0.usage, $0.summary) }
        return """
            Usage: \(usage(of: command))

            \(command.discussion)
            \(own.isEmpty ? "" : "\n\(Self.list(own))\n")
            Options of all commands:
            \(Self.list(options.map { ($0.usage, $0.summary) }))
            """
    }

    func usage(of command: Command<Invocation>) -> String {
        ([program, command.name] + command.operands.map(\.usage) + ["[OPTION]..."]).joined(separator: " ")
    }

    private static func list(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.0.padded(to: width))  \($0.1)" }.joined(separator: "\n")
    }
}

extension String {
    /// With spaces behind, so that columns align.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
