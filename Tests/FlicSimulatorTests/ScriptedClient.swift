import FlicProtocol
import FlicSimulator

/// A client without a mind of its own: it makes the frames that a test asks for, and opens what it gets.
struct ScriptedClient {
    let temporaryID: UInt32
    var mtu = 140
    var pairing: Pairing?
    /// The id that the button has given; 0 for none.
    private(set) var id: UInt8 = 0
    /// Bodies of all packets that were for this client, signatures checked and removed.
    private(set) var received: [[UInt8]] = []
    /// Number of packets whose signature was wrong.
    private(set) var wrongSignatures = 0

    /// The button has ended the session: its id belongs to others now.
    private var isOver = false
    private var assembler = FrameAssembler()
    private var outgoing: PacketSigner?
    private var incoming: PacketSigner?
    private var quickVerify: QuickVerifyRequest?
    private var nextKey: (pairing: Pairing, key: ChaskeyLTS)?

    init(_ temporaryID: UInt32, pairing: Pairing? = nil) {
        self.temporaryID = temporaryID
        self.pairing = pairing
    }

    /// Forgets what belongs to a link.
    mutating func startOver() {
        self = ScriptedClient(temporaryID, pairing: pairing)
    }

    // MARK: Sending

    /// The frames of a packet, signed if it has to be.
    mutating func frames(_ packet: some Packet) -> [[UInt8]] {
        let isSigned = type(of: packet).signing != .never && outgoing != nil
        return frames(isSigned ? outgoing!.sign(packet.body) : packet.body)
    }

    /// The frames of any bytes, rightly signed.
    mutating func signedFrames(_ body: [UInt8]) -> [[UInt8]] {
        frames(outgoing?.sign(body) ?? body)
    }

    /// The frames of any bytes.
    func frames(_ packet: [UInt8]) -> [[UInt8]] {
        Fragmentation.frames(of: packet, connectionID: id, mtu: mtu)
    }

    func beginFullVerify() -> [[UInt8]] {
        var request = FullVerifyRequest1()
        request.tmpID = temporaryID
        return Fragmentation.frames(of: request.body, connectionID: 0, mtu: mtu)
    }

    mutating func beginQuickVerify(flags: UInt8 = 0) -> [[UInt8]] {
        var request = QuickVerifyRequest()
        request.clientRandom = (1...7).map { UInt8($0) }
        request.supportsDuo = flags == 0x40
        request.tmpID = temporaryID
        request.pairingIdentifier = pairing?.identifier ?? 0
        quickVerify = request
        return Fragmentation.frames(of: request.body, connectionID: 0, mtu: mtu)
    }

    /// Answers the certificate. Keys are fixed: nothing here is secret.
    ///
    /// - Parameter change: Spoils the request.
    mutating func finishFullVerify(flags: UInt8 = 0, _ change: (inout FullVerifyRequest2WithoutAppToken) -> Void = { _ in }) -> [[UInt8]] {
        guard let (agreement, publicKey, random) = agree(flags: flags) else { return [] }
        var request = FullVerifyRequest2WithoutAppToken()
        request.publicKey = publicKey
        request.clientRandom = random
        request.supportsDuo = flags == 0x80
        request.verifier = agreement.verifier.bytes
        change(&request)
        nextKey = (agreement.pairing, agreement.sessionKey)
        return frames(request)
    }

    mutating func finishFullVerify(credential: [UInt8]) -> [[UInt8]] {
        guard let (agreement, publicKey, random) = agree(flags: 0) else { return [] }
        let (token, verifier) = agreement.verifier(credential: credential)
        var request = FullVerifyRequest2WithAppToken()
        request.publicKey = publicKey
        request.clientRandom = random
        request.encryptedAppToken = token
        request.verifier = verifier.bytes
        nextKey = (agreement.pairing, agreement.sessionKey)
        return frames(request)
    }

    /// Asks whether a pairing is really gone, and says how a proof of either would look.
    mutating func testPairing(_ pairing: Pairing) -> (frames: [[UInt8]], exists: [UInt8], notExists: [UInt8])? {
        guard let (agreement, publicKey, random) = agree(flags: 0) else { return nil }
        let token = agreement.pairingToken(of: pairing)
        var request = TestIfReallyUnpairedRequest()
        request.publicKey = publicKey
        request.clientRandom = random
        request.pairingIdentifier = pairing.identifier
        request.pairingToken = token.bytes
        return (frames(request), agreement.existsResult(token: token).bytes, agreement.notExistsResult(token: token).bytes)
    }

    private func agree(flags: UInt8) -> (KeyAgreement, publicKey: [UInt8], random: [UInt8])? {
        guard let answer = packets(FullVerifyResponse1.self).last else { return nil }
        let certificate = ButtonCertificate(
            address: answer.address,
            addressType: answer.addressType,
            publicKey: answer.publicKey,
            signature: answer.signature
        )
        let privateKey = SecretBytes([UInt8](repeating: UInt8(truncatingIfNeeded: temporaryID), count: 32))
        let random = [UInt8](repeating: 0x5A, count: 8)
        guard let hidden = certificate.hiddenBits(root: TestRoot.publicKey), let publicKey = Sodium.publicKey(of: privateKey),
            let agreement = KeyAgreement(
                privateKey: privateKey,
                peerKey: answer.publicKey,
                hiddenBits: hidden,
                buttonRandom: answer.buttonRandom,
                clientRandom: random,
                flags: flags
            )
        else { return nil }
        return (agreement, publicKey, random)
    }

    // MARK: Receiving

    mutating func receive(_ frame: [UInt8]) {
        guard !isOver else { return }
        switch assembler.receive(frame.span, client: id) {
        case .whole(let header): open(Array(frame.dropFirst()), header)
        case .completed(let header): open(assembler.take(header), header)
        case .tooShort, .notMine, .oversize, .partial: break
        }
    }

    private mutating func open(_ packet: [UInt8], _ header: FrameHeader) {
        if let answer = FullVerifyResponse1(body: packet.span), outgoing == nil {
            guard answer.tmpID == temporaryID else { return }
            id = header.connectionID
        } else if header.isNewlyAssigned, let request = quickVerify, let answer = QuickVerifyResponse(body: packet.span) {
            guard answer.tmpID == temporaryID, let pairing else { return }
            id = header.connectionID
            let flags: UInt8 = request.supportsDuo ? 0x40 : 0
            let key = ChaskeyLTS.quickVerifyKey(
                pairing: pairing,
                clientRandom: request.clientRandom,
                flags: flags,
                buttonRandom: answer.buttonRandom
            )
            use(ChaskeyLTS(key: key))
        } else if let (pairing, key) = nextKey, packet.first == FullVerifyResponse2.opcode {
            self.pairing = pairing
            use(key)
        }
        guard incoming != nil, header.connectionID != 0 else {
            received.append(packet)
            return
        }
        guard packet.count >= PacketSigner.smallestPacket, incoming?.check(packet.span) == true else {
            wrongSignatures += 1
            return
        }
        received.append(packet.dropLast(PacketSigner.tagLength))
        isOver = packet[0] == DisconnectedVerifiedLinkInd.opcode
    }

    private mutating func use(_ key: ChaskeyLTS) {
        nextKey = nil
        quickVerify = nil
        outgoing = PacketSigner(key: key, direction: .toButton)
        incoming = PacketSigner(key: key, direction: .fromButton)
    }

    /// All received packets of a kind.
    func packets<P: Packet>(_ type: P.Type) -> [P] { received.compactMap { P(body: $0.span) } }

    /// Whether a session exists, as far as the client knows.
    var hasSession: Bool { outgoing != nil && !isOver }
}

extension SecretBytes {
    var bytes: [UInt8] { withBytes { Array($0) } }
}
