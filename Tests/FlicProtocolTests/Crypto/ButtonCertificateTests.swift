import Fixtures
import FlicProtocol
import Testing

/// Protocol 5.1 against `genuine.json`.
@Suite("Button certificate")
struct ButtonCertificateTests {
    static let cases = JSONValue.vectors("genuine").cases.vectors
    static let genuine = cases.filter { !$0.hidden_bits.isNull }

    @Test("No vector is lost")
    func counts() {
        #expect(Self.cases.count == 32)
        #expect(Self.genuine.count == 17)
    }

    @Test("32 certificates are accepted with the right hidden bits, or rejected", arguments: cases)
    func hiddenBits(_ vector: Vector) throws {
        let certificate = try certificate(vector)
        #expect(certificate.signedMessage.hex == vector.signed_message.string)
        let hiddenBits = certificate.hiddenBits(root: try vector.bytes("root"))
        #expect(hiddenBits.map(UInt64.init) == vector.hidden_bits.unsigned)
    }

    @Test("What 17 certificates transmit in the hidden bits means nothing", arguments: genuine)
    func transmittedBits(_ vector: Vector) throws {
        let expected: UInt8 = try vector.integer("hidden_bits")
        for bits: UInt8 in 0...3 {
            var certificate = try certificate(vector)
            certificate.signature[32] = certificate.signature[32] & 0xFC | bits
            #expect(certificate.hiddenBits(root: try vector.bytes("root")) == expected)
        }
    }

    @Test("The test root signs 17 certificates to what is in the vectors", arguments: genuine)
    func signing(_ vector: Vector) throws {
        let root = JSONValue.vectors("genuine").test_root
        let seed = try #require(root.seed.bytes)
        #expect(vector.root == root.public)
        var signature = try #require(Sodium.sign(try vector.bytes("signed_message"), seed: seed))
        #expect(UInt64(signature[32] & 3) == vector.hidden_bits.unsigned)
        let transmitted = try vector.bytes("signature")
        signature[32] = signature[32] & 0xFC | transmitted[32] & 3
        #expect(signature == transmitted)
    }

    @Test("The seed of the test root gives its public key")
    func testRoot() throws {
        let root = JSONValue.vectors("genuine").test_root
        #expect(Sodium.signingPublicKey(seed: try #require(root.seed.bytes))?.hex == root.public.string)
    }

    @Test("The vendor's root is that of the vectors, and not the test root")
    func vendorRoot() {
        let file = JSONValue.vectors("genuine")
        #expect(VendorRoot.flic2.hex == file.vendor_root_flic2_duo.string)
        #expect(VendorRoot.flic2.hex != file.test_root.public.string)
    }

    @Test("Signatures and roots of a wrong length are rejected", arguments: [0, 31, 33, 63, 65])
    func wrongLength(_ length: Int) throws {
        let vector = try #require(Self.genuine.first)
        let root = try vector.bytes("root")
        let bytes = [UInt8](repeating: 1, count: length)
        var certificate = try certificate(vector)
        #expect(certificate.hiddenBits(root: bytes) == nil)
        certificate.signature = bytes
        #expect(certificate.hiddenBits(root: root) == nil)
        #expect(Sodium.sign([], seed: bytes) == nil)
        #expect(Sodium.signingPublicKey(seed: bytes) == nil)
    }

    private func certificate(_ vector: Vector) throws -> ButtonCertificate {
        ButtonCertificate(
            address: try vector.bytes("address"),
            addressType: try vector.integer("address_type"),
            publicKey: try vector.bytes("button_public"),
            signature: try vector.bytes("signature")
        )
    }
}
