extension Command {
    /// `help`: what the program can do, in the form of a text, a man page, or a script for a shell.
    ///
    /// - Parameters:
    ///   - table: Of the program; read when the command runs, for the command is in it.
    ///   - arguments: What a run was given.
    ///   - print: Where its results go.
    package static func help(
        of table: @escaping @Sendable () -> ArgumentTable<Invocation>,
        arguments: @escaping @Sendable (Invocation) -> ParsedArguments,
        print: @escaping @Sendable (Invocation, String) -> Void
    ) -> Command {
        let manual = Option(name: "--man", summary: "Show all of it, as a man page.")
        let shells = Shell.allCases.map(\.rawValue)
        let completions = Option(
            name: "--completions",
            value: shells.joined(separator: "|"),
            choices: .words(shells),
            summary: "Show a script with which this shell completes what is typed."
        )
        return Command(
            name: "help",
            summary: "Show this text, or that of a command.",
            discussion: """
                Shows what the program can do, or what a command does. The man page and the scripts for shells are made of the same
                table.
                """,
            operand: Operand(name: "COMMAND", summary: "The command.", count: 0...1, choices: .commands),
            options: [manual, completions]
        ) { invocation in
            let table = table()
            let arguments = arguments(invocation)
            let forms = [arguments.has(manual) ? manual : nil, arguments.value(completions) == nil ? nil : completions].compactMap(\.self)
            guard let form = forms.first else {
                guard let name = arguments.operands.first else { return print(invocation, table.help) }
                return print(invocation, table.help(for: try table.command(name)))
            }
            guard forms.count == 1, arguments.operands.isEmpty else {
                throw ArgumentError(text: "The option '\(form.name)' stands alone.")
            }
            guard let name = arguments.value(completions) else { return print(invocation, table.manual) }
            guard let shell = Shell(rawValue: name) else {
                throw ArgumentError(text: "There are completions for \(shells.joined(separator: ", ")), not for '\(name)'.")
            }
            print(invocation, table.completions(for: shell))
        }
    }
}
