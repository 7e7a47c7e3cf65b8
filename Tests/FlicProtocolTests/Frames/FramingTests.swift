import Fixtures
import FlicProtocol
import Testing

/// Protocol 3 against `framing.json`.
@Suite("Framing")
struct FramingTests {
    static let outgoing = JSONValue.vectors("framing").outgoing.vectors
    static let incoming = JSONValue.vectors("framing").incoming.vectors

    @Test("No vector is lost")
    func counts() {
        #expect(Self.outgoing.count == 161)
        #expect(Self.incoming.count == 65)
        #expect(Self.incoming.reduce(0) { $0 + $1.frames.array.count } == Self.incoming.reduce(0) { $0 + $1.results.array.count })
    }

    @Test("The limits are those of the vectors")
    func limits() {
        #expect(JSONValue.vectors("framing").limits.largest_incoming_packet.unsigned == UInt64(Fragmentation.largestPacket))
        #expect(JSONValue.vectors("framing").limits.button_att_mtu.unsigned == UInt64(Fragmentation.largestMTU))
    }

    @Test("161 packets are cut into the right frames", arguments: outgoing)
    func cutting(_ vector: Vector) throws {
        let frames = Fragmentation.frames(
            of: try vector.bytes("packet"),
            connectionID: try vector.integer("connection_id"),
            mtu: try vector.integer("mtu")
        )
        #expect(frames.map { .string($0.hex) } == vector.frames.array)
    }

    @Test("65 sequences of frames give the right verdicts and packets", arguments: incoming)
    func assembling(_ vector: Vector) throws {
        let client: UInt8 = try vector.integer("connection_id")
        var assembler = FrameAssembler()
        for (frame, result) in zip(vector.frames.array, vector.results.array) {
            let frame = try #require(frame.bytes)
            let (verdict, packet) = assembler.verdict(on: frame, client: client)
            #expect(verdict == result.verdict.string)
            #expect(packet?.hex == result.packet.string)
        }
    }

    @Test("A button collects the frames of all its clients")
    func buttonRole() {
        var assembler = FrameAssembler()
        #expect(assembler.verdict(on: [0x81, 1], client: nil) == ("partial", nil))
        #expect(assembler.verdict(on: [0x9F, 2], client: nil) == ("partial", nil))
        #expect(assembler.verdict(on: [0x00, 3], client: nil) == ("packet", [3]))
        #expect(assembler.verdict(on: [0x01, 4], client: nil) == ("packet", [1, 4]))
        #expect(assembler.verdict(on: [0x1F, 5], client: nil) == ("packet", [2, 5]))
    }

    @Test("Nothing is taken where nothing was received")
    func takeTooEarly() {
        var assembler = FrameAssembler()
        #expect(assembler.take(FrameHeader(connectionID: 3)).isEmpty)
    }

    @Test("256 headers keep id and flags apart", arguments: UInt8.min...UInt8.max)
    func header(_ byte: UInt8) {
        let header = FrameHeader(rawValue: byte)
        #expect(header.connectionID == byte & 31)
        #expect(header.isNewlyAssigned == (byte & 0x20 != 0))
        #expect(header.hasMore == (byte & 0x80 != 0))
        let made = FrameHeader(connectionID: header.connectionID, isNewlyAssigned: header.isNewlyAssigned, hasMore: header.hasMore)
        #expect(made.rawValue == byte & ~0x40)  // "multi" is never sent
    }
}

extension FrameAssembler {
    /// Receives a frame; the outcome in the words of the vectors, and the packet if there is one.
    mutating func verdict(on frame: [UInt8], client: UInt8?) -> (verdict: String, packet: [UInt8]?) {
        switch receive(frame.span, client: client) {
        case .tooShort: ("too-short", nil)
        case .notMine: ("not-mine", nil)
        case .oversize: ("oversize", nil)
        case .partial: ("partial", nil)
        case .whole: ("packet", Array(frame.dropFirst()))
        case .completed(let header): ("packet", take(header))
        }
    }
}
