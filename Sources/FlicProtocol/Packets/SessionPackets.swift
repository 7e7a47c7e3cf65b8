// Packets of a verified session: start-up, button events, pings, link settings, end (protocol 4.3).

/// First packet of every session: where to resume, and the limits of the queue.
package struct InitButtonEventsLightRequest: Packet {
    package static let opcode: UInt8 = 23
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var eventCount: UInt32 = 0
    package var bootID: UInt32 = 0
    package var autoDisconnectTime: UInt16 = 0
    package var maximumQueued: UInt8 = 0
    package var maximumAge: UInt32 = 0
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("event_count", &eventCount, bits: 32)
        coder.integer("boot_id", &bootID, bits: 32)
        coder.integer("auto_disconnect_time", &autoDisconnectTime, bits: 9)
        coder.integer("max_queued_packets", &maximumQueued, bits: 5)
        coder.integer("max_queued_packets_age", &maximumAge, bits: 20)
        coder.integer("rfu", &reserved, bits: 6)
    }
}

/// The same with the HID bit.
package struct InitButtonEventsRequest: Packet {
    package static let opcode: UInt8 = 15
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var eventCount: UInt32 = 0
    package var bootID: UInt32 = 0
    package var autoDisconnectTime: UInt16 = 0
    package var maximumQueued: UInt8 = 0
    package var maximumAge: UInt32 = 0
    package var enableHID = false
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("event_count", &eventCount, bits: 32)
        coder.integer("boot_id", &bootID, bits: 32)
        coder.integer("auto_disconnect_time", &autoDisconnectTime, bits: 9)
        coder.integer("max_queued_packets", &maximumQueued, bits: 5)
        coder.integer("max_queued_packets_age", &maximumAge, bits: 20)
        coder.flag("enable_hid", &enableHID)
        coder.integer("rfu", &reserved, bits: 5)
    }
}

/// Answer if the client named another boot id.
package struct InitButtonEventsResponseWithBootId: Packet {
    package static let opcode: UInt8 = 10
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var hasQueuedEvents = false
    package var timestamp: UInt64 = 0
    package var eventCount: UInt32 = 0
    package var bootID: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("has_queued_events", &hasQueuedEvents)
        coder.integer("timestamp", &timestamp, bits: 47)
        coder.integer("event_count", &eventCount, bits: 32)
        coder.integer("boot_id", &bootID, bits: 32)
    }
}

/// Answer if the client named the current boot id.
package struct InitButtonEventsResponseWithoutBootId: Packet {
    package static let opcode: UInt8 = 11
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var hasQueuedEvents = false
    package var timestamp: UInt64 = 0
    package var eventCount: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("has_queued_events", &hasQueuedEvents)
        coder.integer("timestamp", &timestamp, bits: 47)
        coder.integer("event_count", &eventCount, bits: 32)
    }
}

/// One or more button events, oldest first; the count is that of the last one.
package struct ButtonEventNotification: Packet {
    package static let opcode: UInt8 = 12
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var eventCount: UInt32 = 0
    package var items: [EventItem] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("event_count", &eventCount, bits: 32)
        coder.list("items", &items)
    }
}

/// Acknowledges the notification with this count (protocol 7.4).
package struct AckButtonEventsInd: Packet {
    package static let opcode: UInt8 = 16
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var eventCount: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("event_count", &eventCount, bits: 32)
    }
}

/// To be answered at once.
package struct PingRequest: Packet {
    package static let opcode: UInt8 = 15
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Answer to a ping.
package struct PingResponse: Packet {
    package static let opcode: UInt8 = 14
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Ends the session, not the link.
package struct DisconnectVerifiedLinkInd: Packet {
    package static let opcode: UInt8 = 9
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// The session has ended (protocol 6.6).
package struct DisconnectedVerifiedLinkInd: Packet {
    package static let opcode: UInt8 = 9
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var reason: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("reason", &reason, bits: 8)
    }
}

/// Asks the button to close the Bluetooth link for all clients.
package struct ForceBtDisconnectInd: Packet {
    package static let opcode: UInt8 = 6
    package static let direction = Direction.toButton
    package static let signing = Signing.inSession

    package var restartAdv: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("restart_adv", &restartAdv, bits: 8)
    }
}

/// Asks the button to request these parameters from the host (protocol 9.5).
package struct SetConnectionParametersInd: Packet {
    package static let opcode: UInt8 = 12
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var minimumInterval: UInt16 = 0
    package var maximumInterval: UInt16 = 0
    package var latency: UInt16 = 0
    package var timeout: UInt16 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("intv_min", &minimumInterval, bits: 16)
        coder.integer("intv_max", &maximumInterval, bits: 16)
        coder.integer("latency", &latency, bits: 16)
        coder.integer("timeout", &timeout, bits: 16)
    }
}

/// Changes how long the button keeps an idle link (protocol 9.6).
package struct SetAutoDisconnectTimeInd: Packet {
    package static let opcode: UInt8 = 19
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var autoDisconnectTime: UInt16 = 0
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("auto_disconnect_time", &autoDisconnectTime, bits: 9)
        coder.integer("rfu", &reserved, bits: 7)
    }
}

/// How the button advertises after a lost link (protocol 9.5).
package struct SetAdvParametersRequest: Packet {
    package static let opcode: UInt8 = 27
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var isActive: UInt8 = 0
    package var removesOtherSettings: UInt8 = 0
    package var withShortRange: UInt8 = 0
    package var withLongRange: UInt8 = 0
    package var firstInterval: UInt16 = 0
    package var laterInterval: UInt16 = 0
    package var timeoutSeconds: UInt32 = 0
    package var alwaysReconnect: UInt8?

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("is_active", &isActive, bits: 8)
        coder.integer("remove_other_pairings_adv_settings", &removesOtherSettings, bits: 8)
        coder.integer("with_short_range", &withShortRange, bits: 8)
        coder.integer("with_long_range", &withLongRange, bits: 8)
        coder.integer("adv_interval_first", &firstInterval, bits: 16)
        coder.integer("adv_interval_then", &laterInterval, bits: 16)
        coder.integer("timeout_seconds", &timeoutSeconds, bits: 32)
        coder.optionalInteger("always_reconnect", &alwaysReconnect, bits: 8)
    }
}

/// Advertising is configured.
package struct SetAdvParametersResponse: Packet {
    package static let opcode: UInt8 = 25
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}
