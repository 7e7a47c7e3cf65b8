import Fixtures
import FlicProtocol
import FuzzInput

// Any frames: what the assembler makes of them is what the rules of protocol 3 make of them, never more than 128 bytes. And what is cut into frames,
// at any MTU, is put together again.
//
// Input: the receiver (32 and more: a button), then frames as pieces; or, if the first byte is 255, an MTU and a packet.

/// The rules once more, with a dictionary.
private struct Model {
    var buffers: [UInt8: [UInt8]] = [:]

    mutating func packet(of frame: [UInt8], client: UInt8?) -> [UInt8]? {
        guard frame.count >= 2 else { return nil }
        let id = frame[0] & 31
        let isNew = frame[0] & 32 != 0
        if let mine = client, isNew && mine != 0 || id != 0 && id != mine && !isNew { return nil }
        let collected = buffers[id, default: []] + frame.dropFirst()
        buffers[id] = nil
        guard collected.count <= 128 else { return nil }
        guard frame[0] & 128 != 0 else { return collected }
        buffers[id] = collected
        return nil
    }
}

private func packet(of frame: [UInt8], client: UInt8?, _ assembler: inout FrameAssembler) -> [UInt8]? {
    switch assembler.receive(frame.span, client: client) {
    case .whole: Array(frame.dropFirst())
    case .completed(let header): assembler.take(header)
    case .tooShort, .notMine, .oversize, .partial: nil
    }
}

private func cut(_ input: inout FuzzInput) {
    let mtu = Int(input.byte())
    let id = input.byte() & 31
    let whole = Array(input.rest().prefix(Fragmentation.largestPacket))
    let frames = Fragmentation.frames(of: whole, connectionID: id, mtu: mtu)
    var assembler = FrameAssembler()
    let packets = frames.compactMap { packet(of: $0, client: id, &assembler) }
    hold(packets == (whole.isEmpty ? [] : [whole]), "\(whole) at MTU \(mtu) came as \(packets)")
    hold(frames.allSatisfy { $0.count <= max(mtu, Fragmentation.smallestMTU) - 3 }, "a frame is too long for MTU \(mtu)")
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let receiver = input.byte()
    guard receiver < 255 else {
        cut(&input)
        return 0
    }
    let client = receiver < 32 ? receiver : nil
    var assembler = FrameAssembler()
    var model = Model()
    while !input.isEmpty {
        let frame = input.piece()
        let packet = packet(of: frame, client: client, &assembler)
        hold(packet == model.packet(of: frame, client: client), "\(frame) made \(packet ?? [])")
        hold(packet?.count ?? 1 <= Fragmentation.largestPacket, "a packet of \(packet?.count ?? 0) bytes")
    }
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        JSONValue.vectors("framing").outgoing.array.flatMap { entry -> [[UInt8]] in
            let id = UInt8(entry.connection_id.unsigned ?? 0)
            let frames = entry.frames.array.compactMap(\.bytes).flatMap(\.asPiece)
            return [[id] + frames, [32] + frames, [255, UInt8(truncatingIfNeeded: entry.mtu.unsigned ?? 0), id] + (entry.packet.bytes ?? [])]
        }
    }
}
