/// Signs the packets of one direction of a session, or checks them (protocol 5.6).
package struct PacketSigner: Sendable {
    package static let tagLength = 5
    /// A shorter packet of a session is dropped without being counted.
    package static let smallestPacket = 6

    private let key: ChaskeyLTS
    private let direction: Direction
    /// Number of packets signed or checked so far.
    package private(set) var counter: UInt64 = 0

    package init(key: ChaskeyLTS, direction: Direction) {
        self.key = key
        self.direction = direction
    }

    /// The body with its signature. Call in the order of sending.
    package mutating func sign(_ body: consuming [UInt8]) -> [UInt8] {
        let tag = key.tag(counter: counter, direction: direction, body: body.span)
        counter &+= 1
        for index in 0..<Self.tagLength { body.append(UInt8(truncatingIfNeeded: tag >> (8 * index))) }
        return body
    }

    /// Whether the packet ends in the right signature; counts the packet. It must have at least ``smallestPacket`` bytes.
    package mutating func check(_ packet: Span<UInt8>) -> Bool {
        let length = packet.count - Self.tagLength
        guard length > 0 else { return false }
        var received: UInt64 = 0
        for index in (length..<packet.count).reversed() { received = received << 8 | UInt64(packet[index]) }
        let expected = key.tag(counter: counter, direction: direction, body: packet.extracting(0..<length))
        counter &+= 1
        return received ^ expected == 0  // one comparison of 40 bits: constant time
    }
}
