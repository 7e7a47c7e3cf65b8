import FlicProtocol
import Testing

@Suite("Settings that change in a session (protocol 6.4, 9.5, 9.6)")
struct ChangedSettingsTests {
    typealias Action = HostSession.Action

    private var button = ScriptedButton()

    private let begun: [Action] = [.progress(.known), .queueFinished]

    // MARK: Auto disconnect

    @Test("The time of an idle link is told at once, unless the button knows it; what does not fit counts as never")
    mutating func autoDisconnect() {
        var session = button.runningClient()
        #expect(session.setAutoDisconnectTime(511) == [])
        #expect(session.setAutoDisconnectTime(60) == button.hears(button.autoDisconnect(60)))
        #expect(session.setAutoDisconnectTime(60) == [])
        #expect(session.setAutoDisconnectTime(600) == button.hears(button.autoDisconnect(511)))
        #expect(session.setAutoDisconnectTime(511) == [])
    }

    @Test("Set during the verification, it is part of the first request")
    mutating func autoDisconnectWhileVerifying() {
        var session = button.client(ScriptedButton.memory())
        _ = session.start()
        #expect(session.setAutoDisconnectTime(60) == [])
        button.beginQuickSession()
        var request = button.initRequest()
        request.autoDisconnectTime = 60
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(request))
        let requests = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.sameBoot())) == begun + requests)
    }

    @Test("Set between the first request and its answer, it is told in the start-up")
    mutating func autoDisconnectWhileInitialising() {
        var session = button.initialisingClient()
        #expect(session.setAutoDisconnectTime(40) == [])
        #expect(session.setAutoDisconnectTime(60) == [])
        let link = button.hears(button.parameters()) + button.hears(button.autoDisconnect(60))
        let requests = button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.sameBoot())) == begun + link + requests)
    }

    // MARK: Advertising

    @Test("Other advertising is asked for at once, and once", arguments: [SessionSettings.Advertising.eager, .off])
    mutating func advertising(_ advertising: SessionSettings.Advertising) {
        var session = button.runningClient()
        #expect(session.setAdvertising(.sparing) == [])
        #expect(session.setAdvertising(advertising) == button.hears(button.advertising(advertising)))
        #expect(session.setAdvertising(advertising) == [])
        #expect(session.receive(button.says(SetAdvParametersResponse())) == [.advertisingConfigured])
        #expect(session.setAdvertising(advertising) == [])
    }

    @Test("One request at a time: the last wish follows when the one before is answered, and only it is reported")
    mutating func severalWishes() {
        var session = button.runningClient()
        #expect(session.setAdvertising(.eager) == button.hears(button.advertising(.eager)))
        #expect(session.setAdvertising(.off) == [])
        #expect(session.setAdvertising(.sparing) == [])
        #expect(session.receive(button.says(SetAdvParametersResponse())) == button.hears(button.advertising(.sparing)))
        #expect(session.receive(button.says(SetAdvParametersResponse())) == [.advertisingConfigured])
    }

    @Test("A wish that has come back to what was asked for is fulfilled by the answer")
    mutating func sameWishAgain() {
        var session = button.runningClient()
        #expect(session.setAdvertising(.eager) == button.hears(button.advertising(.eager)))
        #expect(session.setAdvertising(.off) == [])
        #expect(session.setAdvertising(.eager) == [])
        #expect(session.receive(button.says(SetAdvParametersResponse())) == [.advertisingConfigured])
    }

    @Test("Set before the start-up, it is asked for there, although something else had been set up")
    mutating func whileInitialising() {
        var session = button.initialisingClient()
        #expect(session.setAdvertising(.eager) == [])
        let requests = button.hears(button.parameters()) + button.hears(button.advertising(.eager)) + button.hears(GetBatteryLevelRequest())
        #expect(session.receive(button.says(button.sameBoot())) == begun + requests)
    }

    @Test("Firmware before 6 is never asked", arguments: [0, 5, 6])
    mutating func oldFirmware(_ version: UInt32) {
        var session = button.initialisingClient(ScriptedButton.memory(firmwareVersion: version))
        let requests = button.hears(button.parameters()) + button.hears(GetBatteryLevelRequest()) + button.hears(GetNameRequest())
        #expect(session.receive(button.says(button.sameBoot())) == begun + requests)
        _ = session.receive(button.says(button.battery(800)))
        _ = button.hears(GetFirmwareVersionRequest())
        _ = session.receive(button.says(button.name("Desk")))
        _ = session.receive(button.says(button.firmware(version)))
        #expect(session.setAdvertising(.eager) == (version < 6 ? [] : button.hears(button.advertising(.eager))))
    }
}
