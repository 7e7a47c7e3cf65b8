import FlicProtocol

extension ButtonFirmware {
    /// Sends a packet; signed, if it has to be, with the session on that id.
    mutating func send<P: Packet>(_ packet: P, to id: UInt8, isNewlyAssigned: Bool = false) {
        var body = packet.sessionBody
        guard link != nil, let opcode = dialect.opcode(of: body[0], .fromButton) else { return }
        body[0] = opcode
        if !Self.isOfVariableLength(P.self) { body += faults.trailingBytes }
        switch P.signing {
        case .never: transmit(body, to: id, isNewlyAssigned: isNewlyAssigned)
        case .inSession where self[id]?.session == nil: transmit(body, to: id, isNewlyAssigned: isNewlyAssigned)
        case .always, .inSession: sendSigned(body, to: id, isNewlyAssigned: isNewlyAssigned)
        }
    }

    /// Sends a body that need not be a packet at all to every session, signed.
    package mutating func inject(_ body: [UInt8], at time: UInt64) -> [Action] {
        proceed(to: time)
        for id in sessionIDs { sendSigned(body, to: id) }
        return flush()
    }

    /// Sends a ping to every session now. Its answer is expected in the usual time.
    package mutating func ping(at time: UInt64) -> [Action] {
        proceed(to: time)
        for id in sessionIDs where dialect.hasFrames { sendPing(to: id) }  // a Twist has no pings
        return flush()
    }

    private mutating func sendSigned(_ body: [UInt8], to id: UInt8, isNewlyAssigned: Bool = false) {
        guard var session = self[id]?.session else { return }
        if session.outgoing.counter == faults.skipsCount { _ = session.outgoing.sign(body) }
        var packet = session.outgoing.sign(body)
        self[id]?.session = session
        if faults.nextDamagedSignatures > 0 {
            faults.nextDamagedSignatures -= 1
            packet[packet.count - 1] ^= 1
        }
        transmit(packet, to: id, isNewlyAssigned: isNewlyAssigned)
    }

    /// Cuts a packet into frames (protocol 3).
    mutating func transmit(_ packet: [UInt8], to id: UInt8, isNewlyAssigned: Bool = false) {
        guard let mtu = link?.mtu else { return }
        defer { countDown() }
        guard dialect.hasFrames else { return put(packet) }
        if faults.fragmentSizes.isEmpty {
            for frame in Fragmentation.frames(of: packet, connectionID: id, isNewlyAssigned: isNewlyAssigned, mtu: mtu) { put(frame) }
            return
        }
        var rest = packet[...]
        while !rest.isEmpty {
            let size = faults.fragmentSizes[fragmentsSent % faults.fragmentSizes.count]
            fragmentsSent += 1
            let piece = rest.prefix(min(max(size, 1), Fragmentation.payload(mtu: mtu)))
            rest = rest.dropFirst(piece.count)
            put([FrameHeader(connectionID: id, isNewlyAssigned: isNewlyAssigned, hasMore: !rest.isEmpty).rawValue] + piece)
        }
    }

    private mutating func countDown() {
        guard let left = faults.packetsUntilDisconnect else { return }
        faults.packetsUntilDisconnect = left > 1 ? left - 1 : nil
        guard left <= 1 else { return }
        closeLink()
        advertiseAsConfigured()
    }

    /// Puts a frame on the air, unless something happens to it there.
    mutating func put(_ frame: [UInt8]) {
        if Self.isLost(&faults.nextLostFromButton, every: faults.losesEveryFromButton, count: &framesSent) { return }
        if faults.nextSwapped > 0, heldFrame == nil {
            faults.nextSwapped -= 1
            heldFrame = frame
            return
        }
        outbox.append(.send(frame))
        if faults.nextDuplicated > 0 {
            faults.nextDuplicated -= 1
            outbox.append(.send(frame))
        }
        if let held = heldFrame {
            heldFrame = nil
            outbox.append(.send(held))
        }
    }

    static func isLost(_ next: inout Int, every: Int, count: inout Int) -> Bool {
        count += 1
        if next > 0 {
            next -= 1
            return true
        }
        return every > 0 && count.isMultiple(of: every)
    }

    /// Further bytes at the end of these would not be an addition but a part of a field.
    private static func isOfVariableLength(_ packet: any Packet.Type) -> Bool {
        let types: [any Packet.Type] = [
            NoLogicalConnectionSlotsInd.self, ButtonEventNotification.self, NameUpdatedNotification.self, GetNameResponse.self, SetNameResponse.self,
            GetHidMidiConfigDataInd.self, Twist.ButtonEventNotificationV2.self,
        ]
        return types.contains { $0 == packet }
    }
}
