import Fixtures
import FlicProtocol
import Testing

@Suite("Framing, random")
struct FramingPropertyTests {
    @Test("What is cut at any of 118 MTUs is put together again, at each of 128 lengths", arguments: 23...140)
    func identity(_ mtu: Int) {
        var random = Random(seed: UInt64(mtu))
        for length in 1...Fragmentation.largestPacket {
            let packet = random.bytes(length)
            let id = UInt8.random(in: 1...31, using: &random)
            let frames = Fragmentation.frames(of: packet, connectionID: id, mtu: mtu)
            #expect(frames.count == (length + mtu - 5) / (mtu - 4))
            #expect(frames.allSatisfy { $0.count >= 2 && $0.count <= mtu - 3 })
            var assembler = FrameAssembler()
            let results = frames.map { assembler.verdict(on: $0, client: id) }
            #expect(results.dropLast().allSatisfy { $0 == ("partial", nil) })
            #expect(results.last?.packet == packet)
        }
    }

    @Test("An MTU that no link has counts as the nearest one that the button has", arguments: [Int.min, -1, 0, 22, 141, 517, Int.max])
    func oddMTU(_ mtu: Int) {
        let packet = [UInt8](0..<128)
        let nearest = mtu < 23 ? 23 : 140
        #expect(
            Fragmentation.frames(of: packet, connectionID: 1, mtu: mtu) == Fragmentation.frames(of: packet, connectionID: 1, mtu: nearest)
        )
    }

    /// The rules of protocol 3 once more, with a dictionary.
    private struct Model {
        var buffers: [UInt8: [UInt8]] = [:]

        mutating func verdict(on frame: [UInt8], client: UInt8?) -> (verdict: String, packet: [UInt8]?) {
            guard frame.count >= 2 else { return ("too-short", nil) }
            let id = frame[0] & 31
            let isNew = frame[0] & 32 != 0
            if let mine = client, isNew && mine != 0 || id != 0 && id != mine && !isNew { return ("not-mine", nil) }
            let collected = buffers[id, default: []] + frame.dropFirst()
            buffers[id] = nil
            guard collected.count <= 128 else { return ("oversize", nil) }
            if frame[0] & 128 == 0 { return ("packet", collected) }
            buffers[id] = collected
            return ("partial", nil)
        }
    }

    @Test("2000 random frames to each of 34 receivers never give more than 128 bytes, and what the rules say", arguments: 0...33)
    func randomFrames(_ receiver: UInt8) {
        var random = Random(seed: 0xF11C + UInt64(receiver))
        let client = receiver <= 31 ? receiver : nil
        // One of the two buttons sees few ids, so that long packets come together.
        let ids: ClosedRange<UInt8> = receiver == 33 ? 0...1 : 0...31
        var assembler = FrameAssembler()
        var model = Model()
        for _ in 0..<2000 {
            var frame = random.bytes(Int.random(in: 0...150, using: &random) >> Int.random(in: 0...5, using: &random))
            if !frame.isEmpty {
                let id = client != nil && Bool.random(using: &random) ? client ?? 0 : UInt8.random(in: ids, using: &random)
                frame[0] = frame[0] & 0xE0 | id
            }
            let result = assembler.verdict(on: frame, client: client)
            #expect(result == model.verdict(on: frame, client: client))
            if let packet = result.packet { #expect((1...128).contains(packet.count)) }
        }
    }
}
