import FlicProtocol
import Testing

/// Sessions that have come to a certain point.
extension ScriptedButton {
    /// What the client of these tests knows of the button.
    static func memory(
        _ position: EventPosition = .known,
        firmwareVersion: UInt32 = 10,
        name: String = "Desk",
        pendingRename: Rename? = nil,
        isAdvertisingConfigured: Bool = true
    ) -> HostSession.Memory {
        HostSession.Memory(
            pairing: pairing,
            position: position,
            firmwareVersion: firmwareVersion,
            name: ButtonName(name),
            pendingRename: pendingRename,
            isAdvertisingConfigured: isAdvertisingConfigured
        )
    }

    /// A session that has not been started.
    func client(_ memory: HostSession.Memory?, settings: SessionSettings = SessionSettings()) -> HostSession {
        let peer = HostSession.Peer(address: address, root: Self.root, dialect: dialect)
        return HostSession(peer: peer, memory: memory, mtu: mtu, settings: settings, flags: flags)
    }

    /// A session whose Quick Verify is through: the button has to answer the init request.
    mutating func initialisingClient(
        _ memory: HostSession.Memory = Self.memory(),
        settings: SessionSettings = SessionSettings()
    ) -> HostSession {
        var session = client(memory, settings: settings)
        _ = session.start()
        beginQuickSession()
        _ = session.receive(says(quickVerifyResponse))
        #expect(session.isEstablished)
        _ = hears(initRequest())  // counts; tests of the opening look at it
        return session
    }

    /// A session in which nothing is outstanding: the start-up requests have been answered at the time zero.
    mutating func runningClient(
        _ memory: HostSession.Memory = Self.memory(),
        settings: SessionSettings = SessionSettings()
    ) -> HostSession {
        var session = initialisingClient(memory, settings: settings)
        let position = memory.position
        let first = hears(parameters()) + hears(GetBatteryLevelRequest()) + hears(GetNameRequest())
        let expected: [HostSession.Action] = [.progress(position), .queueFinished] + first
        #expect(session.receive(says(sameBoot(count: position.eventCount))) == expected)
        #expect(session.receive(says(battery(800))) == [.battery(BatteryLevel(raw: 800))] + hears(GetFirmwareVersionRequest()))
        #expect(session.receive(says(name("Desk"))) == [])
        #expect(session.receive(says(firmware(10))) == [.firmwareVersion(10)])
        return session
    }

    func battery(_ level: UInt16) -> GetBatteryLevelResponse { .with { $0.batteryLevel = level } }
    func firmware(_ version: UInt32) -> GetFirmwareVersionResponse { .with { $0.version = version } }
    func name(_ text: String) -> GetNameResponse { .with { $0.name = Array(text.utf8) } }
    func nameSet(_ text: String) -> SetNameResponse { .with { $0.name = Array(text.utf8) } }
    func renamed(_ text: String) -> NameUpdatedNotification { .with { $0.name = Array(text.utf8) } }
    func end(_ reason: UInt8) -> DisconnectedVerifiedLinkInd { .with { $0.reason = reason } }
}
