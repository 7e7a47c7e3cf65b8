import EventLoops
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
        /// Store the record some time soon.
        case saveLater
        /// Tell of the firmware update.
        case firmware(FirmwareUpdate)
        /// It is over.
        case firmwareEnded((any Error)?)
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
    var failedOpenings = 0
    var uselessLinks = 0
    var jitter: Jitter
    /// Others have a link to the button, which can be joined when the pause is over.
    var isLinkedByOthers = false
    var isReady = false
    /// When something was received on this link, or the session began.
    var heardAt = Duration.zero
    /// Buttons whose last edge was a down.
    var downs: DuoButtons = []
    /// There are more buttons than links.
    var isCrowded = false
    /// The link has been told as connected.
    var hasToldConnected = false
    var judge: PressJudges
    /// The same for all trigger modes at once; nil where nobody wants to know.
    var modes: ModeJudges?
    /// Holds queued presses back until a policy can decide about them.
    var queue: QueueFilter
    /// Everything from before the session has been told.
    var isQueueOver = false
    /// The boot of the button that the last event belonged to; nil for that of the record.
    var latestBootID: UInt32?
    /// What has been received, if the presses up to it are still held back.
    var heldPosition: EventPosition?
    /// The firmware update under way.
    var firmware: FirmwareJob?
    private let defaultRules: ClickRules
    private let defaultQueuePolicy: QueuePolicy
    /// As it is asked for now; not necessarily kept.
    private(set) var latency: LatencyMode
    /// Which buttons of a Flic Duo report how they are turned.
    var pushTwist: DuoButtons = []
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
        rules: ClickRules = .standard(.clickAndHold),
        queuePolicy: QueuePolicy = .all,
        unixTime: @escaping @Sendable () -> UInt64
    ) {
        self.record = record
        jitter = Jitter(seed: record.address.value)
        latency = record.latency ?? .normal
        defaultRules = rules
        defaultQueuePolicy = queuePolicy
        queue = QueueFilter(record.queuePolicy ?? queuePolicy)
        self.root = root
        self.settings = settings
        self.unixTime = unixTime
        judge = PressJudges(rules: record.clickRules ?? rules)
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

    var info: ButtonInfo {
        ButtonInfo(record, sessionSettings, rules, latency, queue.policy, state: state, isReady: isReady)
    }

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
    var isIdle: Bool { isReady && isQueueOver && downs.isEmpty && judge.deadline == nil && firmware == nil }

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
        switch link {
        case .waiting(let notBefore): [isLinkedByOthers ? notBefore : nil, firmware?.deadline].compactMap { $0 }.min()
        case .up: [session?.deadline, trouble.retryAt, judge.deadline, firmware?.deadline].compactMap { $0 }.min()
        case .none, .opening, .closing: firmware?.deadline
        }
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
        forgetFirmwareUpdate(FirmwareError(.notConnecting), into: &actions)
        hangUp(into: &actions)
    }

    /// Ends everything because the button is being forgotten. A link that has been told is told as gone, and nothing after that.
    mutating func forget(into actions: inout [Action]) {
        record.wantsConnection = false
        forgetFirmwareUpdate(FlicError(.alreadyForgotten), into: &actions)
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

    /// Nil for what the application says of all buttons.
    mutating func setRules(_ rules: ClickRules?, into actions: inout [Action]) {
        judge.rules = rules ?? defaultRules
        guard rules != record.clickRules else { return }
        record.clickRules = rules
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

    /// - Parameter isKept: Whether it holds for later runs of the program, too.
    mutating func setLatency(_ mode: LatencyMode, isKept: Bool, now: Duration, into actions: inout [Action]) {
        latency = mode
        if isKept && record.latency != mode {
            record.latency = mode
            actions.append(.save)
        }
        withSession(now: now, into: &actions) { session, sessionActions in
            session.setConnectionParameters(mode.parameters, into: &sessionActions)
        }
    }

    // MARK: Telling

    func tell(_ notice: ButtonNotice, into actions: inout [Action]) {
        actions.append(.tell(notice, info))
    }
}
