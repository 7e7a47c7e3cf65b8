import FlicProtocol
import GATT

/// The steps of finding and pairing a button, each at most once and in this order.
public enum PairingStep: String, Hashable, Sendable {
    /// A button in pairing mode was found.
    case discovered
    /// There is a link to it.
    case connected
    /// It is paired and stored.
    case verified
    /// It could not be verified; the failure follows.
    case verificationFailed
}

/// Finds a button in public mode, makes a link and pairs with it (contract B.6.3).
///
/// Pure, in the manner of ``ButtonConnection``.
///
/// ```
/// searching ──advertisement──▶ opening ──connected──▶ preparing ──ready──▶ verifying ──paired──▶ over
///     └──30 s─────────────────────┴───closed, cancelled, failed, Bluetooth lost───┴────────────▶ over
/// ```
struct PairingAttempt: Sendable {
    /// How long to look for a button: three rounds of ten seconds.
    static let searchTime = Duration.seconds(30)
    static let roundTime = Duration.seconds(10)

    /// What has to be done.
    enum Action: Sendable {
        /// Make a link to this device; answer with ``opened(_:)``.
        case open(BluetoothAddress)
        case write([UInt8])
        case close(LinkID)
        case tell(PairingStep)
        /// The button is paired. Store it; the link and the session go on.
        case paired(Result)
        /// Nothing follows.
        case failed(FlicError)
    }

    /// What a pairing leaves behind.
    struct Result: Sendable {
        var button: PairedButton
        var address: BluetoothAddress
        /// As it was heard; a Duo is told from a Flic 2 by the button.
        var product: FlicProduct
        var advertisedName: String?
        var link: LinkID
        var mtu: Int
        var session: HostSession
        /// What the session has to do after the pairing is stored.
        var pending: [HostSession.Action]
    }

    private enum State: Sendable {
        case searching(until: Duration, roundEnd: Duration, sawBusyButton: Bool)
        case opening(Advertisement, LinkID?)
        case preparing(Advertisement, LinkID)
        case verifying(Advertisement, LinkID, mtu: Int, HostSession)
        case over
    }

    private var state: State
    private let roots: TrustedRoots
    private let settings: SessionSettings
    /// Watches the session, if there is one.
    private let recorder: TraceRecorder?

    init(roots: TrustedRoots, settings: SessionSettings, recorder: TraceRecorder? = nil, now: Duration) {
        self.roots = roots
        self.recorder = recorder
        self.settings = settings
        state = .searching(until: now + Self.searchTime, roundEnd: now + Self.roundTime, sawBusyButton: false)
    }

    var wantsDiscovery: Bool { if case .searching = state { true } else { false } }

    var isOver: Bool { if case .over = state { true } else { false } }

    var linkID: LinkID? {
        switch state {
        case .searching, .over: nil
        case .opening(_, let id): id
        case .preparing(_, let id), .verifying(_, let id, _, _): id
        }
    }

    /// The device in hand.
    var address: BluetoothAddress? { heard?.address }

    /// What kind of device it is.
    var product: FlicProduct? { heard?.publicProduct }

    private var heard: Advertisement? {
        switch state {
        case .searching, .over: nil
        case .opening(let heard, _), .preparing(let heard, _), .verifying(let heard, _, _, _): heard
        }
    }

    var deadline: Duration? {
        switch state {
        case .searching(let until, let roundEnd, let sawBusyButton): sawBusyButton ? min(until, roundEnd) : until
        case .opening, .preparing, .over: nil  // the central ends these
        case .verifying(_, _, _, let session): session.deadline
        }
    }

    /// A device was heard. `isPaired`: it is a button that this app already has a valid pairing with.
    mutating func heard(_ advertisement: Advertisement, isPaired: Bool, now: Duration, into actions: inout [Action]) {
        guard case .searching(let until, var roundEnd, let sawBusyButton) = state, advertisement.isPublicFlic, !isPaired else { return }
        if advertisement.isConnectedElsewhere {
            // Perhaps something better turns up within the round.
            while !sawBusyButton && roundEnd <= now { roundEnd += Self.roundTime }
            state = .searching(until: until, roundEnd: roundEnd, sawBusyButton: true)
            return
        }
        state = .opening(advertisement, nil)
        actions.append(.tell(.discovered))
        actions.append(.open(advertisement.address))
    }

    mutating func opened(_ id: LinkID) {
        if case .opening(let advertisement, nil) = state { state = .opening(advertisement, id) }
    }

    /// There was no room for the link; another one will be asked for.
    mutating func reopen() {
        if case .opening(let advertisement, _) = state { state = .opening(advertisement, nil) }
    }

    mutating func receive(
        _ event: LinkEvent,
        on id: LinkID,
        now: Duration,
        random: () -> HostSession.Randomness,
        into actions: inout [Action]
    ) {
        guard id == linkID else { return }
        switch (event, state) {
        case (.connected, .opening(let heard, _)):
            state = .preparing(heard, id)
            actions.append(.tell(.connected))
        case (.ready(let mtu), .preparing(let heard, _)):
            let product = heard.publicProduct ?? .flic2
            let peer = HostSession.Peer(address: heard.address.wireBytes, root: roots[product], dialect: product.dialect)
            var session = HostSession(peer: peer, memory: nil, mtu: mtu, settings: settings, flags: HostSession.duoFlag)
            session.observer = recorder?.observer(on: id.number)
            var sessionActions: [HostSession.Action] = []
            session.start(random: random(), now: now, into: &sessionActions)
            state = .verifying(heard, id, mtu: mtu, session)
            apply(sessionActions, into: &actions)
        case (.value(let frame, _), .verifying(let heard, _, let mtu, var session)):
            var sessionActions: [HostSession.Action] = []
            session.receive(frame.span, now: now, into: &sessionActions)
            state = .verifying(heard, id, mtu: mtu, session)
            apply(sessionActions, into: &actions)
        case (.closed(let error), .opening):
            fail(FlicError(linkNotMade: error), into: &actions)
        case (.closed(let error), .preparing), (.closed(let error), .verifying):
            fail(FlicError(linkLost: error), into: &actions)
        case (.connected, _), (.ready, _), (.value, _), (.closed, _):
            break
        }
    }

    mutating func tick(now: Duration, into actions: inout [Action]) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .searching(let until, let roundEnd, let sawBusyButton):
            if sawBusyButton && roundEnd <= now {
                fail(FlicError(.connectedElsewhere), into: &actions)
            } else if until <= now {
                fail(FlicError(.noButtonFound), into: &actions)
            }
        case .verifying(let heard, let id, let mtu, var session):
            var sessionActions: [HostSession.Action] = []
            session.tick(now: now, into: &sessionActions)
            state = .verifying(heard, id, mtu: mtu, session)
            apply(sessionActions, into: &actions)
        case .opening, .preparing, .over: break
        }
    }

    /// Ends the attempt: cancelled, or Bluetooth is gone.
    mutating func end(with error: FlicError, into actions: inout [Action]) {
        guard !isOver else { return }
        if case .verifying(_, _, _, var session) = state {
            var sessionActions: [HostSession.Action] = []
            session.close(into: &sessionActions)
            for case .send(let frame) in sessionActions { actions.append(.write(frame)) }
        }
        fail(error, into: &actions)
    }

    private mutating func fail(_ error: FlicError, into actions: inout [Action]) {
        let link = linkID
        state = .over
        if let link { actions.append(.close(link)) }
        actions.append(.failed(error))
    }

    private mutating func apply(_ sessionActions: [HostSession.Action], into actions: inout [Action]) {
        for (index, action) in sessionActions.enumerated() {
            guard case .verifying(let heard, let id, let mtu, let session) = state else { return }
            switch action {
            case .send(let frame): actions.append(.write(frame))
            case .paired(let button):
                let result = Result(
                    button: button,
                    address: heard.address,
                    product: heard.publicProduct ?? .flic2,
                    advertisedName: heard.name,
                    link: id,
                    mtu: mtu,
                    session: session,
                    pending: Array(sessionActions[(index + 1)...])
                )
                state = .over
                actions.append(.paired(result))
            case .failed(let failure):
                actions.append(.tell(.verificationFailed))
                fail(FlicError(pairing: failure), into: &actions)
            case .unpaired, .ended, .isDuo, .verified, .event, .pushTwist, .rotated, .progress, .queueFinished, .advertisingConfigured, .battery,
                .firmwareVersion, .firmwareProgress, .firmwareInstalled, .firmwareFailed, .renameConfirmed, .nameChanged, .ignored:
                break  // none of these before the pairing, or of no interest
            }
        }
    }
}

extension FlicError {
    /// A link could not be made (contract B.6.3, step 8).
    fileprivate init(linkNotMade error: LinkError?) {
        let code: Code =
            switch error?.code {
            case .timeout: .timedOut
            case .limitReached: .connectionLimitReached
            case .notPoweredOn: .bluetoothUnavailable
            case .serviceNotFound: .serviceNotFound
            case .notifyRefused: .notifyRefused
            case .bondingRequired: .bondingRequired
            case .closedByPeer, .failed, nil: .connectFailed
            }
        self.init(code, detail: error?.description ?? "")
    }

    /// A link ended before the button was paired (contract B.6.3, steps 9 and 10).
    fileprivate init(linkLost error: LinkError?) {
        let code: Code =
            switch error?.code {
            case .notPoweredOn: .bluetoothUnavailable
            case .serviceNotFound: .serviceNotFound
            case .notifyRefused: .notifyRefused
            case .bondingRequired: .bondingRequired
            case .timeout, .limitReached, .closedByPeer, .failed, nil: .linkLost
            }
        self.init(code, detail: error?.description ?? "")
    }

    /// A verification failed while pairing (protocol 6.7).
    init(pairing failure: HostSession.Failure) {
        let code: Code =
            switch failure {
            case .timedOut, .unanswered: .timedOut
            case .mtuTooSmall: .connectFailed
            case .appCredentialsDenied: .wrongBrand
            case .unexpectedAddress: .wrongAddress
            case .invalidVerifier: .invalidVerifier
            case .tooManyApps: .tooManyApps
            case .notInPublicMode: .notInPublicMode
            case .invalidCertificate, .invalidCalculatedSignature, .quickVerifySignatureMismatch, .packetSignatureMismatch,
                .unknownRefusal, .pairingDeniedButPresent:
                .notGenuine
            }
        self.init(code, detail: "\(failure)")
    }
}
