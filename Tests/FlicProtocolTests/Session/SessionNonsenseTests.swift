import Fixtures
import FlicProtocol
import Testing

/// Buttons that sign rightly and talk nonsense, and radio traffic that is for others.
@Suite("Signed nonsense, and others' traffic")
struct SessionNonsenseTests {
    typealias Action = HostSession.Action

    @Test(
        "What a button has signed may be nonsense: it is bounded, and all answers are signed in order",
        arguments: SessionStage.allCases.filter(\.isEstablished)
    )
    func signed(_ stage: SessionStage) {
        let staged = stage.staged()
        var random = Random(seed: 3)
        var session = staged.session
        var button = staged.button
        var length = 0
        let noise = random.bytes(4096)
        for _ in 0..<10_000 {
            if length == 0 || !session.isEstablished {
                session = staged.session
                button = staged.button
                length = 40
            }
            length -= 1
            let start = Int(random.next() % 3900)
            let opcode = random.next() % 4 == 0 ? 12 : UInt8(random.next() % 40)
            let body = [opcode] + noise[start..<start + Int(random.next() % 120)]
            let actions = session.receive(button.says(body: body))
            if !isBounded(actions) || !isAnswered(actions, by: &button) {
                Issue.record("\(body) led to \(actions)")
                return
            }
        }
    }

    /// At most sixteen events, with what belongs to them and to the start-up; a signed packet never is a wrong signature.
    private func isBounded(_ actions: [Action]) -> Bool {
        let isRight = actions.allSatisfy {
            switch $0 {
            case .paired, .verified, .unpaired, .failed: false
            default: true
            }
        }
        let deliveries = actions.count { if case .event = $0 { true } else { false } }
        return isRight && actions.count <= 22 && deliveries <= 16
    }

    private func isAnswered(_ actions: [Action], by button: inout ScriptedButton) -> Bool {
        for case .send(let frame) in actions where !button.understands(frame) { return false }
        return true
    }

    @Test("Traffic for others between the fragments changes nothing, at any point", arguments: SessionStage.allCases)
    func interleaved(_ stage: SessionStage) {
        let staged = stage.staged(mtu: 23)
        var undisturbed = staged.session
        let expected = undisturbed.receive(staged.genuine)
        var random = Random(seed: 4)
        for _ in 0..<200 {
            var session = staged.session
            var actions: [Action] = []
            for frame in staged.genuine {
                for _ in 0..<random.next() % 8 { _ = session.receive([foreignFrame(&random)]) }
                actions += session.receive([frame])
            }
            guard actions == expected else {
                Issue.record("\(actions) instead of \(expected)")
                return
            }
        }
    }

    /// Something on the link that is not for this session.
    private func foreignFrame(_ random: inout Random) -> [UInt8] {
        let id: [UInt8] = [1, 2, 3, 4, 6, 31]
        let header = id[Int(random.next() % 6)] | UInt8(random.next() % 8) << 5
        return [header] + random.bytes(Int(random.next() % 20))
    }
}
