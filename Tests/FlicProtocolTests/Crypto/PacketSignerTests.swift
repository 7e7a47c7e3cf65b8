import Fixtures
import FlicProtocol
import Testing

/// Protocol 5.6; `signed_examples` of `packets.json`.
@Suite("Signed packets")
struct PacketSignerTests {
    static let examples = JSONValue.vectors("packets").signed_examples.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.examples.count == 40)
        #expect(Self.examples.filter { ($0.counter.unsigned ?? .max) <= 300 }.count == 32)
    }

    @Test("40 packets have the right tag and frame", arguments: examples)
    func example(_ vector: Vector) throws {
        let key = ChaskeyLTS(key: SecretBytes(try vector.bytes("session_key")))
        let body = try vector.bytes("body")
        let tag = key.tag(counter: try vector.integer("counter"), direction: try direction(vector), body: body.span)
        let packet = body + (0..<PacketSigner.tagLength).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }
        #expect(packet.hex == vector.packet_with_tag.string)
        let frames = Fragmentation.frames(of: packet, connectionID: try vector.integer("connection_id"), mtu: 130)
        #expect(frames.map(\.hex) == [vector.frame_mtu130.string])
    }

    @Test(
        "32 packets with a small counter are signed and accepted at their place",
        arguments: examples.filter { ($0.counter.unsigned ?? .max) <= 300 }
    )
    func counting(_ vector: Vector) throws {
        let key = ChaskeyLTS(key: SecretBytes(try vector.bytes("session_key")))
        let packet = try vector.bytes("packet_with_tag")
        var sender = PacketSigner(key: key, direction: try direction(vector))
        var receiver = sender
        for _ in 0..<(try vector.integer("counter") as Int) {
            let filler = sender.sign([0xAA])
            let isRight = receiver.check(filler.span)
            #expect(isRight)
        }
        #expect(sender.sign(try vector.bytes("body")) == packet)
        let isRight = receiver.check(packet.span)
        #expect(isRight)
        let isRightAgain = receiver.check(packet.span)
        #expect(!isRightAgain)
    }

    @Test("A single wrong bit, anywhere in the packet, is noticed")
    func wrongBits() {
        let signer = PacketSigner(key: ChaskeyLTS(key: SecretBytes([UInt8](0..<16))), direction: .toButton)
        var sender = signer
        let packet = sender.sign([UInt8](0..<20))
        for bit in 0..<packet.count * 8 {
            var wrong = packet
            wrong[bit / 8] ^= 1 << (bit % 8)
            var receiver = signer
            let isRight = receiver.check(wrong.span)
            #expect(!isRight)
            #expect(receiver.counter == 1)
        }
    }

    @Test("A packet of the other direction is refused")
    func otherDirection() {
        let key = ChaskeyLTS(key: SecretBytes([UInt8](0..<16)))
        var sender = PacketSigner(key: key, direction: .toButton)
        var receiver = PacketSigner(key: key, direction: .fromButton)
        let packet = sender.sign([1])
        let isRight = receiver.check(packet.span)
        #expect(!isRight)
    }

    @Test("Fewer than six bytes are refused without being counted", arguments: 0..<6)
    func tooShort(_ length: Int) {
        var receiver = PacketSigner(key: ChaskeyLTS(key: SecretBytes([UInt8](0..<16))), direction: .toButton)
        let packet = [UInt8](repeating: 0, count: length)
        let isRight = receiver.check(packet.span)
        #expect(!isRight)
        #expect(receiver.counter == 0)
    }

    private func direction(_ vector: Vector) throws -> Direction {
        try #require(Direction(name: vector.direction))
    }
}

extension Direction {
    /// The direction as the vectors write it.
    init?(name: JSONValue) {
        switch name.string {
        case "to_button": self = .toButton
        case "from_button": self = .fromButton
        default: return nil
        }
    }
}
