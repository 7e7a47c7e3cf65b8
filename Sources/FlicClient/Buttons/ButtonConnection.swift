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
        /// End the link.
        case close(LinkID, LinkEnding)
        /// Tell of something; ``info`` is as it was then.
        case tell(ButtonNotice, ButtonInfo)
        /// Store the record.
        case save
        /// Keep its event position, the only thing in it that has changed.
        case keep
        /// For logs.
        case log(String)
    }

    enum Link: Sendable {
        case none
        /// Before the next attempt, advertisements are not acted upon until this time.
        case waiting(notBefore: Duration)
        /// The link has been asked for.
        case opening(LinkID?)
        case up(LinkID, mtu: Int?)
        case closing(LinkID)
    }

    /// Why a session is not tried again at once.
    struct Trouble: Sendable {
        var failures = 0
        var lastFailure: HostSession.Failure?
        var retryAt: Duration?
    }

    /// Between two attempts to make a link: grows from the first to the second, more or less.
    static let reopenPause: ClosedRange<Duration> = .milliseconds(500)...(.seconds(8))
    /// So many links in a row without what is needed, and it is a failure for good: one may be the fault of what bluetoothd remembers of the
    /// button, or of a bluetoothd that is slow (hbldh/bleak#882).
    static let mostUselessLinks = 3
    /// Where the adapter holds fewer links than there are buttons, an idle one is given back after this time.
    static let crowdedTime = AutoDisconnectTime(.seconds(40))

    var record: ButtonRecord
    var link = Link.none
    var session: HostSession?
    var trouble = Trouble()
    private var failedOpenings = 0
    private var uselessLinks = 0
    private var jitter: Jitter
    /// Others have a link to the button, which can be joined when the pause is over.
    private var isLinkedByOthers = false
    var isReady = false
    /// When something was received on this link, or the session began.
    var heardAt = Duration.zero
    /// The last edge told was a down.
    var isDown = false
    /// There are more buttons than links.
    var isCrowded = false
    /// The link has been told as connected.
    var hasToldConnected = false
    var judge: PressJudge
    /// Holds queued presses back until a policy can decide about them.
    var queue: QueueFilter
    /// Everything from before the session has been told.
    var isQueueOver = false
    /// The boot of the button that the last event belonged to; nil for that of the record.
    var latestBootID: UInt32?
    /// What has been received, if the presses up to it are still held back.
    var heldPosition: EventPosition?
    private let defaultQueuePolicy: QueuePolicy
    var latency = LatencyMode.normal
    /// Watches sessions, if there is one.
    var recorder: TraceRecorder?
    let root: [UInt8]
    /// What is asked of all buttons.
    let settings: SessionSettings
    /// Now, in seconds of Unix time.
    let unixTime: @Sendable () -> UInt64
    /// Reused for each frame, so that an event costs no allocation.
    var sessionActions: [HostSession.Action] = []

    init(
        record: ButtonRecord,
        root: [UInt8],
        settings: SessionSettings,
        queuePolicy: QueuePolicy = .all,
        unixTime: @escaping @Sendable () -> UInt64
    ) {
        self.record = record
        jitter = Jitter(seed: record.address.value)
        defaultQueuePolicy = queuePolicy
        queue = QueueFilter(record.queuePolicy ?? queuePolicy)
        self.root = root
        self.settings = settings
        self.unixTime = unixTime
        judge = PressJudge(rules: .standard(TriggerMode.inContractOrder[clamping: record.triggerMode]))
        link = record.wantsConnection && !record.isUnpaired ? .waiting(notBefore: .zero) : .none
        sessionActions.reserveCapacity(32)
    }

    /// Takes over the link and session of a pairing (contract B.6.3, steps 11 and 12). No ``ButtonNotice/connected`` is told for it.
    ///
    /// - Returns: The button as it is before the session goes on.
    mutating func adopt(_ result: PairingAttempt.Result, now: Duration, into actions: inout [Action]) -> ButtonInfo {
        link = .up(result.link, mtu: result.mtu)
        session = result.session
        hasToldConnected = true
        record.setBattery(result.button.battery, unixTime: unixTime())
        let adopted = info
        for action in result.pending { apply(action, now: now, into: &actions) }
        // The sample came with the verification; it is told right after the button is ready (contract B.6.7).
        tellBattery(into: &actions)
        return adopted
    }

    // MARK: What is known

    var info: ButtonInfo { ButtonInfo(record, sessionSettings, queue.policy, state: state, isReady: isReady) }

    private var state: ButtonInfo.State {
        switch link {
        case .none: .disconnected
        case .waiting: .connecting
        case .opening: .connecting
        case .up: hasToldConnected ? .connected : .connecting
        case .closing: hasToldConnected ? .disconnecting : record.wantsConnection ? .connecting : .disconnected
        }
    }

    /// What the button is doing, for the plan that all buttons share.
    var phase: ConnectionPlanner.Phase {
        switch link {
        case .none: .none
        case .waiting: .waiting
        case .opening: .opening
        case .up: .up
        case .closing: .closing
        }
    }

    /// Whether the button is waited for, and no pause between attempts is under way.
    func canOpen(now: Duration) -> Bool { if case .waiting(let notBefore) = link { notBefore <= now } else { false } }

    /// Nothing is under way: the link can be given to another button.
    var isIdle: Bool { isReady && isQueueOver && !isDown && judge.deadline == nil }

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
        if case .waiting(let notBefore) = link { return isLinkedByOthers ? notBefore : nil }
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

    /// Ends the link, if there is one, and the session on it; the wish stays.
    mutating func hangUp(into actions: inout [Action]) {
        switch link {
        case .none, .closing: break
        case .waiting: link = .none
        case .opening(nil): link = .none
        case .opening(let id?):
            link = .closing(id)
            actions.append(.close(id, .keepingShared))
        case .up(let id, _):
            closeSession(into: &actions)
            isReady = false
            link = .closing(id)
            actions.append(.close(id, .keepingShared))
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

    /// What becomes of queued presses; nil for what the application says of all buttons.
    mutating func setQueuePolicy(_ policy: QueuePolicy?, into actions: inout [Action]) {
        finishQueue(into: &actions)  // what is here already came under the former policy
        queue.policy = policy ?? defaultQueuePolicy
        guard policy != record.queuePolicy else { return }
        record.queuePolicy = policy
        actions.append(.save)
    }

    mutating func setLatency(_ mode: LatencyMode, now: Duration, into actions: inout [Action]) {
        latency = mode
        withSession(now: now, into: &actions) { session, sessionActions in
            session.setConnectionParameters(mode.parameters, into: &sessionActions)
        }
    }

    // MARK: The link

    /// The button was heard, and it is its turn.
    mutating func open(now: Duration, into actions: inout [Action]) {
        guard canOpen(now: now) else { return }
        isLinkedByOthers = false
        link = .opening(nil)
        actions.append(.open)
    }

    /// Somebody else has a link to the button, which can be shared.
    mutating func join(now: Duration, into actions: inout [Action]) {
        guard case .waiting = link else { return }
        // After the pause, if there is one: it will not be heard while the others have it.
        isLinkedByOthers = true
        open(now: now, into: &actions)
    }

    /// Finds out whether the link is still one: the button advertised, as it does only without a link (protocol 2.2), or time has passed of which
    /// nothing is known. A link that is none gives no answer.
    mutating func probe(now: Duration, into actions: inout [Action]) {
        guard case .up = link, isReady else { return }
        withSession(now: now, into: &actions) { $0.probe(now: now, into: &$1) }
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
            uselessLinks = 0
            startSession(now: now, random: random, into: &actions)
        case (.value(let frame, _), .up):
            heardAt = now
            withSession(now: now, into: &actions) { session, sessionActions in
                session.receive(frame.span, now: now, into: &sessionActions)
            }
        case (.connected, _), (.ready, _), (.value, _):
            break
        }
    }

    private mutating func closed(_ error: LinkError?, now: Duration, into actions: inout [Action]) {
        let wasOnPurpose = if case .closing = link { true } else { false }
        var pause = Duration.zero
        if !wasOnPurpose, let error, let failure = error.failureForGood {
            uselessLinks += 1
            guard uselessLinks < Self.mostUselessLinks else {
                uselessLinks = 0
                fail(failure, into: &actions)
                return
            }
            pause = self.pause(after: uselessLinks)
            actions.append(.log("useless link: \(error)"))
        } else if !hasToldConnected && !wasOnPurpose {
            // Never made: it may be out of reach, or the air crowded. No attempt follows upon another without a pause.
            failedOpenings += 1
            pause = self.pause(after: failedOpenings)
            actions.append(.log("no link: \(error.map(\.description) ?? "closed")"))
        }
        link = record.wantsConnection ? .waiting(notBefore: now + pause) : .none
        linkEnded(wasOnPurpose ? nil : error ?? LinkError(.closedByPeer), into: &actions)
    }

    private mutating func pause(after failures: Int) -> Duration {
        jitter.spread(min(Self.reopenPause.lowerBound * (1 << min(failures - 1, 8)), Self.reopenPause.upperBound))
    }

    /// Forgets all that belongs to the link, and tells that it is gone if it was told that it is there.
    mutating func linkEnded(_ error: LinkError?, into actions: inout [Action]) {
        finishQueue(into: &actions)
        session = nil
        trouble = Trouble()
        isReady = false
        isDown = false
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
        if isLinkedByOthers { open(now: now, into: &actions) }
        if let retryAt = trouble.retryAt, retryAt <= now {
            trouble.retryAt = nil
            startSession(now: now, random: random, into: &actions)
        }
        withSession(now: now, into: &actions) { $0.tick(now: now, into: &$1) }
        var decided: [PressEvent] = []
        judge.tick(now: now) { decided.append($0) }
        for event in decided { receive(event, into: &actions) }
    }

    func tell(_ notice: ButtonNotice, into actions: inout [Action]) {
        actions.append(.tell(notice, info))
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
