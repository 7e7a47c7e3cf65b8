import FlicBridge
import FoundationEssentials

/// `flic forget`: deletes a pairing.
///
/// JSON, one line: ``ButtonFacts`` with `event` (`forgotten`).
enum ForgetCommand {
    static let command = Command(
        name: "forget",
        summary: "Forget a paired button.",
        discussion: """
            Deletes the pairing with a button from this machine, through the daemon if one runs. Needs no Bluetooth. The button keeps
            its side of the pairing until it needs the room; it can be paired anew at any time.

            With --json: one object with the members of 'flic list' and event ("forgotten").
            """,
        operand: .button(1...1),
        options: [Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let name = invocation.arguments.operands[0]
        var facts = try await forget(name, invocation)
        facts.event = "forgotten"
        if invocation.isJSON { try invocation.printJSON(facts) } else { invocation.print("Forgotten: \(facts.title)") }
    }

    private static func forget(_ name: String, _ invocation: Invocation) async throws -> ButtonFacts {
        if let daemon = try await invocation.daemon() { return try await daemon.request(BridgeRequest(.forget, button: name)) }
        let base = try invocation.store()
        try await base.lock()
        let records = try await base.load()
        let button = try ButtonChoice(buttons: await invocation.buttons(in: records)).button(name)
        try await base.save(records.filter { $0.identifier != button.identifier })
        return ButtonFacts(button)
    }
}
