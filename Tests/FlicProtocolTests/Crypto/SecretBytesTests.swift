import FlicProtocol
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    /// Distinctive in decimal and in hexadecimal digits.
    static let bytes: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF, 0xC0, 0xFF, 0xEE, 0xDE, 0xAD, 0xBE, 0xEF, 0xC0, 0xFF, 0xEE, 0xF1, 0xF2]

    static func texts(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), "\(value)", dumped]
    }

    @Test("No text of a secret has more than its length")
    func texts() {
        let secret = SecretBytes(Self.bytes)
        for text in Self.texts(of: secret) {
            #expect(text.trimmingPrefix { "- ".contains($0) }.hasPrefix("<16 secret bytes>"))
            #expect(!Self.bytes.contains { text.contains("\($0)") || text.contains(String($0, radix: 16)) })
        }
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test("What holds secrets does not show them either")
    func holders() throws {
        let pairing = try #require(Pairing(SecretBytes([1, 0, 0, 0] + Self.bytes)))
        let key = ChaskeyLTS(key: SecretBytes(Self.bytes))
        let agreement = try #require(
            KeyAgreement(
                privateKey: SecretBytes(Self.bytes + Self.bytes),
                peerKey: [9] + [UInt8](repeating: 0, count: 31),
                hiddenBits: 0,
                buttonRandom: [],
                clientRandom: [],
                flags: 0
            )
        )
        let signer = PacketSigner(key: key, direction: .toButton)
        let holders: [Any] = [pairing, key, agreement, signer, [pairing]]
        for text in holders.flatMap(Self.texts(of:)) {
            #expect(text.contains("secret bytes>"))
            #expect(!Self.bytes.contains { text.contains("\($0)") || text.contains("\(String($0, radix: 16)), ") })
        }
    }

    @Test("Secrets are equal if their bytes are")
    func equality() {
        let secret = SecretBytes(Self.bytes)
        #expect(secret == SecretBytes(Self.bytes))
        #expect(secret != SecretBytes(Self.bytes.dropLast()))
        #expect(secret != SecretBytes(Self.bytes + [0]))
        for index in Self.bytes.indices {
            var other = Self.bytes
            other[index] ^= 1
            #expect(secret != SecretBytes(other))
        }
        #expect(SecretBytes([UInt8]()) == SecretBytes(count: 0) { _ in })
    }

    @Test("A secret has the bytes it was made of, and zeros where nothing was written")
    func content() {
        #expect(SecretBytes(Self.bytes).withBytes(Array.init) == Self.bytes)
        #expect(SecretBytes(Self.bytes).count == 16)
        #expect(SecretBytes(count: 3) { $0[1] = 5 }.withBytes(Array.init) == [0, 5, 0])
    }

    @Test("A part is a copy", arguments: 0...20)
    func prefix(_ length: Int) {
        #expect(SecretBytes(Self.bytes).prefix(length).withBytes(Array.init) == Array(Self.bytes.prefix(length)))
    }
}
