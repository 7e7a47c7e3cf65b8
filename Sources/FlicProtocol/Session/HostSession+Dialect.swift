/// The edge of a session, where numbers are translated and packets put into frames.
extension HostSession {
    /// Calls `use` with a packet under the number that is used here.
    mutating func renumbering(_ packet: Span<UInt8>, _ use: (inout HostSession, Span<UInt8>) -> Void) {
        guard case .twist = peer.dialect else { return use(&self, packet) }
        var bytes: [UInt8] = []
        swap(&bytes, &renumbered)
        bytes.removeAll(keepingCapacity: true)
        for index in packet.indices { bytes.append(packet[index]) }
        bytes[0] = peer.dialect.sessionOpcode(of: packet[0], .fromButton)
        use(&self, bytes.span)
        swap(&bytes, &renumbered)
    }

    /// The body as the device numbers it; nil if it has no such packet, and then nothing is to be sent.
    func numbered(_ body: consuming [UInt8]) -> [UInt8]? {
        guard let opcode = peer.dialect.opcode(of: body[0], .toButton) else { return nil }
        body[0] = opcode
        return body
    }

    /// Sends a packet that is ready for the air.
    func put(_ packet: consuming [UInt8], connectionID: UInt8, into actions: inout [Action]) {
        guard peer.dialect.hasFrames else { return actions.append(.send(packet)) }
        Fragmentation.forEachFrame(of: packet, connectionID: connectionID, mtu: mtu) { actions.append(.send($0)) }
    }
}
