package import ClickClassifier
import FlicProtocol
import GATT

/// One paired button: the wish to be connected, the link, the session, and what is known of the button (contract B.6.4).
///
/// Pure: what happens comes in through calls that name the time, what is to be done comes out as ``Action``s, to be carried out in
/// order. The wish never times out; only a failure for good ends it.
///
/// ```
/// idle ──connect()──▶ waiting ──heard──▶ opening ──connected──▶ linked ──closed──▶ waiting (idle without the wish)
///                        ▲                  │                      │
///                        └──closed, pause───┘                      ├─ session: verifying, ready, or pausing before the next try
///                                                                  └──disconnect()──▶ closing ──closed──▶ idle (waiting with a new wish)
/// ```
struct ButtonConnection: Sendable {
    /// What has to be done.
    enum Action: Sendable {
        /// Make a link; answer with ``opened(_:)``.
        case open
        /// Write a frame to the link.
        case write([UInt8])
        /// End the link; where others share it, only our use of it.
        case close(LinkID)
        /// Tell of something; ``info`` is as it was then.
        case tell(ButtonNotice, ButtonInfo)
        /// Store the record.
        case save
        /// For logs.
        case log(String)
    }

    private enum Link: Sendable {
        case none
        /// Before the next attempt, advertisements are not acted upon until this time.
        case waiting(notBefore: Duration)
        /// The link has been asked for.
        case opening(LinkID?)
        case up(LinkID, mtu: Int?)
        case closing(LinkID)
    }

    /// Why a session is not tried again at once.
    private struct Trouble: Sendable {
        var failures = 0
        var lastFailure: HostSession.Failure?
        var retryAt: Duration?
    }

    /// Between two attempts to make a link: grows from the first to the second.
    static let reopenPause: ClosedRange<Duration> = .milliseconds(500)...(.seconds(8))

    private(set) var record: ButtonRecord
    private var link = Link.none
    private var session: HostSession?
    private var trouble = Trouble()
    private var failedOpenings = 0
    private var isReady = false
    /// The link has been told as connected.
    private var hasToldConnected = false
    private var judge: PressJudge
    private var latency = LatencyMode.normal
    private let root: [UInt8]
    private let settings: SessionSettings
    /// Reused for each frame, so that an event costs no allocation.
    private var sessionActions: [HostSession.Action] = []

    init(record: ButtonRecord, root: [UInt8], settings: SessionSettings) {
        self.record = record
        self.root = root
        self.settings = settings
        judge = PressJudge(rules: .standard(TriggerMode.inContractOrder[clamping: record.triggerMode]))
        link = record.wantsConnection && !record.isUnpaired ? .waiting(notBefore: .zero) : .none
        sessionActions.reserveCapacity(32)
    }

    /// Takes over the link and session of a pairing (contract B.6.3, steps 11 and 12). No ``ButtonNotice/connected`` is told for it.
    ///
    /// - Returns: The button as it is before the session goes on.
    mutating func adopt(_ result: PairingAttempt.Result, now: Duration, unixTime: UInt64, into actions: inout [Action]) -> ButtonInfo {
        link = .up(result.link, mtu: result.mtu)
        session = result.session
        hasToldConnected = true
        record.batteryLevel = result.button.battery.raw
        record.batteryTime = unixTime
        let adopted = info
        for action in result.pending { apply(action, now: now, into: &actions) }
        // The sample came with the verification; it is told right after the button is ready (contract B.6.7).
        tell(.battery(Float(result.button.battery.volts)), into: &actions)
        return adopted
    }

    // MARK: What is known

    var info: ButtonInfo { ButtonInfo(record, state: state, isReady: isReady) }

    private var state: ButtonInfo.State {
        switch link {
        case .none: .disconnected
        case .waiting: .connecting
        case .opening: .connecting
        case .up: hasToldConnected ? .connected : .connecting
        case .closing: hasToldConnected ? .disconnecting : record.wantsConnection ? .connecting : .disconnected
        }
    }

    /// Whether the button has to be listened for.
    var wantsDiscovery: Bool { if case .waiting = link { true } else { false } }

    /// The link in use, if any.
    var linkID: LinkID? {
        switch link {
        case .none, .waiting: nil
        case .opening(let id): id
        case .up(let id, _), .closing(let id): id
        }
    }

    /// When ``tick(now:random:into:)`` has something to do.
    var deadline: Duration? {
        guard case .up = link else { return nil }
        return [session?.deadline, trouble.retryAt, judge.deadline].compactMap { $0 }.min()
    }

    // MARK: Wishes

    /// Wishes for a connection.
    mutating func connect(now: Duration, into actions: inout [Action]) {
        guard !record.isUnpaired else {
            tell(.failedToConnect(FlicError(.unpaired)), into: &actions)
            return
        }
        if !record.wantsConnection {
            record.wantsConnection = true
            actions.append(.save)
        }
        if case .none = link { link = .waiting(notBefore: now) }
    }

    /// Ends the wish, and the link if there is one.
    mutating func disconnect(into actions: inout [Action]) {
        if record.wantsConnection {
            record.wantsConnection = false
            actions.append(.save)
        }
        hangUp(into: &actions)
    }

    /// Ends everything because the button is being forgotten. A link that has been told is told as gone, and nothing after that.
    mutating func forget(into actions: inout [Action]) {
        record.wantsConnection = false
        hangUp(into: &actions)
        link = .none
        if hasToldConnected { linkEnded(nil, into: &actions) }
    }

    private mutating func hangUp(into actions: inout [Action]) {
        switch link {
        case .none, .closing: break
        case .waiting: link = .none
        case .opening(nil): link = .none
        case .opening(let id?):
            link = .closing(id)
            actions.append(.close(id))
        case .up(let id, _):
            closeSession(into: &actions)
            isReady = false
            link = .closing(id)
            actions.append(.close(id))
        }
    }

    /// Renames the button. The name is kept, and sent as soon as the button can be reached.
    mutating func rename(_ text: String?, unixMilliseconds: UInt64, now: Duration, into actions: inout [Action]) {
        let name = ButtonName(text ?? "")
        record.nickname = text == nil ? nil : name.text
        record.pendingRenameTime = max(unixMilliseconds, 1)
        actions.append(.save)
        withSession(now: now, into: &actions) { session, sessionActions in
            session.rename(Rename(name: name, timestamp: max(unixMilliseconds, 1)), now: now, into: &sessionActions)
        }
    }

    /// How presses become clicks, from the next event on.
    var rules: ClickRules { judge.rules }

    mutating func setRules(_ rules: ClickRules, into actions: inout [Action]) {
        judge.rules = rules
        let raw = TriggerMode.inContractOrder.firstIndex(of: rules.mode) ?? 0
        guard raw != record.triggerMode else { return }
        record.triggerMode = raw
        actions.append(.save)
    }

    mutating func setLatency(_ mode: LatencyMode, now: Duration, into actions: inout [Action]) {
        latency = mode
        withSession(now: now, into: &actions) { session, sessionActions in
            session.setConnectionParameters(mode.parameters, into: &sessionActions)
        }
    }

    // MARK: The link

    /// The button was heard, or somebody else has a link to it.
    mutating func heard(now: Duration, into actions: inout [Action]) {
        guard case .waiting(let notBefore) = link, notBefore <= now else { return }
        link = .opening(nil)
        actions.append(.open)
    }

    /// The link asked for by ``Action/open`` has this name.
    mutating func opened(_ id: LinkID) {
        if case .opening(nil) = link { link = .opening(id) }
    }

    /// Something happened to a link. Events of any but the current one are of no interest.
    mutating func receive(_ event: LinkEvent, on id: LinkID, now: Duration, random: () -> HostSession.Randomness, into actions: inout [Action]) {
        guard id == linkID else { return }
        switch (event, link) {
        case (.closed(let error), _):
            closed(error, now: now, into: &actions)
        case (.connected, .opening):
            link = .up(id, mtu: nil)
            failedOpenings = 0
            hasToldConnected = true
            tell(.connected, into: &actions)
        case (.ready(let mtu), .up):
            link = .up(id, mtu: mtu)
            startSession(now: now, random: random, into: &actions)
        case (.value(let frame, _), .up):
            withSession(now: now, into: &actions) { session, sessionActions in
                session.receive(frame.span, now: now, into: &sessionActions)
            }
        case (.connected, _), (.ready, _), (.value, _):
            break
        }
    }

    private mutating func closed(_ error: LinkError?, now: Duration, into actions: inout [Action]) {
        let wasOnPurpose = if case .closing = link { true } else { false }
        if !wasOnPurpose, let error, let failure = error.failureForGood {
            fail(failure, into: &actions)
            return
        }
        var pause = Duration.zero
        if !hasToldConnected && !wasOnPurpose {
            // Never made: it may be out of reach, or the air crowded. No attempt follows upon another without a pause.
            pause = min(Self.reopenPause.lowerBound * (1 << min(failedOpenings, 8)), Self.reopenPause.upperBound)
            failedOpenings += 1
            actions.append(.log("no link: \(error.map(\.description) ?? "closed")"))
        }
        link = record.wantsConnection ? .waiting(notBefore: now + pause) : .none
        linkEnded(wasOnPurpose ? nil : error ?? LinkError(.closedByPeer), into: &actions)
    }

    /// Forgets all that belongs to the link, and tells that it is gone if it was told that it is there.
    private mutating func linkEnded(_ error: LinkError?, into actions: inout [Action]) {
        session = nil
        trouble = Trouble()
        isReady = false
        judge.linkLost()
        guard hasToldConnected else { return }
        hasToldConnected = false
        tell(.disconnected(error), into: &actions)
    }

    /// The adapter is gone or switched off, and every link with it.
    mutating func bluetoothLost(_ error: LinkError, now: Duration, into actions: inout [Action]) {
        guard linkID != nil else { return }
        let wasOnPurpose = if case .closing = link { true } else { false }
        link = record.wantsConnection ? .waiting(notBefore: now) : .none
        linkEnded(wasOnPurpose ? nil : error, into: &actions)
    }

    /// Does what is due at `now`.
    mutating func tick(now: Duration, random: () -> HostSession.Randomness, into actions: inout [Action]) {
        if let retryAt = trouble.retryAt, retryAt <= now {
            trouble.retryAt = nil
            startSession(now: now, random: random, into: &actions)
        }
        withSession(now: now, into: &actions) { $0.tick(now: now, into: &$1) }
        var told: [PressEvent] = []
        judge.tick(now: now) { told.append($0) }
        for event in told { tell(.press(event), into: &actions) }
    }

    // MARK: The session

    private mutating func startSession(now: Duration, random: () -> HostSession.Randomness, into actions: inout [Action]) {
        guard case .up(_, let mtu?) = link else { return }
        var settings = settings
        settings.connectionParameters = latency.parameters
        let peer = HostSession.Peer(address: record.address.wireBytes, root: root)
        session = HostSession(peer: peer, memory: record.memory, mtu: mtu, settings: settings)
        let random = random()
        withSession(now: now, into: &actions) { $0.start(random: random, now: now, into: &$1) }
    }

    private mutating func closeSession(into actions: inout [Action]) {
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

    private mutating func apply(_ action: HostSession.Action, now: Duration, into actions: inout [Action]) {
        switch action {
        case .send(let frame): actions.append(.write(frame))
        case .paired, .ignored: break
        case .verified:
            isReady = true
            tell(.ready, into: &actions)
        case .event(let event):
            record.eventCount = event.count
            let info = info
            judge.judge(event, now: now) { actions.append(.tell(.press($0), info)) }
        case .progress(let position):
            if position.bootID != record.bootID {
                record.isAdvertisingConfigured = false
                judge.buttonRebooted()
            }
            record.position = position
            actions.append(.save)
        case .queueFinished:
            trouble = Trouble()
            tell(.queueFinished, into: &actions)
        case .advertisingConfigured:
            record.isAdvertisingConfigured = true
            actions.append(.save)
        case .battery(let level):
            record.batteryLevel = level.raw
            tell(.battery(Float(level.volts)), into: &actions)
            actions.append(.save)
        case .firmwareVersion(let version):
            guard version != record.firmwareVersion else { return }
            record.firmwareVersion = version
            actions.append(.save)
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

    private mutating func becomeUnpaired(into actions: inout [Action]) {
        record.isUnpaired = true
        record.wantsConnection = false
        actions.append(.save)
        if let linkID { actions.append(.close(linkID)) }
        link = .none
        linkEnded(nil, into: &actions)
        tell(.unpaired, into: &actions)
    }

    /// A failure for good: the wish is gone.
    private mutating func fail(_ error: FlicError, into actions: inout [Action]) {
        record.wantsConnection = false
        actions.append(.save)
        if case .up(let id, _) = link { actions.append(.close(id)) }
        link = .none
        linkEnded(LinkError(.failed, detail: error.description), into: &actions)
        tell(.failedToConnect(error), into: &actions)
    }

    private mutating func sessionFailed(_ failure: HostSession.Failure, now: Duration, into actions: inout [Action]) {
        actions.append(.log("session failed: \(failure)"))
        sessionIsGone(into: &actions)
        switch failure {
        case .quickVerifySignatureMismatch:
            fail(FlicError(.signatureMismatch), into: &actions)
        case .unexpectedAddress, .invalidCertificate, .invalidCalculatedSignature:
            fail(FlicError(.notGenuine), into: &actions)
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
        } else if case .up(let id, _) = link {
            actions.append(.close(id))
            link = .waiting(notBefore: now + Self.reopenPause.upperBound)
            linkEnded(LinkError(.timeout, detail: "\(failure)"), into: &actions)
        }
    }

    /// The button ended the session; the link may still be up (protocol 6.6).
    private mutating func sessionEnded(_ reason: HostSession.EndReason, now: Duration, into actions: inout [Action]) {
        actions.append(.log("session ended by the button: \(reason)"))
        sessionIsGone(into: &actions)
        trouble.failures += 1
        // At once the first time; a button that goes on ending sessions is asked less and less often.
        let backOff = Duration.seconds(1 << min(trouble.failures, 5))
        trouble.retryAt =
            switch reason {
            case .pingNotAnswered: trouble.failures == 1 ? now : now + backOff
            case .wrongSignature: now + max(.seconds(5), backOff)
            case .replaced: now + .seconds(30)
            case .requested, .other: now + max(.seconds(5), backOff)
            }
    }

    private mutating func sessionIsGone(into actions: inout [Action]) {
        session = nil
        guard isReady else { return }
        isReady = false
        tell(.notReady, into: &actions)
    }

    private func tell(_ notice: ButtonNotice, into actions: inout [Action]) {
        actions.append(.tell(notice, info))
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

extension LinkError {
    /// The failure for good that the error is for a paired button; nil where another attempt may succeed (contract B.8).
    fileprivate var failureForGood: FlicError? {
        switch code {
        case .serviceNotFound: FlicError(.serviceNotFound, detail: detail)
        case .notifyRefused: FlicError(.notifyRefused, detail: detail)
        case .bondingRequired: FlicError(.bondingRequired, detail: detail)
        case .notPoweredOn, .timeout, .closedByPeer, .limitReached, .failed: nil
        }
    }
}

extension TriggerMode {
    /// By the raw values of the contract (B8).
    package static let inContractOrder: [TriggerMode] = [.clickAndHold, .clickAndDoubleClick, .clickAndDoubleClickAndHold, .click]
}

extension Array {
    /// The element at the index; the first one where there is none.
    fileprivate subscript(clamping index: Int) -> Element { indices.contains(index) ? self[index] : self[0] }
}
