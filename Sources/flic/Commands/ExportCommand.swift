import FlicBridge
import FoundationEssentials

/// `flic export`: pairings for another machine, or for the day on which this one fails.
///
/// JSON, with a file as output: for each button ``ButtonFacts`` with `event` (`exported`).
enum ExportCommand {
    private static let output = Option(name: "--output", value: "FILE", choices: .files, summary: "Write to this new file, not to standard output.")
    private static let plain = Option(name: "--plain", summary: "Do not encrypt: whoever reads the output can use the pairings.")

    static let command = Command(
        name: "export",
        summary: "Save pairings for another machine.",
        discussion: """
            Writes the pairings with some buttons, or all of them, as they are stored: encrypted with a passphrase, which is the first
            line of a file (--passphrase-file) or in the environment ($\(Invocation.passphraseVariable)). 'flic import' takes them over, on this
            machine or another one. Needs no Bluetooth, and works while another command is using the buttons; but two machines should
            not use the same pairing at once, for a button talks to one of them only.

            The file gets mode 0600. It must not exist, and is there when it is complete.

            With --json and --output: one object a button with the members of 'flic list' and event ("exported"). Without --output,
            the only output is the export, which is JSON in any case.
            """,
        operand: .button(0...Int.max),
        options: [output, plain, Invocation.passphraseFile],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        // Not locked: a file is replaced as a whole, so it can be read at any moment.
        let records = try await invocation.store().load()
        let chosen = try await invocation.chosenButtons(in: records)
        let identifiers = Set(chosen.map(\.identifier))
        let archive = try await archive(of: records.filter { identifiers.contains($0.identifier) }, invocation)
        guard let path = invocation.arguments.value(output) else { return invocation.print(String(decoding: archive, as: UTF8.self)) }
        try UserFile.create(path, contents: archive)
        for button in chosen {
            if invocation.isJSON {
                try invocation.printJSON(ButtonFacts(button, event: "exported"))
            } else {
                invocation.print("Exported: \(button.title)")
            }
        }
    }

    private static func archive(of records: [ButtonRecord], _ invocation: Invocation) async throws -> Data {
        let file = Invocation.passphraseFile
        guard !invocation.arguments.has(plain) else {
            guard invocation.arguments.value(file) == nil else {
                throw ArgumentTable.UsageError(text: "With '\(plain.name)' there is no use for '\(file.name)'.")
            }
            invocation.remark("The pairing keys are readable in this export: keep it where nobody else reads.")
            return PairingArchive.plain(records)
        }
        guard let passphrase = try await invocation.passphrase() else {
            let variable = Invocation.passphraseVariable
            throw ArgumentTable.UsageError(text: "A passphrase is needed, by '\(file.name)' or $\(variable); or '\(plain.name)'.")
        }
        return try await PairingArchive.encrypted(records, passphrase: passphrase)
    }
}
