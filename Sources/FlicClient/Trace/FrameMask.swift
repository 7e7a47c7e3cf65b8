import FlicProtocol

/// Masks the names in one direction of a link, frame by frame, and leaves out what firmware images are made of.
struct FrameMask {
    /// The packet that a frame goes on with.
    private struct Rest {
        var opcode: UInt8
        var offset: Int
        var lastByte: UInt8
    }

    private let direction: Direction
    private let dialect: Dialect
    private var rests: [UInt8: Rest] = [:]
    private var last: (frame: [UInt8], masked: [UInt8]) = ([], [])

    init(_ direction: Direction, _ dialect: Dialect) {
        self.direction = direction
        self.dialect = dialect
    }

    /// Where a name is in a packet (protocol 4.2, 9.1). It may go up to the signature, which is then masked, too.
    static func name(in opcode: UInt8, _ direction: Direction) -> Range<Int>? {
        switch (direction, opcode) {
        case (.fromButton, FullVerifyResponse2.opcode): 19..<42
        case (.fromButton, NameUpdatedNotification.opcode): 1..<Int.max
        case (.fromButton, GetNameResponse.opcode), (.fromButton, SetNameResponse.opcode), (.toButton, SetNameRequest.opcode): 7..<Int.max
        default: nil
        }
    }

    /// Whether the packet carries a piece of a firmware image (protocol 4.5, 13.5). All of it is left out, the signature, too.
    private static func hasFirmware(_ opcode: UInt8, _ direction: Direction) -> Bool {
        direction == .toButton && (opcode == FirmwareUpdateDataInd.opcode || opcode == FirmwareUpdateDataDuoInd.opcode)
    }

    /// The frame without a name; the same frame if there is none in it.
    mutating func mask(_ frame: [UInt8], _ names: NameMask) -> [UInt8] {
        guard !dialect.hasFrames, let opcode = frame.first else { return mask(framed: frame, names) }
        let framed = [FrameHeader(connectionID: 0).rawValue, dialect.sessionOpcode(of: opcode, direction)] + frame.dropFirst()
        return [opcode] + mask(framed: framed, names).dropFirst(2)
    }

    private mutating func mask(framed frame: [UInt8], _ names: NameMask) -> [UInt8] {
        guard frame.count >= 2 else { return frame }
        if frame == last.frame { return last.masked }  // told twice: it goes on with nothing
        let header = FrameHeader(rawValue: frame[0])
        var rest = rests[header.connectionID] ?? Rest(opcode: frame[1], offset: 0, lastByte: 0)
        var masked = frame
        if Self.hasFirmware(rest.opcode, direction) {
            for index in (rest.offset == 0 ? 2 : 1)..<frame.count { masked[index] = 0 }
        } else if let name = Self.name(in: rest.opcode, direction) {
            var previous = rest.lastByte
            for index in 1..<frame.count {
                let offset = rest.offset + index - 1
                if name.contains(offset) {
                    let isFirst = offset == name.lowerBound
                    masked[index] = names.mask(frame[index], at: offset - name.lowerBound, after: isFirst ? 0 : previous)
                }
                previous = frame[index]
            }
        }
        rest.offset += frame.count - 1
        rest.lastByte = frame[frame.count - 1]
        // A longer packet is dropped by everybody.
        rests[header.connectionID] = header.hasMore && rest.offset <= Fragmentation.largestPacket ? rest : nil
        last = (frame, masked)
        return masked
    }
}
