import FlicBridge

/// `flic import`: takes over what `flic export` has written.
///
/// JSON, a line for each button: ``ButtonFacts`` with `event` (`imported`, `known`).
enum ImportCommand {
    static let command = Command(
        name: "import",
        summary: "Take over saved pairings.",
        discussion: """
            Takes over the pairings that 'flic export' has written, or those in the buttons.json of another machine's store, so that
            the buttons need not be held down again. Needs no Bluetooth. A button that is known already keeps its pairing, unless that is
            void and the saved one is not. The passphrase is the first line of a file (--passphrase-file) or in the environment
            ($\(Invocation.passphraseVariable)); a file that is not encrypted is taken without one only.

            With --json: one object a button with the members of 'flic list' and event ("imported", or "known" if it was left alone).
            """,
        operand: Operand(name: "FILE", summary: "What was saved; '-' is standard input.", count: 1...1, choices: .files),
        options: [Invocation.passphraseFile],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let passphrase = try await invocation.passphrase()
        let archive = try await UserFile.read(invocation.arguments.operands[0], limit: PairingArchive.largestSize)
        let result = try await invocation.withStoredButtons { try await $0.importPairings(archive, passphrase: passphrase) }
        for button in result.added.map(\.info) { try show(button, "imported", "Imported", invocation) }
        for button in result.passedOver.map(\.info) { try show(button, "known", "Known already", invocation) }
        if result.added.isEmpty && result.passedOver.isEmpty { invocation.remark("No pairings are in it.") }
    }

    private static func show(_ button: ButtonInfo, _ event: String, _ title: String, _ invocation: Invocation) throws {
        if invocation.isJSON {
            try invocation.printJSON(ButtonFacts(button, event: event))
        } else {
            invocation.print("\(title): \(button.title)")
        }
    }
}
