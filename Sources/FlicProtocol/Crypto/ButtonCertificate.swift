/// The vendor's statement that a public key belongs to a button with a certain address (protocol 5.1).
package struct ButtonCertificate: Sendable, Equatable {
    /// Six bytes, least significant first.
    package var address: [UInt8]
    package var addressType: UInt8
    /// X25519 key of the button.
    package var publicKey: [UInt8]
    /// As transmitted: the two lowest bits of byte 32 mean nothing.
    package var signature: [UInt8]

    package init(address: [UInt8], addressType: UInt8, publicKey: [UInt8], signature: [UInt8]) {
        self.address = address
        self.addressType = addressType
        self.publicKey = publicKey
        self.signature = signature
    }

    /// What the factory signs.
    package var signedMessage: [UInt8] { address + [addressType] + publicKey }

    /// The two bits that the factory hid, 0 to 3; nil if the signature is not of this root.
    package func hiddenBits(root: [UInt8]) -> UInt8? {
        guard signature.count == 64 else { return nil }
        return (0...3).first { bits in
            var candidate = signature
            candidate[32] = candidate[32] & 0xFC | bits
            return Sodium.isValidSignature(candidate, of: signedMessage, publicKey: root)
        }
    }
}
