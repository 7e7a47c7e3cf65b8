import FlicProtocol
import Testing

@Suite("What does not fit the state is ignored, in every state (protocol 6.2)")
struct SessionStageTests {
    typealias Action = HostSession.Action

    @Test("At each point the button's next words are understood", arguments: SessionStage.allCases, [23, 140])
    func genuine(_ stage: SessionStage, mtu: Int) {
        var staged = stage.staged(mtu: mtu)
        #expect(staged.session.isEstablished == stage.isEstablished)
        let actions = staged.session.receive(staged.genuine)
        let isIgnored = actions.allSatisfy { if case .ignored = $0 { true } else { false } }
        #expect(!actions.isEmpty)
        #expect(isIgnored == (stage == .idle || stage == .over))
    }

    /// The opcodes that each state of the verification listens to.
    static let expected: [SessionStage: Set<UInt8>] = [
        .full1: [0, 2], .full2: [1, 3], .quick: [2, 6, 8], .test1: [0, 2], .test2: [4],
    ]

    @Test("A verification ignores all other opcodes without leaving its state", arguments: SessionStage.allCases.filter(\.isVerifying))
    func otherOpcodes(_ stage: SessionStage) {
        var staged = stage.staged()
        var undisturbed = staged.session
        for opcode in UInt8.min...UInt8.max where Self.expected[stage]?.contains(opcode) == false {
            let reason: HostSession.IgnoreReason = opcode <= 28 ? .unexpected(opcode: opcode) : .unknown(opcode: opcode)
            for length in [1, 17, 64] {
                let body = [opcode] + [UInt8](repeating: 0xA5, count: length)
                // With the id that the session has, or would get.
                let isIdle = [.full1, .quick, .test1].contains(stage)
                let frames = staged.button.says(body: body, isSigned: false, isNewlyAssigned: isIdle)
                #expect(staged.session.receive(frames) == [.ignored(reason)])
            }
        }
        #expect(staged.session.receive(staged.genuine) == undisturbed.receive(staged.genuine))
    }

    @Test("A session that has not begun, or is over, ignores everything", arguments: [SessionStage.idle, .over], UInt8.min...UInt8.max)
    func noSession(_ stage: SessionStage, header: UInt8) {
        var session = stage.staged().session
        for body in [[], [0], [12, 1, 2, 3, 4, 5, 6], [UInt8](repeating: 0, count: 117), [UInt8](repeating: 9, count: 300)] as [[UInt8]] {
            #expect(session.receive([[header] + body]) == [.ignored(.noSession)])
        }
    }
}
