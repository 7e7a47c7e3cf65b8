import FlicClient
import FlicProtocol

/// Pairing, and the verification of pairings (protocol 10.1, 5).
extension ButtonFirmware {
    // MARK: Requests without an id

    mutating func open(_ packet: [UInt8]) {
        if let request = FullVerifyRequest1(body: packet.span) {
            beginVerification(request)
        } else if let request = QuickVerifyRequest(body: packet.span) {
            quickVerify(request, flags: packet[8])
        } else if GetFirmwareVersionRequest(body: packet.span) != nil {
            sendFirmwareVersion(to: 0)
        } else if BleSecurityRequestInd(body: packet.span) != nil {
            refuseBonding(on: 0)
        }
    }

    private mutating func beginVerification(_ request: FullVerifyRequest1) {
        let random = randomBytes(8)
        guard !faults.refusesEverybody, let id = allocate(.verifying(random: random, since: clock)) else {
            refuse(request.tmpID)
            return
        }
        var answer = FullVerifyResponse1()
        answer.tmpID = request.tmpID
        answer.address = identity.certificate.address
        answer.addressType = identity.certificate.addressType
        answer.publicKey = identity.certificate.publicKey
        answer.signature = identity.certificate.signature
        answer.buttonRandom = random
        answer.isInPublicMode = isPublic
        if answer.signature.count == 64 {
            // What is sent in the place of the hidden bits means nothing (protocol 5.1).
            answer.signature[32] = answer.signature[32] & 0xFC | randomBytes(1)[0] & 0b11
        }
        switch faults.certificate {
        case .address: if !answer.address.isEmpty { answer.address[0] ^= 1 }
        case .addressType: answer.addressType = 1
        case .signature: if !answer.signature.isEmpty { answer.signature[0] ^= 0x40 }
        case nil: break
        }
        for frame in faults.foreignFrames { put(frame) }
        if faults.answersForeignIDFirst {
            var foreign = answer
            foreign.tmpID ^= 1
            transmit(foreign.body, to: id, isNewlyAssigned: true)
        }
        send(answer, to: id, isNewlyAssigned: true)
    }

    private mutating func quickVerify(_ request: QuickVerifyRequest, flags: UInt8) {
        guard !faults.deniesPairings, let pairing = pairings.use(request.pairingIdentifier) else {
            var answer = QuickVerifyNegativeResponse()
            if faults.answersForeignIDFirst {
                answer.tmpID = request.tmpID ^ 1
                send(answer, to: 0)
            }
            answer.tmpID = request.tmpID
            if !faults.refusesEverybody { send(answer, to: 0) } else { refuse(request.tmpID) }
            return
        }
        for id in sessionIDs where self[id]?.session?.pairing == pairing.identifier { endSession(id, .samePairingElsewhere) }
        let random = randomBytes(8)
        let secret = faults.usesForeignKey ? Pairing(SecretBytes(randomBytes(20))) ?? pairing : pairing
        let key = ChaskeyLTS.quickVerifyKey(pairing: secret, clientRandom: request.clientRandom, flags: flags, buttonRandom: random)
        let session = Session(pairing: pairing.identifier, key: ChaskeyLTS(key: key), understandsDuo: request.supportsDuo, now: clock)
        guard !faults.refusesEverybody, let id = allocate(.session(session)) else {
            refuse(request.tmpID)
            return
        }
        var answer = QuickVerifyResponse()
        answer.buttonRandom = random
        answer.tmpID = request.tmpID
        answer.isDuo = identity.product == .duo
        for frame in faults.foreignFrames { put(frame) }
        if faults.answersForeignIDFirst {
            var foreign = answer
            foreign.tmpID ^= 1
            transmit(foreign.body + [UInt8](repeating: 0, count: PacketSigner.tagLength), to: id, isNewlyAssigned: true)
        }
        send(answer, to: id, isNewlyAssigned: true)
    }

    private mutating func refuse(_ client: UInt32) {
        var answer = NoLogicalConnectionSlotsInd()
        answer.tmpIDs = [TemporaryID(client)]
        if faults.answersForeignIDFirst { answer.tmpIDs.insert(TemporaryID(client ^ 0x55), at: 0) }
        send(answer, to: 0)
    }

    // MARK: Requests during the verification

    mutating func verify(_ packet: [UInt8], on connection: LogicalConnection) {
        guard case .verifying(let random, _) = connection.phase else { return }
        let id = connection.id
        if let request = FullVerifyRequest2WithoutAppToken(body: packet.span) {
            let agreement = agree(request.publicKey, random, request.clientRandom, flags: packet[41])
            let isProven = agreement.map { $0.verifier == SecretBytes(request.verifier) } ?? false
            finishPairing(id, isProven ? agreement : nil, understandsDuo: request.supportsDuo, credential: nil)
        } else if let request = FullVerifyRequest2WithAppToken(body: packet.span) {
            let agreement = agree(request.publicKey, random, request.clientRandom, flags: packet[41])
            // The pad is what an empty credential is hidden in.
            let pad = agreement?.verifier(credential: []).encryptedToken ?? []
            let credential = zip(pad, request.encryptedAppToken).map { $0 ^ $1 }
            let isProven = agreement.map { $0.verifier(credential: credential).verifier == SecretBytes(request.verifier) } ?? false
            finishPairing(id, isProven ? agreement : nil, understandsDuo: request.supportsDuo, credential: credential)
        } else if let request = TestIfReallyUnpairedRequest(body: packet.span) {
            testPairing(request, random, id)
        } else if FullVerifyAbortInd(body: packet.span) != nil {
            release(id)
        } else if GetFirmwareVersionRequest(body: packet.span) != nil {
            sendFirmwareVersion(to: id)
        } else if BleSecurityRequestInd(body: packet.span) != nil {
            refuseBonding(on: id)
        } else if let request = ForceBtDisconnectInd(body: packet.span) {
            disconnect(request)
        }
    }

    private func agree(_ peerKey: [UInt8], _ random: [UInt8], _ clientRandom: [UInt8], flags: UInt8) -> KeyAgreement? {
        KeyAgreement(
            privateKey: identity.privateKey,
            peerKey: peerKey,
            hiddenBits: identity.hiddenBits,
            buttonRandom: random,
            clientRandom: clientRandom,
            flags: flags
        )
    }

    /// - Parameter agreement: nil if the client could not prove that it has agreed to the same.
    private mutating func finishPairing(_ id: UInt8, _ agreement: KeyAgreement?, understandsDuo: Bool, credential: [UInt8]?) {
        // The verifier is looked at first (protocol 10.1).
        let refusal: UInt8? = faults.refusesPairing ?? (agreement == nil ? 0 : isPublic ? nil : 1)
        guard refusal == nil, let agreement else {
            var answer = FullVerifyFailResponse()
            answer.reason = refusal ?? 0
            send(answer, to: id)
            release(id)
            return
        }
        let pairing = agreement.pairing
        pairings.insert(pairing)
        let session = Session(pairing: pairing.identifier, key: agreement.sessionKey, understandsDuo: understandsDuo, now: clock)
        self[id]?.phase = .session(session)
        var answer = FullVerifyResponse2()
        answer.appCredentialsMatch = settings.appCredential.map { $0 == credential } ?? settings.appCredentialsMatch
        answer.caresAboutAppCredentials = settings.caresAboutAppCredentials
        answer.isDuo = identity.product == .duo
        answer.uuid = identity.uuid
        answer.nameLength = UInt8(clamping: name.text.count)
        answer.name = name.text
        answer.firmwareVersion = firmwareVersion
        answer.batteryLevel = batteryLevel
        answer.serialNumber = Array(identity.serialNumber.utf8)
        answer.color = identity.color.map { Array($0.utf8) } ?? (identity.product == .twist ? [] : nil)  // a Twist always has one (protocol 14.2)
        send(answer, to: id)
    }

    /// Proves that a pairing exists or does not (protocol 5.3).
    private mutating func testPairing(_ request: TestIfReallyUnpairedRequest, _ random: [UInt8], _ id: UInt8) {
        defer { release(id) }
        guard let agreement = agree(request.publicKey, random, request.clientRandom, flags: 0) else { return }
        let token = SecretBytes(request.pairingToken)
        let exists = pairings[request.pairingIdentifier].map { agreement.pairingToken(of: $0) == token } ?? false
        let result = exists ? agreement.existsResult(token: token) : agreement.notExistsResult(token: token)
        var answer = TestIfReallyUnpairedResponse()
        answer.result = faults.forgesProof ? [UInt8](repeating: 0, count: 16) : result.withBytes { Array($0) }
        send(answer, to: id)
    }
}
