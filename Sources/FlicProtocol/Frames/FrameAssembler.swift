/// Puts packets together from frames, with a buffer for each connection id (protocol 3).
package struct FrameAssembler: Sendable {
    /// What became of a frame.
    package enum Outcome: Equatable, Sendable {
        /// Fewer than two bytes.
        case tooShort
        /// For another client.
        case notMine
        /// The packet would have more than 128 bytes: frame and buffer are dropped.
        case oversize
        /// Kept; more is to come.
        case partial
        /// The frame is a whole packet behind its first byte.
        case whole(FrameHeader)
        /// The frame completes a packet: ``take(_:)`` it.
        case completed(FrameHeader)
    }

    private var buffers: [[UInt8]] = []

    package init() {}

    /// Receives a frame as a client with the id `client`, or as a button if that is nil.
    package mutating func receive(_ frame: Span<UInt8>, client: UInt8?) -> Outcome {
        guard frame.count >= 2 else { return .tooShort }
        let header = FrameHeader(rawValue: frame[0])
        if let client, !header.concernsClient(client) { return .notMine }
        let id = Int(header.connectionID)
        let pending = buffers.isEmpty ? 0 : buffers[id].count
        guard pending + frame.count - 1 <= Fragmentation.largestPacket else {
            if pending > 0 { buffers[id] = [] }
            return .oversize
        }
        if pending == 0 && !header.hasMore { return .whole(header) }
        if buffers.isEmpty { buffers = Array(repeating: [], count: 32) }
        for index in 1..<frame.count { buffers[id].append(frame[index]) }
        return header.hasMore ? .partial : .completed(header)
    }

    /// The packet that ``receive(_:client:)`` has completed; its buffer is empty afterwards.
    package mutating func take(_ header: FrameHeader) -> [UInt8] {
        guard !buffers.isEmpty else { return [] }
        var packet: [UInt8] = []
        swap(&packet, &buffers[Int(header.connectionID)])
        return packet
    }
}
