import FlicProtocol
import Testing

@Suite("Requests: two at a time, in order, answered in time (protocol 4.1, 6.3)")
struct RequestQueueTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()

    /// Battery and name are outstanding since the time zero, the firmware version waits.
    private mutating func asking() -> HostSession {
        var session = button.initialisingClient()
        let requests = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.sameBoot())) == [.progress(.known), .queueFinished] + requests)
        return session
    }

    @Test("An answer makes room for one more request, whichever comes first")
    mutating func anyOrder() {
        var session = asking()
        #expect(session.receive(button.says(button.name("Desk"))) == button.hears(GetFirmwareVersionRequest()))
        #expect(session.receive(button.says(button.firmware(10))) == [.firmwareVersion(10)])
        #expect(session.receive(button.says(button.battery(1))) == [.battery(BatteryLevel(raw: 1))])
    }

    @Test("Indications do not wait for room")
    mutating func indications() {
        var session = asking()
        #expect(session.setConnectionParameters(.low) == button.hears(button.parameters(.low)))
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
        let events: [Action] = [.event(.live(2, count: 404)), .progress(EventPosition(bootID: 7, eventCount: 404))]
        let notification = ButtonEventNotification.of([.live(2)], count: 404)
        #expect(session.receive(button.says(notification)) == events + button.hears(button.acknowledgement(404)))
    }

    @Test("Answers to nothing are ignored, but they count")
    mutating func unrequested() {
        var session = button.runningClient()
        #expect(session.receive(button.says(button.battery(1))) == [.ignored(.unrequested(opcode: 20))])
        #expect(session.receive(button.says(button.firmware(1))) == [.ignored(.unrequested(opcode: 5))])
        #expect(session.receive(button.says(button.name("X"))) == [.ignored(.unrequested(opcode: 16))])
        #expect(session.receive(button.says(button.nameSet("X"))) == [.ignored(.unrequested(opcode: 17))])
        #expect(session.receive(button.says(SetAdvParametersResponse())) == [.ignored(.unrequested(opcode: 25))])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
    }

    @Test("A second answer to one request is one to nothing")
    mutating func answeredTwice() {
        var session = asking()
        let expected: [Action] = [.battery(BatteryLevel(raw: 7))] + button.hears(GetFirmwareVersionRequest())
        #expect(session.receive(button.says(button.battery(7))) == expected)
        #expect(session.receive(button.says(button.battery(8))) == [.ignored(.unrequested(opcode: 20))])
    }

    @Test("A get is not answered by the answer to a set")
    mutating func otherAnswer() {
        var session = asking()
        #expect(session.receive(button.says(button.nameSet("Desk"))) == [.ignored(.unrequested(opcode: 17))])
        #expect(session.receive(button.says(button.name("Desk"))) == button.hears(GetFirmwareVersionRequest()))
    }

    @Test("An answer that is too short leaves the request unanswered", arguments: [[20, 1], [16], [16, 1, 2, 3, 4, 5]] as [[UInt8]])
    mutating func tooShort(_ body: [UInt8]) {
        var session = asking()
        #expect(session.receive(button.says(body: body)) == [.ignored(.tooShort)])
        let expected: [Action] = [.battery(BatteryLevel(raw: 7))] + button.hears(GetFirmwareVersionRequest())
        #expect(session.receive(button.says(button.battery(7))) == expected)
        #expect(session.receive(button.says(button.name("Desk"))) == [])
    }

    @Test("An answer may have more fields than are known")
    mutating func longer() {
        var session = asking()
        let expected: [Action] = [.battery(BatteryLevel(raw: 0x0201))] + button.hears(GetFirmwareVersionRequest())
        #expect(session.receive(button.says(body: [20, 1, 2, 3, 4])) == expected)
    }

    @Test("A request that is not answered for ten seconds ends the session, and gives the id back")
    mutating func unanswered() {
        var session = asking()
        #expect(session.deadline == .seconds(10))
        #expect(session.tick(at: .milliseconds(9_999)) == [])
        #expect(session.tick(at: .seconds(10)) == button.hears(DisconnectVerifiedLinkInd()) + [.failed(.unanswered(opcode: 20))])
        #expect(session.deadline == nil)
        #expect(!session.isEstablished)
        #expect(session.receive(button.says(button.battery(1))) == [.ignored(.noSession)])
    }

    @Test("The ten seconds of a request begin when it is sent, not when it is wished for")
    mutating func waitingIsFree() {
        var session = asking()
        #expect(session.receive(button.says(button.battery(7)), at: .seconds(9)).last == button.hears(GetFirmwareVersionRequest()).last)
        #expect(session.deadline == .seconds(10))
        #expect(session.receive(button.says(button.name("Desk")), at: .seconds(9)) == [])
        #expect(session.deadline == .seconds(19))
        #expect(session.tick(at: .milliseconds(18_999)) == [])
        #expect(session.tick(at: .seconds(19)) == button.hears(DisconnectVerifiedLinkInd()) + [.failed(.unanswered(opcode: 8))])
    }

    @Test("The init request has to be answered, too")
    mutating func initUnanswered() {
        var session = button.initialisingClient()
        #expect(session.deadline == .seconds(10))
        #expect(session.tick(at: .milliseconds(9_999)) == [])
        #expect(session.tick(at: .seconds(60)) == button.hears(DisconnectVerifiedLinkInd()) + [.failed(.unanswered(opcode: 23))])
    }
}
