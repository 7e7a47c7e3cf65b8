import Fixtures
import FlicProtocol
import Testing

@Suite("Packets, random")
struct PacketPropertyTests {
    @Test("What is read from 300 random bodies of each of 133 packets is written as it was", arguments: PacketVectorTests.all)
    func identity(_ vector: PacketVector) throws {
        var random = Random(seed: UInt64(vector.opcode) << 8 | UInt64(vector.minimumLength))
        func check<P: Packet>(_ type: P.Type) {
            for _ in 0..<300 {
                let length = vector.minimumLength + Int.random(in: 0...40, using: &random)
                let body = [vector.opcode] + random.bytes(length - 1)
                let packet = P(body: body.span)
                // Bytes behind the last known field are lost, a part of a list's element too.
                let written = packet?.body ?? []
                #expect(written.count == vector.writtenLength(ofBody: length))
                #expect(written == Array(body.prefix(written.count)))
                let isStable = P(body: written.span) == packet
                #expect(isStable)
            }
        }
        let type = try #require(vector.type)
        check(type)
    }

    @Test(
        "Random bodies of 0 to 140 bytes under each of 133 opcodes do no harm, and are read if they are long enough",
        arguments: PacketVectorTests.all
    )
    func anything(_ vector: PacketVector) throws {
        var random = Random(seed: 0xB0D7 ^ UInt64(vector.opcode) << 16 ^ UInt64(vector.minimumLength))
        func check<P: Packet>(_ type: P.Type) {
            for length in 0...140 {
                let body = Array(([vector.opcode] + random.bytes(139)).prefix(length))
                let isRead = P(body: body.span) != nil
                #expect(isRead == (length >= vector.minimumLength))
            }
        }
        let type = try #require(vector.type)
        check(type)
    }

    @Test("An event item is read the same with and without a coder, 1000 times")
    func eventItems() {
        var random = Random(seed: 7)
        for _ in 0..<1000 {
            let offset = Int.random(in: 0...9, using: &random)
            let bytes = random.bytes(offset + EventItem.byteCount + 3)
            var item = EventItem()
            var reader = FieldReader(bytes: bytes, from: offset)
            item.code(&reader)
            let isSame = item == EventItem(bytes.span, at: offset)
            #expect(isSame && reader.isComplete)
        }
    }
}

extension PacketVector {
    /// How much of a long enough body is known to the packet.
    fileprivate func writtenLength(ofBody length: Int) -> Int {
        switch openEnd?.kind {
        case "rest": return length
        case "u32[]": return length - (length - minimumLength) % 4
        case "item7[]": return length - (length - minimumLength) % 7
        default:
            guard let tail = optionalTail?.bits, minimumLength + tail / 8 <= length else { return minimumLength }
            return minimumLength + tail / 8
        }
    }
}
