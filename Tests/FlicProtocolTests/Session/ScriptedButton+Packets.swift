import FlicProtocol

/// The packets of both sides as they are where nothing special happens.
extension ScriptedButton {
    private var client: HostSession.Randomness { .scripted }

    // MARK: Full Verify

    var fullVerifyRequest1: FullVerifyRequest1 { .with { $0.tmpID = client.temporaryID } }

    var fullVerifyRequest2: FullVerifyRequest2WithoutAppToken {
        .with {
            $0.publicKey = Sodium.publicKey(of: client.privateKey)!
            $0.clientRandom = client.fullVerify
            $0.supportsDuo = flags == HostSession.duoFlag
            $0.verifier = agreement(flags: flags).verifier.withBytes { Array($0) }
        }
    }

    var introduction: FullVerifyResponse2 {
        .with {
            $0.uuid = [UInt8](0x10..<0x20)
            $0.nameLength = 4
            $0.name = Array("Desk".utf8)
            $0.firmwareVersion = 10
            $0.batteryLevel = 853
            $0.serialNumber = Array("BC00-A00001".utf8)
        }
    }

    /// What the client learns from ``introduction``, or from another one.
    func paired(_ introduction: FullVerifyResponse2? = nil) -> HostSession.Action {
        .paired(PairedButton(pairing: agreement(flags: flags).pairing, response: introduction ?? self.introduction))
    }

    // MARK: Quick Verify and the test

    var quickVerifyRequest: QuickVerifyRequest {
        .with {
            $0.clientRandom = client.quickVerify
            $0.supportsDuo = flags == HostSession.duoFlag
            $0.tmpID = client.temporaryID
            $0.pairingIdentifier = Self.pairing.identifier
        }
    }

    var quickVerifyResponse: QuickVerifyResponse {
        .with {
            $0.tmpID = client.temporaryID
            $0.buttonRandom = random
        }
    }

    var refusal: QuickVerifyNegativeResponse { .with { $0.tmpID = client.temporaryID } }

    var noSlots: NoLogicalConnectionSlotsInd { .with { $0.tmpIDs = [TemporaryID(client.temporaryID)] } }

    private var token: SecretBytes { agreement(flags: 0).pairingToken(of: Self.pairing) }

    var testRequest: TestIfReallyUnpairedRequest {
        .with {
            $0.publicKey = Sodium.publicKey(of: client.privateKey)!
            $0.clientRandom = client.fullVerify
            $0.pairingIdentifier = Self.pairing.identifier
            $0.pairingToken = token.withBytes { Array($0) }
        }
    }

    /// The proof that the pairing is gone.
    var gone: TestIfReallyUnpairedResponse {
        .with { $0.result = agreement(flags: 0).notExistsResult(token: token).withBytes { Array($0) } }
    }

    /// The proof that the pairing exists.
    var exists: TestIfReallyUnpairedResponse {
        .with { $0.result = agreement(flags: 0).existsResult(token: token).withBytes { Array($0) } }
    }

    // MARK: Session

    func initRequest(_ position: EventPosition = .known, maximumQueued: UInt8 = 31) -> InitButtonEventsLightRequest {
        .with {
            $0.eventCount = position.eventCount
            $0.bootID = position.bootID
            $0.autoDisconnectTime = 511
            $0.maximumQueued = maximumQueued
            $0.maximumAge = 0xFFFFF
        }
    }

    func sameBoot(count: UInt32 = 400, at timestamp: UInt64 = 0, hasQueue: Bool = false) -> InitButtonEventsResponseWithoutBootId {
        .with {
            $0.hasQueuedEvents = hasQueue
            $0.timestamp = timestamp
            $0.eventCount = count
        }
    }

    func newBoot(
        _ bootID: UInt32,
        count: UInt32,
        at timestamp: UInt64 = 0,
        hasQueue: Bool = false
    ) -> InitButtonEventsResponseWithBootId {
        .with {
            $0.hasQueuedEvents = hasQueue
            $0.timestamp = timestamp
            $0.eventCount = count
            $0.bootID = bootID
        }
    }

    func parameters(_ parameters: SessionSettings.ConnectionParameters = .normal) -> SetConnectionParametersInd {
        .with {
            $0.minimumInterval = parameters.minimumInterval
            $0.maximumInterval = parameters.maximumInterval
            $0.latency = parameters.latency
            $0.timeout = parameters.timeout
        }
    }

    func advertising(_ advertising: SessionSettings.Advertising = .sparing) -> SetAdvParametersRequest {
        .with {
            $0.isActive = advertising.isActive ? 1 : 0
            $0.withShortRange = 1
            $0.firstInterval = advertising.firstInterval
            $0.laterInterval = advertising.laterInterval
            $0.timeoutSeconds = advertising.duration
        }
    }

    func autoDisconnect(_ seconds: UInt16) -> SetAutoDisconnectTimeInd { .with { $0.autoDisconnectTime = seconds } }

    func setName(_ rename: Rename, isForced: Bool) -> SetNameRequest {
        .with {
            $0.timestamp = rename.timestamp
            $0.forceUpdate = isForced
            $0.name = Array(rename.name.text.utf8)
        }
    }

    func acknowledgement(_ count: UInt32) -> AckButtonEventsInd { .with { $0.eventCount = count } }
}

extension EventPosition {
    /// Where the client of these tests stopped.
    static let known = EventPosition(bootID: 7, eventCount: 400)
}
