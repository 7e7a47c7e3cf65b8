import Fixtures
import Testing

@testable import FlicProtocol

@Suite("Rotation of a Flic Twist (protocol 14.3)")
struct TwistPositionTests {
    typealias Action = HostSession.Action

    struct Case: Sendable, CustomTestStringConvertible {
        var start: UInt16
        var total: Int32
        var lowest: Int32
        var highest: Int32
        var top = false
        var visible: UInt16
        var testDescription: String { "\(start): \(total) between \(lowest) and \(highest)\(top ? ", top last" : "")" }
    }

    @Test(
        "The window follows where the position leaves it",
        arguments: [
            Case(start: 0, total: 0, lowest: 0, highest: 0, visible: 0),
            Case(start: 0, total: 100, lowest: 0, highest: 100, visible: 100),
            Case(start: 0, total: 49_152, lowest: 0, highest: 49_152, visible: 49_152),
            Case(start: 0, total: 49_153, lowest: 0, highest: 49_153, visible: 49_152),
            Case(start: 0, total: -1, lowest: -1, highest: 0, visible: 0),
            Case(start: 49_152, total: 1, lowest: 0, highest: 1, visible: 49_152),
            Case(start: 49_152, total: -1, lowest: -1, highest: 0, visible: 49_151),
            Case(start: 65_535, total: -1, lowest: -1, highest: 0, visible: 49_151),
            // Down beyond the end and back: the way back counts from there.
            Case(start: 10, total: 0, lowest: -30, highest: 0, visible: 30),
            Case(start: 49_142, total: 0, lowest: 0, highest: 30, top: true, visible: 49_122),
            // More than a turn between the ends: the last one counts.
            Case(start: 0, total: 0, lowest: -40_000, highest: 40_000, top: true, visible: 9_152),
            Case(start: 0, total: 0, lowest: -40_000, highest: 40_000, visible: 40_000),
            Case(start: 0, total: 8_388_607, lowest: 0, highest: 8_388_607, visible: 49_152),
            Case(start: 0, total: -8_388_608, lowest: -8_388_608, highest: 0, visible: 0),
            // What cannot be changes nothing.
            Case(start: 5, total: 1, lowest: 1, highest: 1, visible: 5),
            Case(start: 5, total: -1, lowest: -1, highest: -1, visible: 5),
            Case(start: 5, total: 2, lowest: 0, highest: 1, visible: 5),
            Case(start: 5, total: -2, lowest: -1, highest: 0, visible: 5),
        ]
    )
    func window(_ example: Case) {
        var position = TwistPosition(visible: example.start)
        position.turn(.init(total: example.total, lowest: example.lowest, highest: example.highest, topWasLast: example.top))
        #expect(position.visible == example.visible)
    }

    @Test("Whatever is reported, what is seen stays within a turn, and a steady hand is followed exactly")
    func random() {
        var position = TwistPosition(visible: 1000)
        var truth = 1000
        var generator = Random(seed: 7)
        for _ in 0..<20_000 {
            let delta = Int32.random(in: -60_000...60_000, using: &generator)
            truth = min(max(truth + Int(delta), 0), 49_152)
            position.turn(.init(total: delta, lowest: min(delta, 0), highest: max(delta, 0), topWasLast: delta > 0))
            #expect(Int(position.visible) == truth)
        }
    }

    private var button = ScriptedButton.twist

    private func report(_ delta: Int32, mode: UInt8 = 0, tooOld: Bool = false, counter: UInt16 = 0) -> Twist.TwistEventNotification {
        .with {
            $0.twistModeIndex = mode
            $0.turning = .init(total: delta, lowest: min(delta, 0), highest: max(delta, 0), topWasLast: delta > 0)
            $0.hubUpdateWasTooOld = tooOld
            $0.lastKnownHubPacketCounter = counter
        }
    }

    @Test("Reports are told with mode, way and place; each mode has its own, from where the configuration puts it")
    mutating func told() {
        var settings = SessionSettings()
        settings.twist[3].position = 40_000
        var session = button.runningTwist(settings: settings)
        #expect(session.receive(button.says(report(100))) == [.rotated(.init(mode: 0, delta: 100, position: 100))])
        #expect(session.receive(button.says(report(10_000, mode: 3))) == [.rotated(.init(mode: 3, delta: 10_000, position: 49_152))])
        #expect(session.receive(button.says(report(-50))) == [.rotated(.init(mode: 0, delta: -50, position: 50))])
        #expect(session.receive(button.says(report(5, mode: 13))) == [.ignored(.impossible)])
        var impossible = report(5)
        impossible.minimumDelta = 1
        #expect(session.receive(button.says(impossible)) == [.ignored(.impossible)])
        #expect(session.receive(button.says(body: [10, 0, 0])) == [.ignored(.tooShort)])
    }

    private func update(_ mode: UInt8, _ minimum: Int64, after reports: UInt32) -> Twist.UpdateTwistPosInd {
        .with {
            $0.twistModeIndex = mode
            $0.newMinimum = minimum
            $0.receivedUpdates = reports
        }
    }

    @Test("Moving the window names the reports seen; what comes after is followed from there, and a refusal is answered once")
    mutating func moving() {
        var session = button.runningTwist()
        func set(_ position: UInt16, mode: UInt8 = 0) -> [Action] {
            var actions: [Action] = []
            session.setTwistPosition(position, mode: mode, into: &actions)
            return actions
        }
        _ = session.receive(button.says(report(100)))
        #expect(set(1000) == button.hears(update(0, -900, after: 1)))
        #expect(session.receive(button.says(report(50))) == [.rotated(.init(mode: 0, delta: 50, position: 1050))])
        let turned: Action = .rotated(.init(mode: 0, delta: 50, position: 1100))
        #expect(session.receive(button.says(report(50, tooOld: true, counter: 1))) == [turned] + button.hears(update(0, -900, after: 3)))
        // The refusal of the first one is known; of the second, nothing is known.
        #expect(session.receive(button.says(report(0, tooOld: true, counter: 1))) == [.rotated(.init(mode: 0, delta: 0, position: 1100))])
        #expect(session.receive(button.says(report(0, counter: 2))) == [.rotated(.init(mode: 0, delta: 0, position: 1100))])
        #expect(set(60_000, mode: 12) == button.hears(update(12, -49_152, after: 5)))
        #expect(set(5, mode: 13) == [])
    }

    @Test("Before the start-up, a place becomes one of the configuration")
    mutating func early() {
        var session = button.client(ScriptedButton.memory())
        _ = session.start()
        var actions: [Action] = []
        session.setTwistPosition(777, mode: 2, into: &actions)
        #expect(actions == [])
        button.beginQuickSession()
        var configuration = Twist.Configuration.standard
        configuration[2].position = 777
        let expected: [Action] = [.verified] + button.hears(button.twistRequest(.known, configuration))
        #expect(session.receive(button.says(Twist.QuickVerifyResponse(button.quickVerifyResponse))) == expected)
    }

    @Test("Another configuration is told at once, with the places of now, and not twice")
    mutating func configuration() {
        var session = button.runningTwist()
        _ = session.receive(button.says(report(321, mode: 4)))
        var wanted = Twist.Configuration.standard
        wanted[4].ledMode = 3
        wanted[4].position = 9  // where it stands is another matter
        var actions: [Action] = []
        session.setTwist(wanted, now: .zero, into: &actions)
        wanted[4].position = 321
        #expect(actions == button.hears(Twist.ChangeConfigRequest.with { $0.configuration = wanted }))
        #expect(session.receive(button.says(body: [23])) == [])
        #expect(session.receive(button.says(body: [23, 0])) == [.ignored(.unrequested(opcode: Twist.ChangeConfigResponse.sessionOpcode))])
        actions = []
        session.setTwist(wanted, now: .zero, into: &actions)
        #expect(actions == [] && session.deadline != nil)
    }

    @Test("A device that is told late follows its reports once more", arguments: 0...8)
    func replay(_ late: Int) {
        var device = TwistPosition(visible: 0)
        var host = TwistPosition(visible: 0)
        var generator = Random(seed: UInt64(late))
        let turnings = (0..<late).map { _ in
            let delta = Int32.random(in: -60_000...60_000, using: &generator)
            return TwistPosition.Turning(total: delta, lowest: min(delta, 0), highest: max(delta, 0), topWasLast: delta > 0)
        }
        for turning in turnings { device.turn(turning) }
        host.show(20_000)
        let minimum = host.minimum
        for turning in turnings { host.turn(turning) }
        device.setMinimum(minimum, before: turnings)
        #expect(device == host)
    }
}
