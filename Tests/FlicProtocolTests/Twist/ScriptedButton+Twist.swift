import FlicProtocol
import Testing

/// What a Flic Twist says and hears. Packets are made by the Twist's own types, so that the numbers on the air are those of the catalogue.
extension ScriptedButton {
    static var twist: ScriptedButton { ScriptedButton(dialect: .twist) }

    var twistIntroduction: Twist.FullVerifyResponse2 {
        .with {
            $0.reserved = 1  // where others say that they are a Duo
            $0.uuid = [UInt8](0x10..<0x20)
            $0.nameLength = 4
            $0.name = Array("Knob".utf8)
            $0.firmwareVersion = 3
            $0.batteryLevel = 2950
            $0.serialNumber = Array("TC00-A00001".utf8)
            $0.color = Array("white".utf8)
        }
    }

    func twistRequest(
        _ position: EventPosition = .known,
        _ configuration: Twist.Configuration = .standard
    ) -> Twist.InitButtonEventsRequest {
        .with {
            $0.eventCount = position.eventCount
            $0.configuration = configuration
            $0.bootID = position.bootID
            $0.apiVersion = 2
        }
    }

    func twistAnswer(
        _ position: EventPosition = .known,
        at timestamp: UInt64 = 0,
        hasQueue: Bool = false,
        version: UInt8? = 2
    ) -> Twist.InitButtonEventsResponse {
        .with {
            $0.hasQueuedEvents = hasQueue
            $0.timestamp = timestamp
            $0.eventCount = position.eventCount
            $0.bootID = position.bootID
            $0.apiVersion = version
        }
    }

    /// A session whose Quick Verify is through; the start-up is asked for.
    mutating func initialisingTwist(
        settings: SessionSettings = SessionSettings(),
        isAdvertisingConfigured: Bool = true
    ) -> HostSession {
        var session = client(Self.memory(isAdvertisingConfigured: isAdvertisingConfigured), settings: settings)
        _ = session.start()
        beginQuickSession()
        let expected: [HostSession.Action] = [.verified] + hears(twistRequest(.known, settings.twist))
        #expect(session.receive(says(Twist.QuickVerifyResponse(quickVerifyResponse))) == expected)
        return session
    }

    /// A session whose start-up requests have been answered.
    mutating func runningTwist(settings: SessionSettings = SessionSettings()) -> HostSession {
        var session = initialisingTwist(settings: settings)
        let first = hears(Twist.GetBatteryLevelRequest()) + hears(Twist.GetNameRequest(.init()))
        let expected: [HostSession.Action] = [.progress(.known), .queueFinished] + first
        #expect(session.receive(says(twistAnswer())) == expected)
        let sample = BatteryLevel(raw: 2800, unit: .millivolt)
        let next = hears(Twist.GetFirmwareVersionRequest(.init()))
        let battery = Twist.GetBatteryLevelResponse.with { $0.batteryLevel = 2800 }
        #expect(session.receive(says(battery)) == [.battery(sample)] + next)
        #expect(session.receive(says(Twist.GetNameResponse(name("Desk")))) == [])
        #expect(session.receive(says(Twist.GetFirmwareVersionResponse(firmware(3)))) == [.firmwareVersion(3)])
        return session
    }
}

extension Twist.ButtonEventNotificationV2 {
    /// Events of eight bytes; the last one has the counter `count`.
    static func of(_ events: [Twist.EventItem], count: UInt32) -> Self {
        .with {
            $0.eventCount = count
            $0.items = events.flatMap { event in
                var writer = FieldWriter(opcode: 0)
                var event = event
                event.code(&writer)
                return writer.bytes.dropFirst()
            }
        }
    }
}

extension Twist.EventItem {
    static func of(_ code: UInt8, mode: UInt8 = 0, at time: UInt64 = 0, queued: Bool = false, last: Bool = false) -> Self {
        var item = Self()
        (item.code, item.modeIndex, item.timestamp, item.wasQueued, item.wasQueuedLast) = (code, mode, time, queued, last)
        return item
    }
}
