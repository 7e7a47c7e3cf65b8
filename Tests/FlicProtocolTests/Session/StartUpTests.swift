import FlicProtocol
import Testing

@Suite("Start-up of a session (protocol 6.4)")
struct StartUpTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()

    /// A session that has just been paired: the init request is out.
    private mutating func pairedClient(firmwareVersion: UInt32 = 10) -> HostSession {
        var session = button.client(nil)
        _ = session.start()
        _ = session.receive(button.says(button.certificate))
        button.beginFullSession()
        var introduction = button.introduction
        introduction.firmwareVersion = firmwareVersion
        let request = button.initRequest(EventPosition(), maximumQueued: 0)
        #expect(session.receive(button.says(introduction)) == [button.paired(introduction), .verified] + button.hears(request))
        return session
    }

    private func begun(_ bootID: UInt32, _ count: UInt32) -> [Action] {
        [.progress(EventPosition(bootID: bootID, eventCount: count)), .queueFinished]
    }

    @Test("After a reconnect: link, advertising, battery, name, firmware, two at a time")
    mutating func afterReconnect() {
        var session = button.initialisingClient()
        let first = button.hears(button.parameters()) + button.hears(button.advertising()) + button.hears(GetBatteryLevelRequest())
        #expect(session.receive(button.says(button.newBoot(8, count: 4))) == begun(8, 4) + first)
        #expect(session.receive(button.says(SetAdvParametersResponse())) == [.advertisingConfigured] + button.hears(GetNameRequest()))
        let level = BatteryLevel(raw: 800)
        #expect(session.receive(button.says(button.battery(800))) == [.battery(level)] + button.hears(GetFirmwareVersionRequest()))
        #expect(session.receive(button.says(button.name("Desk"))) == [])
        #expect(session.receive(button.says(button.firmware(11))) == [.firmwareVersion(11)])
        #expect(session.deadline == .seconds(60))
    }

    @Test("After a pairing: link, advertising, name; battery and firmware are known")
    mutating func afterPairing() {
        var session = pairedClient()
        let requests = button.hears(button.parameters()) + button.hears(button.advertising()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.newBoot(1, count: 3))) == begun(1, 3) + requests)
        #expect(session.receive(button.says(button.name("Desk"))) == [])
        #expect(session.receive(button.says(SetAdvParametersResponse())) == [.advertisingConfigured])
        #expect(session.deadline == .seconds(60))
    }

    @Test("Firmware before 6 knows no advertising settings", arguments: [0, 5, 6, 7])
    mutating func oldFirmware(_ version: UInt32) {
        var session = pairedClient(firmwareVersion: version)
        let link = button.hears(button.parameters())
        let advertising = version < 6 ? [] : button.hears(button.advertising())
        let requests = link + advertising + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.newBoot(1, count: 3))) == begun(1, 3) + requests)
    }

    @Test(
        "Advertising is configured once for each boot of the button",
        arguments: [(false, false, true), (false, true, true), (true, false, false), (true, true, true)]
    )
    mutating func advertising(isConfigured: Bool, isNewBoot: Bool, isAsked: Bool) {
        var session = button.initialisingClient(ScriptedButton.memory(isAdvertisingConfigured: isConfigured))
        let answer = isNewBoot ? button.says(button.newBoot(8, count: 9)) : button.says(button.sameBoot(count: 9))
        let link = button.hears(button.parameters())
        let second = isAsked ? button.hears(button.advertising()) : button.hears(GetBatteryLevelRequest())
        let third = isAsked ? button.hears(GetBatteryLevelRequest()) : button.hears(GetNameRequest())
        #expect(session.receive(answer) == begun(isNewBoot ? 8 : 7, 9) + link + second + third)
    }

    @Test("A boot id that is answered although it was known is no new boot")
    mutating func knownBootID() {
        var session = button.initialisingClient()
        let requests = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.newBoot(7, count: 400))) == begun(7, 400) + requests)
    }

    @Test("Before the start-up events are through, only pings and events are answered")
    mutating func silent() {
        var session = button.initialisingClient()
        let rename = Rename(name: ButtonName("Door"), timestamp: 5)
        #expect(session.rename(rename) == [])
        #expect(session.setConnectionParameters(.low) == [])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
        #expect(session.receive(button.says(button.sameBoot(hasQueue: true))) == [])
        #expect(session.receive(button.says(PingRequest())) == button.hears(PingResponse()))
        #expect(session.tick(at: .seconds(3600)) == [])

        let queue = ButtonEventNotification.of([.queued(1, isLast: true)], count: 401)
        let events: [Action] = [.event(.queued(1, count: 401))] + begun(7, 401)
        let requests =
            button.hears(button.parameters(.low)) + button.hears(GetBatteryLevelRequest()) + button.hears(button.setName(rename, isForced: false))
        #expect(session.receive(button.says(queue)) == events + requests)
    }

    @Test("The init answer is taken once")
    mutating func answeredTwice() {
        var session = button.runningClient()
        #expect(session.receive(button.says(button.sameBoot(count: 500))) == [.ignored(.unrequested(opcode: 11))])
        #expect(session.receive(button.says(button.newBoot(9, count: 500))) == [.ignored(.unrequested(opcode: 10))])
        let expected: [Action] = [.event(.live(1, count: 401)), .progress(EventPosition(bootID: 7, eventCount: 401))]
        #expect(session.receive(button.says(ButtonEventNotification.of([.live(1)], count: 401))) == expected)
    }
}
