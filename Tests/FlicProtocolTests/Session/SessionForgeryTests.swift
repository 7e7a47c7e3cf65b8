import FlicProtocol
import Testing

@Suite("Forged frames (protocol 5.6, 6.2)")
struct SessionForgeryTests {
    typealias Action = HostSession.Action

    /// What a forged frame may lead to at most: it is ignored, it disturbs a verification, or it ends the session. Nothing of that
    /// changes what is stored.
    static func isHarmless(_ actions: [Action], at stage: SessionStage) -> Bool {
        switch (actions.first, actions.count) {
        case (nil, _): true
        case (.ignored(let reason), 1): isHarmless(reason, at: stage)
        case (.failed(let failure), 1): stage.isVerifying && failure != .packetSignatureMismatch
        case (.send, 1): [.full1, .quick, .test1].contains(stage)  // the next question, which is not secret
        case (.send, 2): stage.isEstablished && actions[1] == .failed(.packetSignatureMismatch)
        default: false
        }
    }

    private static func isHarmless(_ reason: HostSession.IgnoreReason, at stage: SessionStage) -> Bool {
        switch reason {
        case .noSession: stage == .idle || stage == .over
        case .tooShort, .notMine, .oversize, .repeated: true
        case .foreignTemporaryID, .unexpected, .unknown: stage.isVerifying
        case .unrequested, .duplicate, .noItems, .impossible, .beforePairing: false
        }
    }

    @Test(
        "Nothing of 120,000 forged frames is delivered, stored or believed: 60,000 alone and 60,000 in a row",
        arguments: SessionStage.allCases,
        [false, true]
    )
    func forged(_ stage: SessionStage, inRow: Bool) {
        let staged = stage.staged()
        var forger = FrameForger(stage, genuine: staged.genuine[0], former: staged.former, seed: inRow ? 1 : 2)
        var session = staged.session
        var actions: [Action] = []
        for _ in 0..<60_000 {
            let frame = forger.frame()
            actions.removeAll(keepingCapacity: true)
            session.receive(frame.span, now: .zero, into: &actions)
            guard Self.isHarmless(actions, at: stage), stage.isEstablished || !session.isEstablished else {
                Issue.record("\(frame) led to \(actions)")
                return
            }
            if case .failed = actions.last { session = staged.session }
            if !inRow { session = staged.session }
        }
    }
}
