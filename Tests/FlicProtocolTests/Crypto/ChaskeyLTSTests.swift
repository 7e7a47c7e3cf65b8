import Fixtures
import FlicProtocol
import Testing

/// Protocol 5.4 against `chaskey.json`.
@Suite("Chaskey-LTS")
struct ChaskeyLTSTests {
    static let packetTags = JSONValue.vectors("chaskey").packet_tags.vectors
    static let oneBlock = JSONValue.vectors("chaskey").one_block.vectors
    static let subkeys = JSONValue.vectors("chaskey").subkeys.vectors
    static let permutations = JSONValue.vectors("chaskey").permutation.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.packetTags.count == 196)
        #expect(Self.oneBlock.count == 12)
        #expect(Self.subkeys.count == 7)
        #expect(Self.permutations.count == 4)
    }

    @Test("196 packet tags come out right", arguments: packetTags)
    func packetTag(_ vector: Vector) throws {
        let key = ChaskeyLTS(key: SecretBytes(try vector.bytes("key")))
        let counter: UInt64 = try vector.integer("counter")
        let direction = try #require(Direction(rawValue: try vector.integer("direction")))
        let message = try vector.bytes("message")
        let tag = key.tag(counter: counter, direction: direction, body: message.span)
        #expect(littleEndian(tag, count: 5).hex == vector.tag.string)
    }

    /// A packet tag is the code of a message that begins with a block of counter and direction. Not so for an empty body: its
    /// last block is an empty one, not the prefix.
    @Test("195 whole tags are the plain code of prefix and body", arguments: packetTags.filter { $0.message != .string("") })
    func wholeTag(_ vector: Vector) throws {
        let key = ChaskeyLTS(key: SecretBytes(try vector.bytes("key")))
        let counter: UInt64 = try vector.integer("counter")
        let direction: UInt64 = try vector.integer("direction")
        let message = littleEndian(counter, count: 8) + littleEndian(direction, count: 8) + (try vector.bytes("message"))
        #expect(key.code(of: message.span).revealed == vector.tag16.string)
    }

    @Test("Only one packet tag has an empty body")
    func emptyBodies() {
        #expect(Self.packetTags.filter { $0.message == .string("") }.count == 1)
    }

    @Test("12 codes of exactly one block come out right", arguments: oneBlock)
    func oneBlockCode(_ vector: Vector) throws {
        let key = ChaskeyLTS(key: SecretBytes(try vector.bytes("key")))
        let block = try vector.bytes("block")
        #expect(block.count == 16)
        #expect(key.code(of: block.span).revealed == vector.mac16.string)
    }

    @Test("7 keys give the right subkeys", arguments: subkeys)
    func subkeyPair(_ vector: Vector) throws {
        let subkeys = ChaskeyLTS(key: SecretBytes(try vector.bytes("key"))).subkeys
        #expect(subkeys.full.hex == vector.k1.string)
        #expect(subkeys.padded.hex == vector.k2.string)
    }

    @Test("4 states are permuted right", arguments: permutations)
    func permutation(_ vector: Vector) throws {
        #expect(ChaskeyLTS.permute(try vector.bytes("state")).hex == vector.permuted.string)
    }

    @Test("Keys of a wrong length count as padded or cut", arguments: [0, 1, 15, 17, 40])
    func oddKeys(_ length: Int) {
        let key = [UInt8](1...40).prefix(length)
        let regular = (Array(key) + [UInt8](repeating: 0, count: 16)).prefix(16)
        let message: [UInt8] = [1, 2, 3]
        let code = ChaskeyLTS(key: SecretBytes(key)).code(of: message.span)
        #expect(code == ChaskeyLTS(key: SecretBytes(regular)).code(of: message.span))
    }

    private func littleEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
