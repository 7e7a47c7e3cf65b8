import Commands

/// `nus help`: what the program can do.
enum HelpCommand {
    static let command = Command<Invocation>(
        name: "help",
        summary: "Show this text, or that of a command.",
        discussion: "Shows what the program can do, or what a command does.",
        operand: Operand(name: "COMMAND", summary: "The command.", count: 0...1),
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let table = NusProgram.table
        guard let name = invocation.arguments.operands.first else { return invocation.context.output.print(table.help) }
        invocation.context.output.print(table.help(for: try table.command(name)))
    }
}
