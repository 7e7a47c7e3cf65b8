import Fixtures
import FlicProtocol
import Testing

/// Protocol 1: one little-endian bit stream.
@Suite("Field coders")
struct FieldCoderTests {
    @Test("Integers of each width survive at each bit offset", arguments: 1...64)
    func integers(_ bits: Int) {
        var random = Random(seed: UInt64(bits))
        for offset in 0...16 {
            let mask = UInt64.max >> (64 - bits)
            for value in [0, mask, 1, mask ^ mask >> 1, random.next() & mask] {
                var filler = random.next() & (1 << offset - 1)
                var unsigned = value
                var signed = Int64(truncatingIfNeeded: value << (64 - bits)) >> (64 - bits)
                var marker = true
                var writer = FieldWriter(opcode: 0xEE)
                writer.integer("filler", &filler, bits: offset)
                writer.integer("unsigned", &unsigned, bits: bits)
                writer.integer("signed", &signed, bits: bits)
                writer.flag("marker", &marker)
                #expect(writer.bytes.count == 1 + (offset + 2 * bits + 1 + 7) / 8)

                var reader = FieldReader(bytes: writer.bytes, from: 1)
                var readFiller: UInt64 = 0
                var readUnsigned: UInt64 = 0
                var readSigned: Int64 = 0
                var readMarker = false
                reader.integer("filler", &readFiller, bits: offset)
                reader.integer("unsigned", &readUnsigned, bits: bits)
                reader.integer("signed", &readSigned, bits: bits)
                reader.flag("marker", &readMarker)
                #expect((readFiller, readUnsigned, readSigned) == (filler, unsigned, signed))
                #expect(readMarker && reader.isComplete)
            }
        }
    }

    @Test("Values wider than their field lose the upper bits, and disturb no other field")
    func tooWide() {
        var wide = UInt16.max
        var zero: UInt8 = 0
        var writer = FieldWriter(opcode: 0)
        writer.integer("wide", &wide, bits: 9)
        writer.integer("zero", &zero, bits: 7)
        #expect(writer.bytes == [0, 0xFF, 0x01])
    }

    @Test(
        "Byte fields are cut or padded with zeros to their length",
        arguments: [([], [0, 0]), ([1], [1, 0]), ([1, 2], [1, 2]), ([1, 2, 3], [1, 2])]
    )
    func byteLengths(_ given: [UInt8], _ written: [UInt8]) {
        var given = given
        var optional: [UInt8]? = given
        var writer = FieldWriter(opcode: 9)
        writer.bytes("fixed", &given, count: 2)
        writer.optionalBytes("optional", &optional, count: 2)
        #expect(writer.bytes == [9] + written + written)
    }

    @Test("Reading beyond the end gives zeros and is noticed")
    func beyondTheEnd() {
        var reader = FieldReader(bytes: [0xFF, 0xFF], from: 1)
        var value: UInt16 = 7
        reader.integer("value", &value, bits: 9)
        #expect(value == 0 && !reader.isComplete)
        var flag = true
        reader.flag("flag", &flag)
        #expect(!flag)
        var bytes: [UInt8] = []
        reader.bytes("bytes", &bytes, count: 3)
        #expect(bytes == [0, 0, 0])
    }

    @Test("Optional fields that are missing, in whole or in part, leave the packet complete", arguments: 0...3)
    func optionalFields(_ length: Int) {
        var reader = FieldReader(bytes: [UInt8](repeating: 0xAB, count: length), from: 0)
        var bytes: [UInt8]?
        var integer: UInt16?
        reader.optionalInteger("integer", &integer, bits: 16)
        reader.optionalBytes("bytes", &bytes, count: 2)
        #expect(integer == (length >= 2 ? 0xABAB : nil))
        #expect(bytes == nil)
        #expect(reader.isComplete)
    }

    @Test("A reader that begins behind the end is incomplete with the first field")
    func behindTheEnd() {
        var reader = FieldReader(bytes: [], from: 1)
        var flag = true
        var rest: [UInt8] = [1]
        var list: [TemporaryID] = [TemporaryID(1)]
        reader.rest("rest", &rest)
        reader.list("list", &list)
        reader.flag("flag", &flag)
        #expect(rest.isEmpty && list.isEmpty && !flag && !reader.isComplete)
    }
}
