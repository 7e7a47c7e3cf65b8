import EventLoops
import FlicProtocol
import GATT

/// The session on the link: what it answers, and what becomes of it when it fails (contract B.6.4, protocol 6.6).
extension ButtonConnection {
    mutating func startSession(now: Duration, random: () -> HostSession.Randomness, into actions: inout [Action]) {
        guard case .up(let id, let mtu?) = link else { return }
        prepareAdvertising()
        let peer = HostSession.Peer(address: record.address.wireBytes, root: root, dialect: record.product.dialect)
        session = HostSession(peer: peer, memory: record.memory, mtu: mtu, settings: settingsNow, flags: HostSession.duoFlag)
        session?.observer = recorder?.observer(on: id.number)
        isQueueOver = false
        heardAt = now
        let random = random()
        withSession(now: now, into: &actions) { $0.start(random: random, now: now, into: &$1) }
    }

    mutating func closeSession(into actions: inout [Action]) {
        finishQueue(into: &actions)
        session?.close(into: &sessionActions)
        for case .send(let frame) in sessionActions { actions.append(.write(frame)) }
        sessionActions.removeAll(keepingCapacity: true)
        session = nil
    }

    /// Lets the session do something and carries out what it answers.
    mutating func withSession(
        now: Duration,
        into actions: inout [Action],
        _ body: (inout HostSession, inout [HostSession.Action]) -> Void
    ) {
        guard session != nil else { return }
        body(&session!, &sessionActions)
        apply(now: now, into: &actions)
    }

    private mutating func apply(now: Duration, into actions: inout [Action]) {
        var index = 0
        while index < sessionActions.count {
            apply(sessionActions[index], now: now, into: &actions)
            index += 1
        }
        sessionActions.removeAll(keepingCapacity: true)
    }

    mutating func apply(_ action: HostSession.Action, now: Duration, into actions: inout [Action]) {
        switch action {
        case .send(let frame): actions.append(.write(frame))
        case .paired, .ignored: break
        case .isDuo:
            record.product = .duo
            actions.append(.save)
        case .pushTwist(let turn): tell(.turned(ButtonTurn(turn)), into: &actions)
        case .rotated(let turn): receive(turn, into: &actions)
        case .verified:
            isReady = true
            tell(.ready, into: &actions)
        case .event(let event): receive(event, now: now, into: &actions)
        case .progress(let position): progress(to: position, into: &actions)
        case .queueFinished:
            trouble = Trouble()
            finishQueue(into: &actions)
            isQueueOver = true
            tell(.queueFinished, into: &actions)
            carryOut(firmware?.sessionRuns(isNew: true), now: now, into: &actions)
        case .advertisingConfigured:
            record.isAdvertisingConfigured = true
            record.configuredReadvertising = ReadvertisingMode(sessionSettings.advertising)
            actions.append(.save)
        case .battery(let level):
            record.setBattery(level, unixTime: unixTime())
            tellBattery(into: &actions)
            actions.append(.save)
        case .firmwareVersion(let version):
            if version != record.firmwareVersion {
                record.firmwareVersion = version
                actions.append(.save)
            }
            let boot = session?.bootID ?? record.bootID
            carryOut(firmware?.versionTold(version, boot: boot), now: now, into: &actions)
        case .firmwareProgress(let progress):
            carryOut(firmware?.progressed(progress, now: now), now: now, into: &actions)
        case .firmwareInstalled:
            let boot = session?.bootID ?? record.bootID
            carryOut(firmware?.installed(boot: boot, now: now), now: now, into: &actions)
        case .firmwareFailed(let failure):
            carryOut(firmware?.failed(failure), now: now, into: &actions)
        case .renameConfirmed(let rename):
            guard rename == record.pendingRename else { return }
            record.pendingRenameTime = 0
            actions.append(.save)
        case .nameChanged(let name):
            record.nickname = name.text
            record.pendingRenameTime = 0
            tell(.renamed(name.text), into: &actions)
            actions.append(.save)
        case .unpaired:
            becomeUnpaired(into: &actions)
        case .failed(let failure):
            sessionFailed(failure, now: now, into: &actions)
        case .ended(let reason):
            sessionEnded(reason, now: now, into: &actions)
        }
    }

    func tellBattery(into actions: inout [Action]) {
        if let battery = record.battery { tell(.battery(battery), into: &actions) }
    }

    private mutating func becomeUnpaired(into actions: inout [Action]) {
        record.isUnpaired = true
        record.wantsConnection = false
        forgetFirmwareUpdate(FlicError(.unpaired), into: &actions)
        actions.append(.save)
        if let linkID { actions.append(.close(linkID, .keepingShared)) }
        link = .none
        linkEnded(nil, into: &actions)
        tell(.unpaired, into: &actions)
    }

    /// A failure for good: the wish is gone.
    mutating func fail(_ error: FlicError, into actions: inout [Action]) {
        record.wantsConnection = false
        forgetFirmwareUpdate(error, into: &actions)
        actions.append(.save)
        if case .up(let id, _) = link { actions.append(.close(id, .keepingShared)) }
        link = .none
        linkEnded(LinkError(.failed, detail: error.description), into: &actions)
        tell(.failedToConnect(error), into: &actions)
    }

    private mutating func sessionFailed(_ failure: HostSession.Failure, now: Duration, into actions: inout [Action]) {
        actions.append(.log("session failed: \(failure)"))
        if failure.isSilence, isSilent(now: now) {
            return dropLink(.forEverybody, "\(failure)", notBefore: now, into: &actions)
        }
        sessionIsGone(SessionProblem(failure), into: &actions)
        switch failure {
        case .quickVerifySignatureMismatch:
            fail(FlicError(.signatureMismatch), into: &actions)
        case .unexpectedAddress, .invalidCertificate, .invalidCalculatedSignature:
            fail(FlicError(.notGenuine), into: &actions)
        case .mtuTooSmall(let mtu):
            fail(FlicError(.connectFailed, detail: "the connection has an MTU of \(mtu), and needs \(Twist.smallestMTU)"), into: &actions)
        case .tooManyApps:
            retrySession(after: .seconds(30), or: FlicError(.tooManyApps), failure, now: now, into: &actions)
        case .packetSignatureMismatch:
            retrySession(after: .seconds(20), or: FlicError(.signatureMismatch), failure, now: now, into: &actions)
        case .timedOut, .unanswered, .pairingDeniedButPresent, .appCredentialsDenied, .invalidVerifier, .notInPublicMode, .unknownRefusal:
            retrySession(after: .seconds(20), or: nil, failure, now: now, into: &actions)
        }
    }

    /// Verifies anew on the same link after a pause; the second failure of the same kind is one for good, or, where there is no
    /// error for that, ends the link, so that the next one starts afresh.
    private mutating func retrySession(
        after pause: Duration,
        or error: FlicError?,
        _ failure: HostSession.Failure,
        now: Duration,
        into actions: inout [Action]
    ) {
        let isRepeated = trouble.lastFailure == failure
        trouble.failures += 1
        trouble.lastFailure = failure
        guard isRepeated else {
            trouble.retryAt = now + pause
            return
        }
        if let error {
            fail(error, into: &actions)
        } else {
            dropLink(.keepingShared, "\(failure)", notBefore: now + Self.reopenPause.upperBound, into: &actions)
        }
    }

    /// Nothing else has come from the button either, for half the time that an answer may take: the link is none, whatever the system says, and of
    /// use to nobody (Bluetooth-Devices/bleak-retry-connector#231).
    private func isSilent(now: Duration) -> Bool { heardAt + settings.requestTimeout / 2 <= now }

    /// Gives the link up; the next one starts afresh.
    private mutating func dropLink(_ ending: LinkEnding, _ reason: String, notBefore: Duration, into actions: inout [Action]) {
        guard case .up(let id, _) = link else { return }
        actions.append(.close(id, ending))
        link = .waiting(notBefore: notBefore)
        linkEnded(LinkError(.timeout, detail: reason), into: &actions)
    }

    /// Between sessions that the button ends, from the second on: grows from the first to the second.
    private static let resumePause: ClosedRange<Duration> = .seconds(2)...(.seconds(32))

    /// The button ended the session; the link may still be up (protocol 6.6).
    private mutating func sessionEnded(_ reason: HostSession.EndReason, now: Duration, into actions: inout [Action]) {
        actions.append(.log("session ended by the button: \(reason)"))
        sessionIsGone(SessionProblem(reason), into: &actions)
        trouble.failures += 1
        // At once the first time; a button that goes on ending sessions is asked less and less often.
        let backOff = Self.resumePause.backOff(after: trouble.failures)
        trouble.retryAt =
            switch reason {
            case .pingNotAnswered: trouble.failures == 1 ? now : now + backOff
            case .wrongSignature: now + max(.seconds(5), backOff)
            case .replaced: now + .seconds(30)
            case .requested, .other: now + max(.seconds(5), backOff)
            }
    }

    private mutating func sessionIsGone(_ problem: SessionProblem, into actions: inout [Action]) {
        finishQueue(into: &actions)
        session = nil
        firmwareSessionEnded(into: &actions)
        guard isReady else { return }
        isReady = false
        tell(.notReady(problem), into: &actions)
    }
}

extension HostSession.Failure {
    /// The button did not answer.
    fileprivate var isSilence: Bool {
        switch self {
        case .timedOut, .unanswered: true
        default: false
        }
    }
}

extension SessionProblem {
    fileprivate init(_ failure: HostSession.Failure) {
        self = if case .packetSignatureMismatch = failure { .signatureMismatch } else { .requestTimedOut }
    }

    fileprivate init(_ reason: HostSession.EndReason) {
        self =
            switch reason {
            case .pingNotAnswered: .pingTimedOut
            case .wrongSignature: .signatureMismatch
            case .replaced: .takenOver
            case .requested, .other: .closedByButton
            }
    }
}

extension LatencyMode {
    var parameters: SessionSettings.ConnectionParameters {
        switch self {
        case .normal: .normal
        case .low: .low
        }
    }
}
