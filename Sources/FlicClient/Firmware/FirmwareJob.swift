import FlicProtocol

/// A firmware update of a button, over as many sessions as it takes (protocol 9.4).
///
/// Pure: ``ButtonConnection`` tells what happens, and does what the ``Step``s say.
///
/// ```
///            running session                 all acknowledged                 version of a new session
/// waiting ──────────────────▶ transferring ─────────────────▶ restarting ─────────────────────────────▶ over: finished
///    ▲  ▲                          │ │
///    │  └──── session gone ────────┘ │
///    └─ all sent, session gone ──────┘   then the version of the next session decides: another one is success, the same one means: go on
/// ```
///
/// A lost link is not the end: the button remembers how far it is. If it was lost after the last byte, the button may have restarted before it could
/// acknowledge; only its version tells. Whatever happens, the job ends when nothing has come forward for ``patience``, and when the button has forgotten
/// ``mostFreshStarts`` times how far it was.
struct FirmwareJob: Sendable {
    /// What has to be done.
    enum Step: Sendable {
        case begin(FirmwareImage, wasSent: Bool)
        case tell(FirmwareUpdate)
        /// The job is over.
        case end(FirmwareError?)
    }

    private enum Phase: Sendable {
        case waiting
        case transferring
        /// The boot of the button that has the image.
        case restarting(boot: UInt32)
    }

    /// A button that is told to begin anew so often will not come to the end.
    static let mostFreshStarts = 5

    private let image: FirmwareImage
    private let patience: Duration
    private var phase = Phase.waiting
    /// The version before the update; the button may tell it while the image is under way.
    private var version: UInt32
    private var acknowledged = 0
    private var freshStarts = 0
    /// All of the image has been given to a link.
    private var wasSent = false
    /// When nothing has come forward for too long.
    private(set) var deadline: Duration

    /// - Parameters:
    ///   - patience: At least a second.
    ///   - version: That of the firmware that runs, as far as it is known.
    init(_ image: FirmwareImage, patience: Duration, version: UInt32, now: Duration) {
        self.image = image
        self.patience = max(patience, .seconds(1))
        self.version = version
        deadline = now + self.patience
    }

    /// There is a running session.
    ///
    /// - Parameter isNew: It has just begun, so that it will tell the version.
    mutating func sessionRuns(isNew: Bool) -> [Step] {
        guard case .waiting = phase, !(wasSent && isNew) else { return [] }
        return begin()
    }

    private mutating func begin() -> [Step] {
        phase = .transferring
        return [.begin(image, wasSent: wasSent)]
    }

    /// The session is gone.
    mutating func sessionEnded() -> [Step] {
        guard case .transferring = phase else { return [] }
        phase = .waiting
        return [.tell(.waiting)]
    }

    mutating func progressed(_ progress: HostSession.FirmwareProgress, now: Duration) -> [Step] {
        guard case .transferring = phase else { return [] }
        if progress.acknowledged < acknowledged {
            freshStarts += 1
            guard freshStarts <= Self.mostFreshStarts else {
                return [.end(FirmwareError(.noProgress, detail: "the button has forgotten \(freshStarts) times how far it was"))]
            }
        }
        if progress.acknowledged > acknowledged { deadline = now + patience }
        acknowledged = progress.acknowledged
        if progress.sent == progress.total { wasSent = true }
        return [.tell(.transferring(acknowledged: progress.acknowledged, total: progress.total))]
    }

    /// The button has all of it.
    mutating func installed(boot: UInt32, now: Duration) -> [Step] {
        guard case .transferring = phase else { return [] }
        phase = .restarting(boot: boot)
        deadline = now + patience
        return [.tell(.restarting)]
    }

    /// The button has told its version.
    mutating func versionTold(_ told: UInt32, boot: UInt32) -> [Step] {
        switch phase {
        case .transferring:
            version = told
            return []
        case .waiting:
            guard wasSent else { return [] }
            return told == version ? begin() : [.tell(.finished(old: version, new: told)), .end(nil)]
        case .restarting(let former):
            guard told != version || boot != former else { return [.end(FirmwareError(.notRestarted, detail: "version \(told)"))] }
            return [.tell(.finished(old: version, new: told)), .end(nil)]
        }
    }

    mutating func failed(_ failure: HostSession.FirmwareFailure) -> [Step] {
        guard case .transferring = phase else { return [] }
        switch failure {
        case .notRunning, .aborted:
            phase = .waiting
            return [.tell(.waiting)]
        case .stalled: return begin()  // it says where it is; patience ends that
        case .busy: return [.end(FirmwareError(.busy))]
        case .awaitsRestart: return [.end(FirmwareError(.awaitsRestart))]
        case .invalidParameters: return [.end(FirmwareError(.refused, detail: "invalid parameters"))]
        case .refused(let code): return [.end(FirmwareError(.refused, detail: "code \(code)"))]
        case .impossiblePosition(let position): return [.end(FirmwareError(.notUnderstood, detail: "position \(position)"))]
        case .invalidSignature: return [.end(FirmwareError(.invalidSignature))]
        }
    }

    /// Gives up when it is time to.
    func tick(now: Duration) -> [Step] {
        guard deadline <= now else { return [] }
        let what =
            switch phase {
            case .waiting: "the button was not ready"
            case .transferring: "nothing was acknowledged"
            case .restarting: "the button has not come back"
            }
        return [.end(FirmwareError(.noProgress, detail: "\(what) for \(patience / .seconds(1)) s"))]
    }
}
