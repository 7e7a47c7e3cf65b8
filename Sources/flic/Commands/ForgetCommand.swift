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
            Deletes the pairing with a button from this machine. Needs no Bluetooth. The button keeps its side of the pairing until
            it needs the room; it can be paired anew at any time.

            With --json: one object with the members of 'flic list' and event ("forgotten").
            """,
        operand: Operand(name: "BUTTON", summary: ButtonChoice.operandSummary, count: 1...1),
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let base = try invocation.store()
        try await base.lock()
        let records = try await base.load()
        let choice = ButtonChoice(buttons: await invocation.buttons(in: records))
        for operand in invocation.arguments.operands {
            let button = try choice.button(operand)
            try await base.save(records.filter { $0.identifier != button.identifier })
            if invocation.isJSON {
                try invocation.printJSON(ButtonFacts(button, event: "forgotten"))
            } else {
                invocation.print("Forgotten: \(button.title)")
            }
        }
    }
}
