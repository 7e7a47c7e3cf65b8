import FlicProtocol

/// The button's half of the protocol, as far as transcripts need it: it makes the frames that a button sends, and those that a
/// client has to send to it. What it says and when is up to the test.
struct ScriptedButton: Sendable {
    static let factorySeed = [UInt8](repeating: 0x46, count: 32)
    /// The key that signs the certificates of these buttons.
    static let root = Sodium.signingPublicKey(seed: factorySeed)!
    static let pairing = Pairing(SecretBytes([UInt8](0x50..<0x64)))!

    var address: [UInt8] = [0x56, 0x34, 0x12, 0xDA, 0xE4, 0x80]
    var privateKey = SecretBytes([UInt8](repeating: 0x42, count: 32))
    var random: [UInt8] = [0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7]
    /// The id that it gives to the client.
    var connectionID: UInt8
    var mtu: Int
    /// As the client sends them; ``HostSession/duoFlag`` or nothing.
    var flags: UInt8
    /// A Flic Twist says and hears packets without frames.
    var dialect = Dialect.flic2

    /// Signs what the button says; nil without a session.
    private var mouth: PacketSigner?
    /// Signs what the client has to say.
    private var ear: PacketSigner?

    init(connectionID: UInt8 = 5, mtu: Int = 140, flags: UInt8 = 0, dialect: Dialect = .flic2) {
        self.dialect = dialect
        self.connectionID = connectionID
        self.mtu = mtu
        self.flags = flags
    }

    // MARK: Speaking

    /// The frames of a packet, signed in a session if it is a packet that is.
    mutating func says<Spoken: Packet>(_ packet: Spoken, id: UInt8? = nil, isNewlyAssigned: Bool? = nil) -> [[UInt8]] {
        precondition(Spoken.direction == .fromButton)
        let givesID = Spoken.self == FullVerifyResponse1.self || Spoken.self == QuickVerifyResponse.self
        let isForAll = Spoken.self == NoLogicalConnectionSlotsInd.self || Spoken.self == QuickVerifyNegativeResponse.self
        return says(
            body: packet.body,
            isSigned: Spoken.signing != .never,
            id: id ?? (isForAll ? 0 : connectionID),
            isNewlyAssigned: isNewlyAssigned ?? givesID
        )
    }

    /// The frames of any bytes.
    mutating func says(body: [UInt8], isSigned: Bool = true, id: UInt8? = nil, isNewlyAssigned: Bool = false) -> [[UInt8]] {
        let packet = isSigned ? mouth!.sign(body) : body
        guard dialect.hasFrames else { return [packet] }
        return Fragmentation.frames(of: packet, connectionID: id ?? connectionID, isNewlyAssigned: isNewlyAssigned, mtu: mtu)
    }

    // MARK: Listening

    /// What a client does that sends this packet next.
    mutating func hears<Heard: Packet>(_ packet: Heard) -> [HostSession.Action] {
        precondition(Heard.direction == .toButton)
        let asksForID = Heard.self == FullVerifyRequest1.self || Heard.self == QuickVerifyRequest.self
        let bytes = Heard.signing == .never ? packet.body : ear!.sign(packet.body)
        guard dialect.hasFrames else { return [.send(bytes)] }
        return Fragmentation.frames(of: bytes, connectionID: asksForID ? 0 : connectionID, mtu: mtu).map { .send($0) }
    }

    /// Whether the client may have sent this frame next: a whole packet with the right signature.
    mutating func understands(_ frame: [UInt8]) -> Bool {
        guard dialect.hasFrames else { return ear!.check(frame.span) }
        guard frame.first == connectionID else { return false }
        return ear!.check(frame.span.extracting(1..<frame.count))
    }

    // MARK: Keys

    /// The agreement with the client of these tests, computed on this side.
    func agreement(with client: HostSession.Randomness = .scripted, flags: UInt8) -> KeyAgreement {
        KeyAgreement(
            privateKey: privateKey,
            peerKey: Sodium.publicKey(of: client.privateKey)!,
            hiddenBits: hiddenBits,
            buttonRandom: random,
            clientRandom: client.fullVerify,
            flags: flags
        )!
    }

    private mutating func beginSession(_ key: ChaskeyLTS) {
        mouth = PacketSigner(key: key, direction: .fromButton)
        ear = PacketSigner(key: key, direction: .toButton)
    }

    /// From here on there is the session of a pairing.
    mutating func beginFullSession() { beginSession(agreement(flags: flags).sessionKey) }

    /// From here on there is the session of a stored pairing.
    mutating func beginQuickSession(with client: HostSession.Randomness = .scripted) {
        let block = ChaskeyLTS.quickVerifyKey(
            pairing: Self.pairing,
            clientRandom: client.quickVerify,
            flags: flags == 0 ? 0 : 0x40,
            buttonRandom: random
        )
        beginSession(ChaskeyLTS(key: block))
    }

    // MARK: Certificate

    private var genuineSignature: [UInt8] {
        let certificate = ButtonCertificate(address: address, addressType: 0, publicKey: Sodium.publicKey(of: privateKey)!, signature: [])
        return Sodium.sign(certificate.signedMessage, seed: Self.factorySeed)!
    }

    /// The bits that the factory has hidden.
    private var hiddenBits: UInt8 { genuineSignature[32] & 3 }

    /// The first answer of a Full Verify.
    var certificate: FullVerifyResponse1 {
        .with {
            $0.tmpID = HostSession.Randomness.scripted.temporaryID
            $0.signature = genuineSignature
            $0.signature[32] ^= 0b10  // what is sent of the hidden bits means nothing
            $0.address = address
            $0.publicKey = Sodium.publicKey(of: privateKey)!
            $0.buttonRandom = random
            $0.isInPublicMode = true
        }
    }

    /// A certificate that the factory has signed whatever is in it.
    func certificate(_ setFields: (inout FullVerifyResponse1) -> Void) -> FullVerifyResponse1 {
        var response = certificate
        setFields(&response)
        let message = response.address + [response.addressType] + response.publicKey
        response.signature = Sodium.sign(message, seed: Self.factorySeed)!
        return response
    }
}
