/// Limits of frames, and the cutting of packets into frames (protocol 3).
package enum Fragmentation {
    /// The button's own limit of the ATT MTU (protocol 2.3).
    package static let largestMTU = 140
    /// What every link can do.
    package static let smallestMTU = 23
    /// A longer packet is not accepted from the button.
    package static let largestPacket = 128

    /// Bytes of a packet that fit into one frame: MTU less three bytes of ATT and the header.
    package static func payload(mtu: Int) -> Int { min(max(mtu, smallestMTU), largestMTU) - 4 }

    /// The frames of a packet, signature included, in the order of sending.
    package static func frames(
        of packet: [UInt8],
        connectionID: UInt8,
        isNewlyAssigned: Bool = false,
        mtu: Int
    ) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        forEachFrame(of: packet, connectionID: connectionID, isNewlyAssigned: isNewlyAssigned, mtu: mtu) { frames.append($0) }
        return frames
    }

    /// The same, one by one. A packet that fits one frame becomes that frame, so that nothing is allocated for it.
    @inline(__always)
    package static func forEachFrame(
        of packet: consuming [UInt8],
        connectionID: UInt8,
        isNewlyAssigned: Bool = false,
        mtu: Int,
        _ body: ([UInt8]) -> Void
    ) {
        let size = payload(mtu: mtu)
        if packet.count <= size, !packet.isEmpty {
            packet.insert(FrameHeader(connectionID: connectionID, isNewlyAssigned: isNewlyAssigned).rawValue, at: 0)
            body(packet)
            return
        }
        for start in stride(from: 0, to: packet.count, by: size) {
            let end = min(start + size, packet.count)
            let header = FrameHeader(connectionID: connectionID, isNewlyAssigned: isNewlyAssigned, hasMore: end < packet.count)
            body([header.rawValue] + packet[start..<end])
        }
    }
}
