import FlicProtocol

extension ButtonFirmware {
    /// The Bluetooth link and the logical connections on it.
    struct Link: Sendable {
        let mtu: Int
        var assembler = FrameAssembler()
        /// In the order in which they were opened.
        var connections: [LogicalConnection] = []
        /// Since when there is no session.
        var sessionlessSince: UInt64
    }

    package var isLinked: Bool { link != nil }

    /// Number of logical connections, verified or not.
    package var connectionCount: Int { link?.connections.count ?? 0 }

    /// Number of verified logical connections.
    package var sessionCount: Int { link?.connections.count { $0.session != nil } ?? 0 }

    /// The latest count that a client has acknowledged.
    package var acknowledgedCount: UInt32? { link?.connections.compactMap { $0.session?.acknowledged }.max() }

    // MARK: Inputs from the radio

    /// A host has made a link and ended the MTU exchange.
    package mutating func linkUp(mtu: Int, at time: UInt64) -> [Action] {
        proceed(to: time)
        link = Link(mtu: mtu, sessionlessSince: clock)
        plan = nil
        pressAdvertisingEnd = nil
        heldFrame = nil
        return flush()
    }

    /// The link is gone.
    package mutating func linkLost(_ end: LinkEnd, at time: UInt64) -> [Action] {
        proceed(to: time)
        guard link != nil else { return flush() }
        linkEnded()
        switch end {
        case .lost: advertiseAsConfigured()
        case .closedByHost: plan = nil  // silent until pressed (protocol 2.3)
        }
        return flush()
    }

    /// The host has written a value.
    package mutating func receive(_ frame: [UInt8], at time: UInt64) -> [Action] {
        proceed(to: time)
        guard link != nil, !Self.isLost(&faults.nextLostToButton, every: faults.losesEveryToButton, count: &framesReceived), !faults.neverAnswers
        else { return flush() }
        guard dialect.hasFrames else {
            receiveUnframed(frame)
            return flush()
        }
        switch link?.assembler.receive(frame.span, client: nil) {
        case .whole(let header): handle(Array(frame.dropFirst()), from: header.connectionID)
        case .completed(let header):
            if let packet = link?.assembler.take(header) { handle(packet, from: header.connectionID) }
        case .tooShort, .notMine, .oversize, .partial, nil: break
        }
        return flush()
    }

    /// One client, and so one connection at most: who opens one takes the place of the last (a choice of the simulator). No signed packet has the
    /// number and length of one that opens.
    private mutating func receiveUnframed(_ packet: [UInt8]) {
        guard !packet.isEmpty else { return }
        let openings = [Twist.FullVerifyRequest1().body, Twist.QuickVerifyRequest().body]
        if openings.contains(where: { $0[0] == packet[0] && $0.count == packet.count }), let id = link?.connections.first?.id { release(id) }
        handle(packet, from: link?.connections.first?.id ?? 0)
    }

    // MARK: Packets

    private mutating func handle(_ packet: [UInt8], from id: UInt8) {
        guard id != 0 else {
            open(renumbered(packet))
            return
        }
        guard var connection = self[id] else { return }  // not allocated (protocol 10.1)
        guard var session = connection.session else {
            verify(renumbered(packet), on: connection)
            return
        }
        guard packet.count >= PacketSigner.smallestPacket else { return }  // not even counted (protocol 5.6)
        let isRight = session.incoming.check(packet.span)
        connection.session = session
        self[id] = connection
        if isRight {
            serve(renumbered(packet.dropLast(PacketSigner.tagLength)), on: id)
        } else {
            endSession(id, .wrongSignature)
        }
    }

    /// A packet under the number that is used here.
    private func renumbered(_ packet: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(packet)
        bytes[0] = dialect.sessionOpcode(of: bytes[0], .toButton)
        return bytes
    }

    subscript(id: UInt8) -> LogicalConnection? {
        get { link?.connections.first { $0.id == id } }
        set {
            guard let index = link?.connections.firstIndex(where: { $0.id == id }) else { return }
            if let newValue { link?.connections[index] = newValue } else { link?.connections.remove(at: index) }
        }
    }

    /// Changes a session in its place. Without effect if there is none.
    mutating func withSession(_ id: UInt8, _ body: (inout Session) -> Void) {
        guard var session = self[id]?.session else { return }
        body(&session)
        self[id]?.session = session
    }

    /// Ids of all sessions, oldest first.
    var sessionIDs: [UInt8] { link?.connections.compactMap { $0.session == nil ? nil : $0.id } ?? [] }

    /// A new logical connection, or nil if all slots are taken.
    mutating func allocate(_ phase: LogicalConnection.Phase) -> UInt8? {
        guard let taken = link?.connections.map(\.id), taken.count < (dialect.hasFrames ? min(max(settings.slots, 0), 31) : 1) else { return nil }
        repeat { lastID = lastID % 31 + 1 } while taken.contains(lastID)
        link?.connections.append(LogicalConnection(id: lastID, phase: phase))
        return lastID
    }

    /// Ends a session from the button's side; its id is free again.
    mutating func endSession(_ id: UInt8, _ reason: SessionEnd) {
        var packet = DisconnectedVerifiedLinkInd()
        packet.reason = reason.number(dialect)
        send(packet, to: id)
        release(id)
    }

    mutating func release(_ id: UInt8) {
        let wasSession = self[id]?.session != nil
        self[id] = nil
        if update?.owner == id { update?.owner = nil }
        if wasSession, sessionCount == 0 { link?.sessionlessSince = clock }
    }

    /// Ends all sessions for a reason of the caller's choice.
    package mutating func endSessions(_ reason: SessionEnd, at time: UInt64) -> [Action] {
        proceed(to: time)
        for id in sessionIDs { endSession(id, reason) }
        return flush()
    }

    /// Closes the link from the button's side.
    mutating func closeLink() {
        guard link != nil else { return }
        outbox.append(.closeLink)
        linkEnded()
        plan = nil
    }

    private mutating func linkEnded() {
        link = nil
        update?.owner = nil
        heldFrame = nil
        if update?.installed != nil { restart() }
    }
}
