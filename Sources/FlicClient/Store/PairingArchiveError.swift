/// Why pairings cannot be exported or imported.
public struct PairingArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure. More may be added.
    @nonexhaustive
    public enum Code: String, Hashable, Sendable {
        /// A passphrase has at least one character.
        case emptyPassphrase
        /// The pairings are encrypted, and no passphrase was given.
        case passphraseNeeded
        /// The passphrase is not that of the export, or the export is damaged; these cannot be told apart.
        case wrongPassphrase
        /// A passphrase was given, but the pairings are not encrypted.
        case notEncrypted
        /// These are no exported pairings, or damaged ones.
        case damaged
        /// Larger than 16 MiB.
        case tooLarge
        /// Exported by a newer version of this library.
        case newerVersion
        /// To derive the key takes more work or memory than is allowed.
        case tooCostly
        /// There is not enough memory to derive the key.
        case outOfMemory
    }

    /// What went wrong.
    public let code: Code
    /// A sentence for people.
    public let description: String

    /// Makes an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
