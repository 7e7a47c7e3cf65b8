import FlicProtocol
import Testing

@Suite("Times of a session (protocol 6.3)")
struct SessionClockTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()
    private let start = Duration.seconds(1000)

    @Test("A verification may take just under 31 seconds, from its first packet to its end", arguments: SessionStage.allCases.filter(\.isVerifying))
    func verification(_ stage: SessionStage) {
        let session = stage.staged(at: start).session
        // An id that was assigned is given back, or it would stay taken on a link that others share.
        let id = session.connectionID
        let abort: [Action] = id.map { [.send([$0] + FullVerifyAbortInd().body)] } ?? []
        #expect((id != nil) == (stage == .full2 || stage == .test2))
        #expect(session.deadline == start + .seconds(31))
        var copy = session
        #expect(copy.tick(at: start + .milliseconds(30_999)) == [])
        #expect(copy.tick(at: start + .seconds(31)) == abort + [.failed(.timedOut)])
        #expect(copy.tick(at: start + .seconds(31)) == [])
        #expect(copy.deadline == nil)
        copy = session
        #expect(copy.tick(at: start + .seconds(5000)) == abort + [.failed(.timedOut)])
        copy = session
        #expect(copy.close() == abort)
    }

    @Test("A session that has not begun, or is over, waits for nothing", arguments: [SessionStage.idle, .over])
    func nothing(_ stage: SessionStage) {
        var session = stage.staged().session
        #expect(session.deadline == nil)
        #expect(session.tick(at: .seconds(1_000_000)) == [])
    }

    @Test("The battery is asked for every three hours; and once after a minute, of a button that has not pinged twice until then")
    mutating func battery() {
        var session = button.runningClient()
        #expect(session.deadline == .seconds(60))
        #expect(session.tick(at: .seconds(60)) == button.hears(GetBatteryLevelRequest()))
        #expect(session.receive(button.says(button.battery(1)), at: .seconds(61)) == [.battery(BatteryLevel(raw: 1))])
        for hours in [3, 6, 9] {
            let due = Duration.seconds(hours * 3600)
            #expect(session.deadline == due)
            #expect(session.tick(at: due - .milliseconds(1)) == [])
            #expect(session.tick(at: due) == button.hears(GetBatteryLevelRequest()))
            #expect(session.deadline == due + .seconds(10))
            #expect(session.tick(at: due) == [])
            let answer: [Action] = [.battery(BatteryLevel(raw: UInt16(hours)))]
            #expect(session.receive(button.says(button.battery(UInt16(hours))), at: due) == answer)
        }
    }

    @Test("A late clock asks once, and counts three hours from then")
    mutating func lateBattery() {
        var session = button.runningClient()
        #expect(session.tick(at: .seconds(100_000)) == button.hears(GetBatteryLevelRequest()))
        #expect(session.receive(button.says(button.battery(1)), at: .seconds(100_000)) == [.battery(BatteryLevel(raw: 1))])
        #expect(session.deadline == .seconds(100_000 + 3 * 3600))
    }

    @Test("Queued events may take their time; the start-up waits for the last one")
    mutating func slowQueue() {
        var session = button.initialisingClient()
        #expect(session.receive(button.says(button.sameBoot(hasQueue: true)), at: .seconds(9)) == [])
        #expect(session.deadline == nil)
        #expect(session.tick(at: .seconds(500)) == [])
    }
}
