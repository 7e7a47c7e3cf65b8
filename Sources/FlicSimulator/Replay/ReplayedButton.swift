import FlicClient
import FlicProtocol

/// The button's side of a session that is replayed: it knows no key of the recording, so it agrees upon new ones with the replayed host,
/// and signs anew what the recorded host accepted.
struct ReplayedButton {
    /// Made up, and no secret: equal in all replays.
    static let privateKey = Sodium.sha256(SecretBytes("flickit replay".utf8), [1])
    static let pairingKey = Sodium.sha256(SecretBytes("flickit replay".utf8), [2]).withBytes { Array($0.prefix(16)) }

    private let root: [UInt8]
    private let dialect: Dialect
    private let pairing: Pairing?
    private let temporaryID: UInt32
    private var quick: (request: QuickVerifyRequest, flags: UInt8)?
    private var certificate: FullVerifyResponse1?
    private var agreement: KeyAgreement?
    private var results: (exists: SecretBytes, gone: SecretBytes)?
    private var signer: PacketSigner?

    init(_ beginning: HostSession.Beginning, temporaryID: UInt32) {
        root = beginning.peer.root
        dialect = beginning.peer.dialect
        pairing = beginning.memory?.pairing
        self.temporaryID = temporaryID
    }

    /// There is a session key.
    var hasKey: Bool { signer != nil }

    // MARK: From the host

    /// The replayed host has sent a packet.
    mutating func receive(_ packet: [UInt8]) {
        guard signer == nil else { return }
        if let request = QuickVerifyRequest(body: packet.span) {
            quick = (request, packet[8])
        } else if let request = FullVerifyRequest2WithoutAppToken(body: packet.span) {
            agreement = agree(request.clientRandom, flags: packet[41])
        } else if let request = TestIfReallyUnpairedRequest(body: packet.span), let agreement = agree(request.clientRandom, flags: 0) {
            let token = SecretBytes(request.pairingToken)
            results = (agreement.existsResult(token: token), agreement.notExistsResult(token: token))
        }
    }

    /// What the host has agreed upon, from its own point of view: the private key of the button is not known.
    private func agree(_ clientRandom: [UInt8], flags: UInt8) -> KeyAgreement? {
        guard let certificate else { return nil }
        let signed = ButtonCertificate(
            address: certificate.address,
            addressType: certificate.addressType,
            publicKey: certificate.publicKey,
            signature: certificate.signature
        )
        return signed.hiddenBits(root: root).flatMap { hidden in
            KeyAgreement(
                privateKey: Self.privateKey,
                peerKey: certificate.publicKey,
                hiddenBits: hidden,
                buttonRandom: certificate.buttonRandom,
                clientRandom: clientRandom,
                flags: flags
            )
        }
    }

    // MARK: To the host

    /// A recorded packet as it has to be for the replayed host.
    ///
    /// - Parameters:
    ///   - isForSession: It has the id of the session.
    ///   - decisions: What the recorded host made of it. A signature or proof that it did not accept stays as it is: wrong.
    /// - Returns: As many bytes.
    mutating func packet(_ recorded: [UInt8], isForSession: Bool, _ decisions: [TraceAction]) -> [UInt8] {
        guard let opcode = recorded.first else { return recorded }
        let packet = [dialect.sessionOpcode(of: opcode, .fromButton)] + recorded.dropFirst()
        let answer = self.answer(packet, isForSession: isForSession, decisions, signing: recorded)
        return [opcode] + answer.dropFirst()
    }

    /// - Parameters:
    ///   - packet: Under the number that sessions use.
    ///   - recorded: The same as it is on the air, which is what is signed.
    private mutating func answer(_ packet: [UInt8], isForSession: Bool, _ decisions: [TraceAction], signing recorded: [UInt8]) -> [UInt8] {
        let failure = decisions.first { $0.action == "failed" }?.reason
        guard signer == nil else {
            guard isForSession, packet.count >= PacketSigner.smallestPacket, failure != "packetSignatureMismatch" else { return packet }
            return sign(recorded)
        }
        switch packet.first {
        case FullVerifyResponse1.opcode:
            if let response = FullVerifyResponse1(body: packet.span), response.tmpID == temporaryID { certificate = response }
        case QuickVerifyResponse.opcode:
            let body = Array(packet.dropLast(PacketSigner.tagLength))
            guard packet.count >= PacketSigner.smallestPacket, let quick, let pairing,
                let response = QuickVerifyResponse(body: body.span), response.tmpID == temporaryID,
                failure != "quickVerifySignatureMismatch"
            else { break }
            let key = ChaskeyLTS.quickVerifyKey(
                pairing: pairing,
                clientRandom: quick.request.clientRandom,
                flags: quick.flags,
                buttonRandom: response.buttonRandom
            )
            signer = PacketSigner(key: ChaskeyLTS(key: key), direction: .fromButton)
            return sign(recorded)
        case FullVerifyResponse2.opcode:
            guard packet.count >= PacketSigner.smallestPacket, isForSession, let agreement, failure != "invalidCalculatedSignature" else { break }
            signer = PacketSigner(key: agreement.sessionKey, direction: .fromButton)
            return sign(recorded)
        case TestIfReallyUnpairedResponse.opcode:
            guard packet.count > 16, let results else { break }
            if decisions.contains(where: { $0.action == "unpaired" }) { return Self.packet(packet, proving: results.gone) }
            if failure == "pairingDeniedButPresent" { return Self.packet(packet, proving: results.exists) }
        default: break
        }
        return packet
    }

    private mutating func sign(_ packet: [UInt8]) -> [UInt8] {
        signer?.sign(Array(packet.dropLast(PacketSigner.tagLength))) ?? packet
    }

    private static func packet(_ packet: [UInt8], proving result: SecretBytes) -> [UInt8] {
        [packet[0]] + result.withBytes { Array($0) } + packet[17...]
    }
}
