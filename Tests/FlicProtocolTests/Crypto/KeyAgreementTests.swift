import Fixtures
import FlicProtocol
import Testing

/// Protocol 5.2, 5.3 and 5.5 against `kdf.json`.
@Suite("Key agreement")
struct KeyAgreementTests {
    static let fullVerify = JSONValue.vectors("kdf").full_verify.vectors
    static let withCredential = fullVerify.filter { !$0.app_credential.isNull }
    static let unpairedTests = JSONValue.vectors("kdf").test_if_really_unpaired.vectors
    static let quickVerify = JSONValue.vectors("kdf").quick_verify.vectors
    static let lowOrderKeys = JSONValue.vectors("kdf").low_order_public_keys.public_keys.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.fullVerify.count == 13)
        #expect(Self.withCredential.count == 3)
        #expect(Self.unpairedTests.count == 4)
        #expect(Self.quickVerify.count == 8)
        #expect(Self.lowOrderKeys.count == 5)
    }

    @Test("Client and button of 17 agreements get the same shared secret", arguments: fullVerify + unpairedTests)
    func sharedSecret(_ vector: Vector) throws {
        for (own, peer) in [("client", "button"), ("button", "client")] {
            let privateKey = SecretBytes(try vector.bytes(own + "_private"))
            #expect(Sodium.publicKey(of: privateKey)?.hex == vector.json[own + "_public"].string)
            let shared = Sodium.sharedSecret(privateKey: privateKey, peer: try vector.bytes(peer + "_public"))
            #expect(shared?.revealed == vector.shared.string)
        }
    }

    @Test("13 Full Verifies give secret, verifier, session key and pairing to both roles", arguments: fullVerify)
    func fullVerifyKeys(_ vector: Vector) throws {
        for role in Self.roles {
            let agreement = try agreement(vector, role)
            #expect(agreement.agreedSecret.revealed == vector.secret.string)
            #expect(agreement.verifier.revealed == vector.verifier.string)
            #expect(agreement.sessionKeyBytes.revealed == vector.session_key.string)
            #expect(agreement.sessionKey == ChaskeyLTS(key: SecretBytes(try vector.bytes("session_key"))))
            #expect(agreement.pairing.bytes.revealed == vector.pairing.string)
            #expect(agreement.pairing.key.revealed == vector.pairing_key.string)
            #expect(UInt64(agreement.pairing.identifier) == vector.pairing_identifier.unsigned)
        }
    }

    @Test("3 app credentials are encrypted and enter the verifier", arguments: withCredential)
    func credential(_ vector: Vector) throws {
        let credential = try vector.bytes("app_credential")
        for role in Self.roles {
            let (token, verifier) = try agreement(vector, role).verifier(credential: credential)
            #expect(token.hex == vector.encrypted_app_token.string)
            #expect(verifier.revealed == vector.verifier_with_token.string)
            #expect(zip(token, credential).map { $0 ^ $1 }.hex == vector.app_pad.string)
        }
    }

    @Test("4 tests of a lost pairing give token and both answers to both roles", arguments: unpairedTests)
    func testIfReallyUnpaired(_ vector: Vector) throws {
        let pairing = try #require(Pairing(SecretBytes(try vector.bytes("pairing"))))
        for role in Self.roles {
            let agreement = try agreement(vector, role)
            #expect(agreement.agreedSecret.revealed == vector.secret.string)
            let token = agreement.pairingToken(of: pairing)
            #expect(token.revealed == vector.pairing_token.string)
            #expect(agreement.notExistsResult(token: token).revealed == vector.result_not_exists.string)
            #expect(agreement.existsResult(token: token).revealed == vector.result_exists.string)
        }
    }

    @Test("8 Quick Verifies give the session key, which signs the answer", arguments: quickVerify)
    func quickVerifyKey(_ vector: Vector) throws {
        let pairing = try #require(Pairing(SecretBytes([1, 2, 3, 4] + (try vector.bytes("pairing_key")))))
        let clientRandom = try vector.bytes("client_random")
        let flags: UInt8 = try vector.integer("flags")
        let buttonRandom = try vector.bytes("button_random")
        #expect((clientRandom + [flags] + buttonRandom).hex == vector.block.string)
        let key = ChaskeyLTS.quickVerifyKey(pairing: pairing, clientRandom: clientRandom, flags: flags, buttonRandom: buttonRandom)
        #expect(key.revealed == vector.session_key.string)

        let packet = try vector.bytes("response_packet")
        let body = Array(packet.dropLast(PacketSigner.tagLength))
        let response = QuickVerifyResponse(body: body.span)
        #expect(response?.buttonRandom == buttonRandom)
        #expect(response.map { UInt64($0.tmpID) } == vector.tmp_id.unsigned)

        var button = PacketSigner(key: ChaskeyLTS(key: key), direction: .fromButton)
        #expect(button.sign(body) == packet)
        var client = PacketSigner(key: ChaskeyLTS(key: key), direction: .fromButton)
        let isRight = client.check(packet.span)
        #expect(isRight)
    }

    @Test("5 public keys of low order are refused", arguments: lowOrderKeys)
    func lowOrder(_ vector: Vector) throws {
        let peer = try #require(vector.json.bytes)
        let privateKey = SecretBytes([UInt8](repeating: 7, count: 32))
        #expect(Sodium.sharedSecret(privateKey: privateKey, peer: peer) == nil)
        let agreement = KeyAgreement(
            privateKey: privateKey,
            peerKey: peer,
            hiddenBits: 0,
            buttonRandom: [UInt8](repeating: 1, count: 8),
            clientRandom: [UInt8](repeating: 2, count: 8),
            flags: 0
        )
        #expect(agreement == nil)
    }

    @Test("Keys of a wrong length give nothing", arguments: [0, 31, 33])
    func wrongLength(_ length: Int) {
        let key = [UInt8](repeating: 9, count: length)
        let regular = [UInt8](repeating: 9, count: 32)
        #expect(Sodium.publicKey(of: SecretBytes(key)) == nil)
        #expect(Sodium.sharedSecret(privateKey: SecretBytes(key), peer: regular) == nil)
        #expect(Sodium.sharedSecret(privateKey: SecretBytes(regular), peer: key) == nil)
    }

    @Test("A pairing has 20 bytes, no more and no fewer", arguments: [0, 19, 21])
    func pairingLength(_ length: Int) {
        #expect(Pairing(SecretBytes([UInt8](repeating: 0, count: length))) == nil)
    }

    @Test("A pairing may have the identifier zero")
    func pairingIdentifierZero() {
        #expect(Pairing(SecretBytes([UInt8](repeating: 0, count: 20)))?.identifier == 0)
    }

    private static let roles = [(own: "client", peer: "button"), (own: "button", peer: "client")]

    private func agreement(_ vector: Vector, _ role: (own: String, peer: String)) throws -> KeyAgreement {
        try #require(
            KeyAgreement(
                privateKey: SecretBytes(try vector.bytes(role.own + "_private")),
                peerKey: try vector.bytes(role.peer + "_public"),
                hiddenBits: try vector.integer("hidden_bits"),
                buttonRandom: try vector.bytes("button_random"),
                clientRandom: try vector.bytes("client_random"),
                flags: try vector.integer("flags")
            )
        )
    }
}
