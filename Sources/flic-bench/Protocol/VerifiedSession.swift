import FlicProtocol

/// A client's session that runs, and the frames that its button would send.
struct VerifiedSession {
    private static let connectionID: UInt8 = 5
    private static let mtu = 140

    private(set) var session: HostSession
    private var button: PacketSigner

    /// Nil if the session has not come about.
    init?() {
        guard let pairing = Pairing(SecretBytes([UInt8](1...20))) else { return nil }
        let random = HostSession.Randomness(
            temporaryID: 1,
            privateKey: SecretBytes([UInt8](repeating: 1, count: 32)),
            fullVerify: [UInt8](repeating: 2, count: 8),
            quickVerify: [UInt8](repeating: 3, count: 7)
        )
        let buttonRandom = [UInt8](repeating: 4, count: 8)
        let key = ChaskeyLTS.quickVerifyKey(pairing: pairing, clientRandom: random.quickVerify, flags: 0, buttonRandom: buttonRandom)
        session = HostSession(
            peer: HostSession.Peer(address: [1, 2, 3, 4, 5, 6], root: [UInt8](repeating: 0, count: 32)),
            memory: HostSession.Memory(pairing: pairing, position: EventPosition(bootID: 1, eventCount: 4), firmwareVersion: 10),
            mtu: Self.mtu
        )
        button = PacketSigner(key: ChaskeyLTS(key: key), direction: .fromButton)
        var actions: [HostSession.Action] = []
        session.start(random: random, now: .zero, into: &actions)
        var verified = QuickVerifyResponse()
        verified.buttonRandom = buttonRandom
        verified.tmpID = random.temporaryID
        var started = InitButtonEventsResponseWithBootId()
        started.bootID = 1
        started.eventCount = 4
        for frame in [frame(verified.body, isNewlyAssigned: true), frame(started.body)] { session.receive(frame.span, now: .zero, into: &actions) }
        guard session.isRunning else { return nil }
    }

    /// The next frame of the button.
    mutating func frame(_ body: [UInt8], isNewlyAssigned: Bool = false) -> [UInt8] {
        Fragmentation.frames(of: button.sign(body), connectionID: Self.connectionID, isNewlyAssigned: isNewlyAssigned, mtu: Self.mtu)[0]
    }

    /// The next frame of the button, with an event.
    mutating func frame(event code: UInt8, count: UInt32) -> [UInt8] {
        var notification = ButtonEventNotification()
        notification.eventCount = count
        var item = EventItem()
        item.timestamp = UInt64(count) * 100
        item.eventCode = EventCode(code)
        notification.items = [item]
        return frame(notification.body)
    }
}
