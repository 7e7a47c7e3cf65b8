/// What client and button share for ever: an identifier and a key (protocol 5.2).
package struct Pairing: Sendable, Equatable {
    /// Any value can occur, zero as well.
    package let identifier: UInt32
    /// All 20 bytes: the identifier, least significant byte first, and the 16 bytes of the key.
    package let bytes: SecretBytes

    /// nil unless there are 20 bytes.
    package init?(_ bytes: SecretBytes) {
        guard bytes.count == 20 else { return nil }
        self.bytes = bytes
        identifier = bytes.withBytes { bytes in (0..<4).reduce(0) { $0 | UInt32(bytes[$1]) << (8 * $1) } }
    }

    /// The 16 bytes of the key.
    package var key: SecretBytes { bytes.withBytes { SecretBytes($0.dropFirst(4)) } }
}
