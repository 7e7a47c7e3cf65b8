/// `flic help`: what the program can do.
enum HelpCommand {
    static let command = Command(
        name: "help",
        summary: "Show this text, or that of a command.",
        discussion: "Shows what the program can do, or what a command does.",
        operand: Operand(name: "COMMAND", summary: "The command.", count: 0...1),
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let table = FlicProgram.table
        guard let name = invocation.arguments.operands.first else { return invocation.print(table.help) }
        invocation.print(table.help(for: try table.command(name)))
    }
}
