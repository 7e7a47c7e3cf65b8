import FlicBridge

/// `flic rename`: gives a button a name.
///
/// JSON, one line: ``ButtonFacts`` with `event` (`changed`).
enum RenameCommand {
    static let command = Command(
        name: "rename",
        summary: "Give a paired button a name.",
        discussion: """
            Gives a button a name, which all its apps will see, through the daemon if one runs. Needs no Bluetooth: the button gets
            the name with the next connection, unless another app has named it later. Names are cut to 23 bytes; an empty one takes
            the name away.

            With --json: one object with the members of 'flic list' and event ("changed").
            """,
        operands: [.button(1...1), Operand(name: "NAME", summary: "The name; '' for none.", count: 1...1)],
        options: [Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let name = invocation.arguments.operands[1]
        let facts = try await invocation.button(changing: .rename(name))
        if invocation.isJSON { return try invocation.printJSON(facts) }
        invocation.remarkOnName(facts, asked: name)
        invocation.print("Renamed: \(facts.title)")
    }
}
