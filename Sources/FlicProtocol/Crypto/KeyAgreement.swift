/// The secret of a Full Verify or of a TestIfReallyUnpaired, and what follows from it (protocol 5.2, 5.3). The same for both roles.
package struct KeyAgreement: Sendable {
    private let secret: SecretBytes

    /// - Parameters:
    ///   - hiddenBits: The two bits that the certificate check found (protocol 5.1).
    ///   - flags: Byte 41 of FullVerifyRequest2 as sent; zero for TestIfReallyUnpaired.
    /// - Returns: nil if the peer's key is of low order.
    package init?(
        privateKey: SecretBytes,
        peerKey: [UInt8],
        hiddenBits: UInt8,
        buttonRandom: [UInt8],
        clientRandom: [UInt8],
        flags: UInt8
    ) {
        guard let shared = Sodium.sharedSecret(privateKey: privateKey, peer: peerKey) else { return nil }
        secret = Sodium.sha256(shared, [hiddenBits] + buttonRandom + clientRandom + [flags])
    }

    /// The agreed secret itself, for tests.
    package var agreedSecret: SecretBytes { secret }

    private func derive(_ label: StaticString, _ text: SecretBytes? = nil, count: Int = 16) -> SecretBytes {
        let label = label.withUTF8Buffer { Array($0) }
        return Sodium.hmac(key: secret, label, text, count: count)
    }

    /// Proof of the client that goes into FullVerifyRequest2.
    package var verifier: SecretBytes { derive("AT") }

    /// The same with the credential of a branded app: what is sent of it, and the proof.
    package func verifier(credential: [UInt8]) -> (encryptedToken: [UInt8], verifier: SecretBytes) {
        let pad = derive("app")
        let token = pad.withBytes { pad in pad.indices.map { pad[$0] ^ ($0 < credential.count ? credential[$0] : 0) } }
        return (token, derive("AT", SecretBytes(token)))
    }

    /// Key of the session.
    package var sessionKey: ChaskeyLTS { ChaskeyLTS(key: sessionKeyBytes) }

    /// The bytes of the key of the session.
    package var sessionKeyBytes: SecretBytes { derive("SK") }

    /// The pairing that is made.
    package var pairing: Pairing { Pairing(derive("PK", count: 20))! }

    /// What a client that still holds `pairing` sends to ask whether it is gone.
    package func pairingToken(of pairing: Pairing) -> SecretBytes { derive("PT", pairing.bytes) }

    /// The button's proof that it has no such pairing.
    package func notExistsResult(token: SecretBytes) -> SecretBytes { derive("NE", token) }

    /// The button's proof that it has the pairing.
    package func existsResult(token: SecretBytes) -> SecretBytes { derive("EX", token) }
}

extension ChaskeyLTS {
    /// The session key of a Quick Verify (protocol 5.5).
    ///
    /// - Parameters:
    ///   - clientRandom: Seven bytes.
    ///   - flags: Byte 8 of QuickVerifyRequest as sent.
    ///   - buttonRandom: Eight bytes.
    package static func quickVerifyKey(pairing: Pairing, clientRandom: [UInt8], flags: UInt8, buttonRandom: [UInt8]) -> SecretBytes {
        let block = clientRandom + [flags] + buttonRandom
        return ChaskeyLTS(key: pairing.key).code(of: block.span)
    }
}
