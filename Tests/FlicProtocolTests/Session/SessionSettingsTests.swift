import FlicProtocol
import Testing

@Suite("Settings of a session (protocol 7.3, 9.5, 9.6)")
struct SessionSettingsTests {
    private var button = ScriptedButton()

    @Test("The defaults are those of the official clients")
    func defaults() {
        let settings = SessionSettings()
        #expect(settings.queueAfterPairing == .none)
        #expect(settings.queueAfterReconnect == .all)
        #expect(settings.autoDisconnectTime == 511)
        #expect(settings.connectionParameters == .init(minimumInterval: 80, maximumInterval: 90, latency: 17, timeout: 800))
        #expect(settings.advertising == .init(firstInterval: 160, laterInterval: 12_800, duration: 86_400))
    }

    @Test("The supervision timeout leaves room for the latency", arguments: [SessionSettings.ConnectionParameters.normal, .low])
    func supervision(_ parameters: SessionSettings.ConnectionParameters) {
        let longestSilence = Double(1 + parameters.latency) * Double(parameters.maximumInterval) * 1.25
        #expect(Double(parameters.timeout) * 10 > 2 * longestSilence)
        #expect(parameters.minimumInterval <= parameters.maximumInterval)
    }

    @Test(
        "Limits of the queue go to the button; what does not fit counts as no limit",
        arguments: [(0, 0), (1, 1), (30, 60), (31, 0xFFFFF), (32, 0x10_0000), (255, .max)] as [(UInt8, UInt32)]
    )
    mutating func queue(count: UInt8, age: UInt32) {
        var settings = SessionSettings()
        settings.queueAfterReconnect = .init(maximumCount: count, maximumAge: age)
        settings.queueAfterPairing = .init(maximumCount: 7, maximumAge: 7)
        var session = button.client(ScriptedButton.memory(), settings: settings)
        _ = session.start()
        button.beginQuickSession()
        var request = button.initRequest(maximumQueued: min(count, 31))
        request.maximumAge = min(age, 0xFFFFF)
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(request))
    }

    @Test("A fresh pairing has limits of its own")
    mutating func queueAfterPairing() {
        var settings = SessionSettings()
        settings.queueAfterPairing = .init(maximumCount: 3, maximumAge: 10)
        var session = button.client(nil, settings: settings)
        _ = session.start()
        _ = session.receive(button.says(button.certificate))
        button.beginFullSession()
        var request = button.initRequest(EventPosition(), maximumQueued: 3)
        request.maximumAge = 10
        #expect(session.receive(button.says(button.introduction)) == [button.paired(), .verified] + button.hears(request))
    }

    @Test("The time of an idle link goes to the button; what does not fit counts as never", arguments: [0, 40, 510, 511, 512, 600, .max])
    mutating func autoDisconnect(_ seconds: UInt16) {
        var settings = SessionSettings()
        settings.autoDisconnectTime = seconds
        var session = button.client(ScriptedButton.memory(), settings: settings)
        _ = session.start()
        button.beginQuickSession()
        var request = button.initRequest()
        request.autoDisconnectTime = min(seconds, 511)
        #expect(session.receive(button.says(button.quickVerifyResponse)) == [.verified] + button.hears(request))
    }

    @Test("Parameters of link and advertising are the ones that were set")
    mutating func parameters() {
        var settings = SessionSettings()
        settings.connectionParameters = .init(minimumInterval: 0, maximumInterval: .max, latency: 0x0102, timeout: 0x0304)
        settings.advertising = .eager
        var session = button.initialisingClient(ScriptedButton.memory(isAdvertisingConfigured: false), settings: settings)
        let begun: [HostSession.Action] = [.progress(.known), .queueFinished]
        let requests =
            button.hears(button.parameters(settings.connectionParameters)) + button.hears(button.advertising(.eager))
            + button.hears(GetBatteryLevelRequest())
        #expect(session.receive(button.says(button.sameBoot())) == begun + requests)
    }

    @Test("Other connection parameters in a session are sent at once")
    mutating func laterParameters() {
        var session = button.runningClient()
        #expect(session.setConnectionParameters(.low) == button.hears(button.parameters(.low)))
    }

    @Test("The times are those that were set")
    mutating func times() {
        var settings = SessionSettings()
        settings.verificationTimeout = .seconds(1)
        settings.requestTimeout = .milliseconds(1)
        settings.batteryInterval = .milliseconds(2)
        var session = button.client(ScriptedButton.memory(), settings: settings)
        _ = session.start(at: .seconds(5))
        #expect(session.deadline == .seconds(6))
        session = button.initialisingClient(settings: settings)
        #expect(session.deadline == .milliseconds(1))
        button = ScriptedButton()
        session = button.runningClient(settings: settings)
        #expect(session.deadline == .milliseconds(2))
        #expect(session.tick(at: .milliseconds(2)) == button.hears(GetBatteryLevelRequest()))
        #expect(session.tick(at: .milliseconds(3)) == button.hears(DisconnectVerifiedLinkInd()) + [.failed(.unanswered(opcode: 20))])
    }

    @Test("An MTU that no link has is taken as the nearest one", arguments: [Int.min, 0, 22, 23, 140, 141, 517, .max])
    func mtu(_ mtu: Int) {
        var button = ScriptedButton(mtu: mtu)
        var session = button.client(ScriptedButton.memory())
        #expect(session.start() == button.hears(button.quickVerifyRequest))
        #expect(session.receive(button.says(button.refusal)) == button.hears(button.fullVerifyRequest1))
        let request = button.hears(button.testRequest)
        #expect(request.count == (mtu < 100 ? 4 : 1))
        #expect(session.receive(button.says(button.certificate)) == request)
    }
}
