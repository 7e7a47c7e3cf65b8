import FlicProtocol

/// One client's share of the link: first a verification, then a session.
struct LogicalConnection: Sendable {
    /// 1 to 31.
    let id: UInt8
    var phase: Phase

    enum Phase: Sendable {
        /// FullVerifyResponse1 was sent with these random bytes.
        case verifying(random: [UInt8], since: UInt64)
        case session(Session)
    }

    var session: Session? {
        get {
            if case .session(let session) = phase { session } else { nil }
        }
        set {
            if let newValue { phase = .session(newValue) }
        }
    }
}

/// A verified logical connection. All times are ticks.
struct Session: Sendable {
    /// The pairing that was used.
    let pairing: UInt32
    var incoming: PacketSigner
    var outgoing: PacketSigner
    /// The client has asked for events: it gets live ones.
    var isInitialized = false
    /// The client uses the packets of a Flic Duo, if the button is one.
    let understandsDuo: Bool
    /// The client has asked for the events of a Duo: what it has been sent.
    var duoStream: DuoEventStream?
    /// Buttons of a Duo whose turning it wants to know.
    var pushTwist: DuoButtons = []
    /// Seconds; 511 for never.
    var autoDisconnectTime: UInt16 = 511
    /// When the client or the finger did something.
    var lastActivity: UInt64
    /// When to send the next ping.
    var nextPing: UInt64?
    /// When a ping that was sent must have been answered.
    var pingDeadline: UInt64?
    /// Timers of the client, with their messages.
    var apiTimers: [ApiTimer] = []
    /// The count of the client's last acknowledgement.
    var acknowledged: UInt32?

    struct ApiTimer: Sendable {
        let due: UInt64
        let message: UInt32
    }

    init(pairing: UInt32, key: ChaskeyLTS, understandsDuo: Bool, now: UInt64) {
        self.pairing = pairing
        self.understandsDuo = understandsDuo
        incoming = PacketSigner(key: key, direction: .toButton)
        outgoing = PacketSigner(key: key, direction: .fromButton)
        lastActivity = now
    }
}

/// Why a session ends (protocol 6.6).
package enum SessionEnd: UInt8, Sendable {
    case pingNotAnswered = 0
    case wrongSignature = 1
    case samePairingElsewhere = 2
    case asAsked = 3

    /// As it is told. A Flic Twist knows two reasons only (protocol 14.1).
    func number(_ dialect: Dialect) -> UInt8 {
        switch dialect {
        case .flic2: rawValue
        case .twist: self == .wrongSignature ? 0 : 1
        }
    }
}
