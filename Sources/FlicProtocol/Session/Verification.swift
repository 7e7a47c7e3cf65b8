/// The opening of a session: pairing, verifying a stored pairing, and the test whether a pairing is really gone (protocol 5, 6.2).
///
/// ```
/// pair:    start ── → 0 ──▶ full 1 ── ← 0 / → 2 ──▶ full 2 ── ← 1 ──▶ established
/// resume:  start ── → 5 ──▶ quick ── ← 8 ──▶ established
///                             └───── ← 6 / → 0 ──▶ test 1 ── ← 0 / → 4 ──▶ test 2 ── ← 4 ──▶ unpaired or failed
/// ```
///
/// Packets that do not fit the state, and answers that carry another client's temporary id, are ignored without leaving it.
struct Verification: Sendable {
    /// What follows from a packet.
    enum Outcome {
        case ignored(HostSession.IgnoreReason)
        /// Send this body with the connection id that the machine now has.
        case send([UInt8])
        case established(key: ChaskeyLTS, checked: PacketSigner, isDuo: Bool, paired: PairedButton?)
        case failed(HostSession.Failure)
        case unpaired
    }

    private enum State: Sendable {
        case full1
        case full2(KeyAgreement)
        case quick(Pairing)
        case test1(Pairing)
        case test2(exists: SecretBytes, gone: SecretBytes)
    }

    private let peer: HostSession.Peer
    private let random: HostSession.Randomness
    private let flags: UInt8
    private var state: State
    /// The id of the logical connection; nil before the button has assigned one.
    private(set) var connectionID: UInt8?

    init(pairing: Pairing?, peer: HostSession.Peer, random: HostSession.Randomness, flags: UInt8) {
        self.peer = peer
        self.random = random
        self.flags = flags
        state = pairing.map { .quick($0) } ?? .full1
    }

    /// The button is told so, and then uses the packets of a Duo if it is one (protocol 13.1).
    private var understandsDuo: Bool { flags & HostSession.duoFlag != 0 }

    /// The first packet.
    var opening: [UInt8] {
        guard case .quick(let pairing) = state else { return fullVerifyRequest1 }
        var request = QuickVerifyRequest()
        request.clientRandom = random.quickVerify
        request.supportsDuo = understandsDuo
        request.tmpID = random.temporaryID
        request.pairingIdentifier = pairing.identifier
        return request.body
    }

    private var fullVerifyRequest1: [UInt8] {
        var request = FullVerifyRequest1()
        request.tmpID = random.temporaryID
        return request.body
    }

    /// - Parameters:
    ///   - packet: Under the number that is used here.
    ///   - signed: The same as it was received.
    mutating func receive(_ packet: Span<UInt8>, signed: Span<UInt8>, _ header: FrameHeader) -> Outcome {
        let opcode = packet[0]
        // Until an id is assigned, only what is sent to everybody or assigns one is of interest (protocol 3).
        if let connectionID, header.connectionID != connectionID { return .ignored(.notMine) }
        switch (state, opcode) {
        case (.full1, FullVerifyResponse1.opcode):
            return beginFullVerify(packet, header)
        case (.test1(let pairing), FullVerifyResponse1.opcode):
            return beginTest(of: pairing, packet, header)
        case (.full2(let agreement), FullVerifyResponse2.opcode):
            return endFullVerify(packet, signed: signed, agreement)
        case (.full2, FullVerifyFailResponse.opcode):
            guard let response = FullVerifyFailResponse(body: packet) else { return .ignored(.tooShort) }
            return .failed([.invalidVerifier, .notInPublicMode][safe: Int(response.reason)] ?? .unknownRefusal(response.reason))
        case (.quick(let pairing), QuickVerifyResponse.opcode):
            return endQuickVerify(packet, signed: signed, header, pairing)
        case (.quick(let pairing), QuickVerifyNegativeResponse.opcode):
            guard let response = QuickVerifyNegativeResponse(body: packet) else { return .ignored(.tooShort) }
            guard response.tmpID == random.temporaryID else { return .ignored(.foreignTemporaryID) }
            state = .test1(pairing)  // the answer is unsigned, so anybody could have sent it (protocol 4.2)
            return .send(fullVerifyRequest1)
        case (.test2(let exists, let gone), TestIfReallyUnpairedResponse.opcode):
            guard let response = TestIfReallyUnpairedResponse(body: packet) else { return .ignored(.tooShort) }
            let result = SecretBytes(response.result)
            return result == gone ? .unpaired : .failed(result == exists ? .pairingDeniedButPresent : .invalidCalculatedSignature)
        case (.full1, NoLogicalConnectionSlotsInd.opcode), (.test1, NoLogicalConnectionSlotsInd.opcode),
            (.quick, NoLogicalConnectionSlotsInd.opcode):
            guard let response = NoLogicalConnectionSlotsInd(body: packet) else { return .ignored(.tooShort) }
            guard response.tmpIDs.contains(TemporaryID(random.temporaryID)) else { return .ignored(.foreignTemporaryID) }
            return .failed(.tooManyApps)
        default:
            return .ignored(opcode < PacketCatalog.fromButton.count ? .unexpected(opcode: opcode) : .unknown(opcode: opcode))
        }
    }

    // MARK: Full Verify

    /// The certificate check (protocol 5.1), common to pairing and test.
    private mutating func agree(
        _ packet: Span<UInt8>,
        _ header: FrameHeader,
        flags: UInt8,
        then next: (inout Verification, KeyAgreement, _ publicKey: [UInt8]) -> Outcome
    ) -> Outcome {
        guard let response = FullVerifyResponse1(body: packet) else { return .ignored(.tooShort) }
        guard response.tmpID == random.temporaryID else { return .ignored(.foreignTemporaryID) }
        connectionID = header.connectionID
        guard response.address == peer.address, response.addressType == 0 else { return .failed(.unexpectedAddress) }
        let certificate = ButtonCertificate(
            address: response.address,
            addressType: response.addressType,
            publicKey: response.publicKey,
            signature: response.signature
        )
        guard let hiddenBits = certificate.hiddenBits(root: peer.root),
            let publicKey = Sodium.publicKey(of: random.privateKey),
            let agreement = KeyAgreement(
                privateKey: random.privateKey,
                peerKey: response.publicKey,
                hiddenBits: hiddenBits,
                buttonRandom: response.buttonRandom,
                clientRandom: random.fullVerify,
                flags: flags
            )
        else { return .failed(.invalidCertificate) }
        return next(&self, agreement, publicKey)
    }

    private mutating func beginFullVerify(_ packet: Span<UInt8>, _ header: FrameHeader) -> Outcome {
        agree(packet, header, flags: flags) { machine, agreement, publicKey in
            // A button in private mode refuses by itself; going on keeps the two ends in step (protocol 6.2).
            var request = FullVerifyRequest2WithoutAppToken()
            request.publicKey = publicKey
            request.clientRandom = machine.random.fullVerify
            request.supportsDuo = machine.understandsDuo
            request.verifier = agreement.verifier.withBytes { Array($0) }
            machine.state = .full2(agreement)
            return .send(request.body)
        }
    }

    private func endFullVerify(_ packet: Span<UInt8>, signed: Span<UInt8>, _ agreement: KeyAgreement) -> Outcome {
        guard packet.count >= PacketSigner.smallestPacket else { return .ignored(.tooShort) }
        let key = agreement.sessionKey
        var signer = PacketSigner(key: key, direction: .fromButton)
        guard signer.check(signed) else { return .failed(.invalidCalculatedSignature) }
        guard let response = FullVerifyResponse2(body: packet.extracting(0..<packet.count - PacketSigner.tagLength)) else {
            return .ignored(.tooShort)
        }
        guard response.appCredentialsMatch || !response.caresAboutAppCredentials else { return .failed(.appCredentialsDenied) }
        return .established(
            key: key,
            checked: signer,
            isDuo: understandsDuo && response.isDuo,
            paired: PairedButton(pairing: agreement.pairing, response: response, dialect: peer.dialect)
        )
    }

    // MARK: Quick Verify

    private mutating func endQuickVerify(
        _ packet: Span<UInt8>,
        signed: Span<UInt8>,
        _ header: FrameHeader,
        _ pairing: Pairing
    ) -> Outcome {
        guard packet.count >= PacketSigner.smallestPacket,
            let response = QuickVerifyResponse(body: packet.extracting(0..<packet.count - PacketSigner.tagLength))
        else { return .ignored(.tooShort) }
        guard response.tmpID == random.temporaryID else { return .ignored(.foreignTemporaryID) }
        connectionID = header.connectionID
        let key = ChaskeyLTS(
            key: ChaskeyLTS.quickVerifyKey(
                pairing: pairing,
                clientRandom: random.quickVerify,
                flags: understandsDuo ? 0x40 : 0,
                buttonRandom: response.buttonRandom
            )
        )
        var signer = PacketSigner(key: key, direction: .fromButton)
        guard signer.check(signed) else { return .failed(.quickVerifySignatureMismatch) }
        return .established(key: key, checked: signer, isDuo: understandsDuo && response.isDuo, paired: nil)
    }

    // MARK: Test if really unpaired

    private mutating func beginTest(of pairing: Pairing, _ packet: Span<UInt8>, _ header: FrameHeader) -> Outcome {
        agree(packet, header, flags: 0) { machine, agreement, publicKey in
            let token = agreement.pairingToken(of: pairing)
            var request = TestIfReallyUnpairedRequest()
            request.publicKey = publicKey
            request.clientRandom = machine.random.fullVerify
            request.pairingIdentifier = pairing.identifier
            request.pairingToken = token.withBytes { Array($0) }
            machine.state = .test2(exists: agreement.existsResult(token: token), gone: agreement.notExistsResult(token: token))
            return .send(request.body)
        }
    }
}

extension Array {
    /// The element, or nil where there is none.
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
