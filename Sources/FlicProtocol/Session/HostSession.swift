/// The client's side of one logical connection, from the link being ready to the end of the session.
///
/// The session is sans-IO: received frames, the time and random bytes come in as parameters, and what is to be done comes
/// out as a list of ``Action``s which the driver carries out in order. Times are durations since any fixed origin.
///
/// Responsibilities:
/// 1. It takes frames apart and puts packets into frames, and looks only at its own logical connection (protocol 3).
/// 2. ``Verification`` opens the session: pairing, verification, or the proof that the pairing is gone (protocol 5).
/// 3. Every packet of the open session is checked before anything in it is looked at, and every packet sent is signed in the
///    order of sending (protocol 5.6). A wrong signature ends the session; there is no resynchronisation.
/// 4. ``EventStream`` counts events, drops those delivered before, and says what may be stored (protocol 7).
/// 5. After the start-up events, the requests of protocol 6.4 are made through ``RequestQueue``, and ``NameSync`` exchanges names.
/// 6. Pings are answered at once. Verification, answers and the next battery sample have their times (protocol 6.3).
/// 7. ``FirmwareTransfer`` updates the firmware, beside everything else (protocol 9.4).
/// 8. With a Flic Twist, which has numbers of its own, ``Dialect`` translates at the edge: everything inside knows ``Packet/sessionOpcode``s only.
///
/// The life of a session:
/// ```
/// idle ──start──▶ verifying ──▶ initialising (→ 23 is out) ──▶ running (start-up complete)
///                    └──────────────┴───────────┴──▶ over (failed, unpaired, or ended by either side)
/// ```
/// A session is used once. To start over on the same link, make a new one: nothing of the old one may survive (protocol 6.3).
package struct HostSession: Sendable {
    /// Flag of FullVerifyRequest2: the client understands Duo packets.
    package static let duoFlag: UInt8 = 0x80

    enum Phase {
        case idle
        case verifying(Verification, deadline: Duration)
        case initialising
        case running(nextBattery: Duration)
        case over
    }

    var settings: SessionSettings
    let mtu: Int
    let isPairing: Bool
    let peer: Peer
    private let memory: Memory?
    private let flags: UInt8

    var phase = Phase.idle
    /// The boot of the button that events belong to: that in the memory, until the button has named another.
    package var bootID: UInt32 { duoEvents?.bootID ?? events.bootID }
    /// The id of the logical connection; nil before the button has assigned one.
    package private(set) var connectionID: UInt8?
    var outgoing: PacketSigner?
    var events: EventStream
    /// Takes the place of ``events`` if the button is a Flic Duo.
    var duoEvents: DuoEvents?
    /// Where a Flic Twist is turned to.
    var rotation: TwistRotation
    /// How a Flic Twist has been told to behave, with the positions of the start; nil before.
    var toldTwist: Twist.Configuration?
    var requests = RequestQueue()
    var silence = Silence()
    var names: NameSync
    var firmwareVersion: UInt32
    /// The button advertises as is wished for.
    var isAdvertisingConfigured: Bool
    /// What an unanswered request sets.
    var requestedAdvertising: SessionSettings.Advertising?
    /// What the button was told last in this session, in seconds.
    var toldAutoDisconnectTime: UInt16?
    /// The firmware update under way.
    var transfer: FirmwareTransfer?
    /// Updates that were given up before the answer to their start; it is still to come.
    var abandonedStarts = 0
    private var incoming: PacketSigner?
    private var assembler = FrameAssembler()
    private var lastFrame: [UInt8] = []
    /// A packet of a Flic Twist under the number that is used here. Reused, so that an event costs no allocation.
    var renumbered: [UInt8] = []
    /// Hears each call and its answer. Nothing is made for it where there is none.
    package var observer: Observer?

    /// - Parameters:
    ///   - memory: What is known of the button, to verify a pairing; nil to pair.
    ///   - mtu: The ATT MTU of the link; values outside 23 to 140 are taken as the nearest of them. A session with a Flic Twist fails below 140.
    ///   - flags: Flags of FullVerifyRequest2; ``duoFlag`` for clients that understand Duo packets. It has its own place in Quick Verify.
    package init(peer: Peer, memory: Memory?, mtu: Int, settings: SessionSettings = SessionSettings(), flags: UInt8 = 0) {
        self.peer = peer
        self.memory = memory
        self.mtu = mtu
        self.settings = settings
        self.flags = peer.dialect == .flic2 ? flags : 0
        isPairing = memory == nil
        events = EventStream(stored: memory?.position ?? EventPosition())
        rotation = TwistRotation(settings.twist)
        names = NameSync(name: memory?.name ?? ButtonName(""), pending: memory?.pendingRename)
        firmwareVersion = memory?.firmwareVersion ?? 0
        isAdvertisingConfigured = memory?.isAdvertisingConfigured ?? false
    }

    /// Whether the session is verified and has not ended.
    package var isEstablished: Bool {
        switch phase {
        case .initialising, .running: true
        case .idle, .verifying, .over: false
        }
    }

    /// When ``tick(now:into:)`` has something to do.
    package var deadline: Duration? {
        switch phase {
        case .idle, .over: nil
        case .verifying(_, let deadline): deadline
        case .initialising: requests.deadline
        case .running(let nextBattery): [requests.deadline, silence.deadline, transfer?.deadline].reduce(nextBattery) { min($0, $1 ?? $0) }
        }
    }

    /// Starts the session; the link is up and its notifications are on.
    package mutating func start(random: Randomness, now: Duration, into actions: inout [Action]) {
        guard case .idle = phase else { return }
        let first = actions.count
        defer { observer?(.start(beginning), now, actions[first...]) }
        guard peer.dialect.hasFrames || mtu >= Twist.smallestMTU else { return end(with: .failed(.mtuTooSmall(mtu)), into: &actions) }
        let verification = Verification(pairing: memory?.pairing, peer: peer, random: random, flags: flags)
        phase = .verifying(verification, deadline: now + settings.verificationTimeout)
        send(unsigned: verification.opening, connectionID: 0, into: &actions)
    }

    /// Receives a frame. Appends to `actions`, which the driver keeps and empties, so that an event costs no allocation.
    package mutating func receive(_ frame: Span<UInt8>, now: Duration, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.receive, now, actions[first...]) }
        switch phase {
        case .idle, .over:
            actions.append(.ignored(.noSession))
            return
        case .verifying, .initialising, .running:
            break
        }
        // Where two programs listen to one characteristic, bluetoothd signals every notification twice (contract B92). No button sends
        // the same frame twice in a row: signatures count, and no packet holds two equal fragments next to each other.
        guard !isRepetition(of: frame) else {
            actions.append(.ignored(.repeated))
            return
        }
        guard peer.dialect.hasFrames else { return receiveUnframed(frame, now: now, into: &actions) }
        switch assembler.receive(frame, client: connectionID ?? 0) {
        case .tooShort: actions.append(.ignored(.tooShort))
        case .notMine: actions.append(.ignored(.notMine))
        case .oversize: actions.append(.ignored(.oversize))
        case .partial: break
        case .whole(let header):
            receive(packet: frame.extracting(1..<frame.count), header, now: now, into: &actions)
        case .completed(let header):
            let packet = assembler.take(header)
            receive(packet: packet.span, header, now: now, into: &actions)
        }
    }

    /// Whether the frame is the last one again. Remembers it otherwise.
    private mutating func isRepetition(of frame: Span<UInt8>) -> Bool {
        if lastFrame.count == frame.count, !frame.isEmpty {
            var isEqual = true
            for index in frame.indices where frame[index] != lastFrame[index] {
                isEqual = false
                break
            }
            if isEqual { return true }
        }
        lastFrame.removeAll(keepingCapacity: true)
        for index in frame.indices { lastFrame.append(frame[index]) }
        return false
    }

    /// A value of a Flic Twist is a packet. There is but one client, so that everything has the id zero.
    private mutating func receiveUnframed(_ packet: Span<UInt8>, now: Duration, into actions: inout [Action]) {
        guard !packet.isEmpty else { return actions.append(.ignored(.tooShort)) }
        guard packet.count <= Twist.largestPacket else { return actions.append(.ignored(.oversize)) }
        receive(packet: packet, FrameHeader(connectionID: 0), now: now, into: &actions)
    }

    private mutating func receive(packet: Span<UInt8>, _ header: FrameHeader, now: Duration, into actions: inout [Action]) {
        if case .verifying(var verification, let deadline) = phase {
            var outcome = Verification.Outcome.ignored(.tooShort)
            renumbering(packet) { outcome = verification.receive($1, signed: packet, header) }
            phase = .verifying(verification, deadline: deadline)
            connectionID = verification.connectionID
            apply(outcome, now: now, into: &actions)
            return
        }
        guard header.connectionID == connectionID else {
            actions.append(.ignored(.notMine))
            return
        }
        guard packet.count >= PacketSigner.smallestPacket else {
            actions.append(.ignored(.tooShort))
            return
        }
        guard incoming?.check(packet) == true else {
            // Give the id back, so that a new session on this link finds room (protocol 5.6).
            send(DisconnectVerifiedLinkInd(), into: &actions)
            end(with: .failed(.packetSignatureMismatch), into: &actions)
            return
        }
        renumbering(packet.extracting(0..<packet.count - PacketSigner.tagLength)) { $0.receive(body: $1, now: now, into: &actions) }
    }

    private mutating func apply(_ outcome: Verification.Outcome, now: Duration, into actions: inout [Action]) {
        switch outcome {
        case .ignored(let reason):
            actions.append(.ignored(reason))
        case .send(let body):
            send(unsigned: body, connectionID: connectionID ?? 0, into: &actions)
        case .failed(let failure):
            end(with: .failed(failure), into: &actions)
        case .unpaired:
            end(with: .unpaired, into: &actions)
        case .established(let key, let checked, let isDuo, let paired):
            incoming = checked
            outgoing = PacketSigner(key: key, direction: .toButton)
            phase = .initialising
            if let paired {
                firmwareVersion = paired.firmwareVersion
                names = NameSync(name: paired.name, pending: names.pending)
                actions.append(.paired(paired))
            }
            if isDuo {
                duoEvents = DuoEvents(stored: memory?.position ?? EventPosition())
                if memory?.isDuo == false { actions.append(.isDuo) }
            }
            actions.append(.verified)
            requestEvents(now: now, into: &actions)
        }
    }

    private var beginning: Beginning { Beginning(peer: peer, memory: memory, mtu: mtu, settings: settings, flags: flags) }

    /// Does what is due at `now`.
    package mutating func tick(now: Duration, into actions: inout [Action]) {
        guard let deadline, deadline <= now else { return }
        let first = actions.count
        defer { observer?(.tick, now, actions[first...]) }
        switch phase {
        case .idle, .over: break
        case .verifying:
            abortVerification(into: &actions)
            end(with: .failed(.timedOut), into: &actions)
        case .initialising, .running:
            if let request = requests.overdue(now: now) {
                send(DisconnectVerifiedLinkInd(), into: &actions)
                end(with: .failed(.unanswered(opcode: request.opcode)), into: &actions)
                return
            }
            if case .running(let nextBattery) = phase, nextBattery <= now { requestBattery(now: now, into: &actions) }
            if silence.isTooLong(now: now) { askAnything(now: now, into: &actions) }
            tickFirmware(now: now, into: &actions)
        }
    }

    // MARK: The end

    /// Ends the session without touching the link. The button frees the id; no answer is waited for.
    package mutating func close(into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.close, nil, actions[first...]) }
        if isEstablished { send(DisconnectVerifiedLinkInd(), into: &actions) }
        if case .verifying = phase { abortVerification(into: &actions) }
        forget()
    }

    /// Gives the id of an unfinished verification back, if there is one: on a link that others share it would stay taken (protocol 4.2).
    private func abortVerification(into actions: inout [Action]) {
        guard let connectionID else { return }
        send(unsigned: FullVerifyAbortInd().body, connectionID: connectionID, into: &actions)
    }

    // MARK: Sending and ending

    mutating func send(_ packet: some Packet, into actions: inout [Action]) {
        send(body: packet.sessionBody, into: &actions)
    }

    mutating func send(body: consuming [UInt8], into actions: inout [Action]) {
        guard let body = numbered(body), let packet = outgoing?.sign(body) else { return }
        put(packet, connectionID: connectionID ?? 0, into: &actions)
    }

    private func send(unsigned body: consuming [UInt8], connectionID: UInt8, into actions: inout [Action]) {
        if let packet = numbered(body) { put(packet, connectionID: connectionID, into: &actions) }
    }

    mutating func end(with action: Action, into actions: inout [Action]) {
        forget()
        actions.append(action)
    }

    /// The session is over: without keys nothing can be sent or received any more.
    private mutating func forget() {
        phase = .over
        incoming = nil
        outgoing = nil
        assembler = FrameAssembler()
        transfer = nil
    }
}
