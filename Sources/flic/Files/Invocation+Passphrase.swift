import FoundationEssentials

extension Invocation {
    static let passphraseFile = Option(
        name: "--passphrase-file",
        value: "FILE",
        choices: .files,
        summary: "The first line of this file is the passphrase, not $\(passphraseVariable)."
    )

    static let passphraseVariable = "FLICKIT_PASSPHRASE"

    /// Longer ones are refused, in bytes.
    private static let largestPassphraseFile = 65_536

    /// The passphrase for exported pairings; never from an argument, for those can be seen by everybody on the machine.
    ///
    /// - Returns: nil if there is none.
    func passphrase() async throws -> String? {
        guard let path = arguments.value(Self.passphraseFile) else {
            let text = context.environment(Self.passphraseVariable) ?? ""
            return text.isEmpty ? nil : text
        }
        let line = try await UserFile.read(path, limit: Self.largestPassphraseFile).prefix { $0 != UInt8(ascii: "\n") }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw Failure(.failed, "damagedPassphrase", "The passphrase in \(path) is not text in UTF-8.")
        }
        return text
    }
}
