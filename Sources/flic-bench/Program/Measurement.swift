import Commands

/// Something that can be measured: a command of the program.
struct Measurement: Sendable {
    /// All there are.
    static let all = [packet, verify, bus, latency, restore, crowd, idle, exec, leaks]

    let name: String
    /// One line for the list of commands.
    let summary: String
    /// What is measured, from where to where, and how.
    let discussion: String
    var options: [Option] = []
    /// Measures.
    let run: @Sendable (Invocation) async throws -> Report

    var command: Command<Invocation> {
        Command(name: name, summary: summary, discussion: discussion, options: options) { invocation in
            let report = try await run(invocation)
            invocation.output.print(invocation.arguments.has(Invocation.table) ? report.table : try JSONLine.text(report))
        }
    }
}

extension Option {
    static let most = Option(name: "--most", value: "N", summary: "Leave out numbers that are larger.")
}
