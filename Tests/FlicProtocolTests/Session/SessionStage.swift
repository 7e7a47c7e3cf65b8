import FlicProtocol

/// The points in the life of a session, for tests that have to hold at all of them.
enum SessionStage: String, CaseIterable, Sendable {
    case idle
    case full1, full2
    case quick, test1, test2
    case initialising, initialisingAfterPairing
    case queue, queueAfterPairing
    case starting, startingAfterPairing
    case running
    case over

    var isVerifying: Bool { [.full1, .full2, .quick, .test1, .test2].contains(self) }
    var isEstablished: Bool { ![.idle, .over].contains(self) && !isVerifying }

    private var isPairing: Bool {
        [.full1, .full2, .initialisingAfterPairing, .queueAfterPairing, .startingAfterPairing].contains(self)
    }

    /// A session that has come to this point.
    struct Staged: Sendable {
        var session: HostSession
        /// The button at the other end, which has said everything but ``genuine``.
        var button: ScriptedButton
        /// What the button says next.
        var genuine: [[UInt8]]
        /// The frames that it has said before.
        var former: [[UInt8]]
    }

    /// Brings a session to this point, at the time `now`.
    func staged(mtu: Int = 140, at now: Duration = .zero) -> Staged {
        var button = ScriptedButton(mtu: mtu)
        var session = button.client(isPairing ? nil : ScriptedButton.memory())
        if isPairing { button.beginFullSession() } else { button.beginQuickSession() }
        if self != .idle { _ = session.start(at: now) }
        var former: [[UInt8]] = []
        for line in script.dropLast() {
            let frames = line(&button)
            former += frames
            let actions = session.receive(frames, at: now)
            guard session.isEstablished else { continue }
            for case .send(let frame) in actions { _ = button.understands(frame) }  // the button counts what it hears
        }
        if self == .over { _ = session.close() }
        var speaking = button
        return Staged(session: session, button: button, genuine: script.last!(&speaking), former: former)
    }

    private typealias Line = (inout ScriptedButton) -> [[UInt8]]

    /// What the button says up to this point, and then one thing more.
    private var script: [Line] {
        let opening: [Line] = isPairing ? [{ $0.says($0.certificate) }, { $0.says($0.introduction) }] : [{ $0.says($0.quickVerifyResponse) }]
        let refused: [Line] = [{ $0.says($0.refusal) }, { $0.says($0.certificate) }]
        let begun: [Line] = isPairing ? [{ $0.says($0.newBoot(1, count: 3)) }] : [{ $0.says($0.sameBoot()) }]
        return switch self {
        case .idle, .full1, .quick:
            [opening[0]]
        case .full2:
            opening
        case .test1:
            refused
        case .test2:
            refused + [{ $0.says($0.gone) }]
        case .initialising, .initialisingAfterPairing:
            opening + begun
        case .queue:
            opening + [
                { $0.says($0.sameBoot(hasQueue: true)) },
                { $0.says(ButtonEventNotification.of([.queued(1), .queued(10, isLast: true)], count: 403)) },
            ]
        case .queueAfterPairing:
            opening + [
                { $0.says($0.newBoot(1, count: 0, hasQueue: true)) },
                { $0.says(ButtonEventNotification.of([.queued(1), .queued(10, isLast: true)], count: 3)) },
            ]
        case .starting:
            opening + begun + [{ $0.says($0.name("Lamp")) }]
        case .startingAfterPairing:
            opening + begun + [{ $0.says(SetAdvParametersResponse()) }]
        case .running, .over:
            opening + begun + [
                { $0.says($0.battery(800)) },
                { $0.says($0.name("Desk")) },
                { $0.says($0.firmware(10)) },
                { $0.says(ButtonEventNotification.of([.live(1), .live(10)], count: 403)) },
            ]
        }
    }
}
