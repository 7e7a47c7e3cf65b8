// Start-up, button events and push-and-twist of the Flic Duo (protocol 13.2). Button 0 is the big one, button 1 the small one.

/// Takes the place of ``InitButtonEventsLightRequest``: where to resume, for each button.
package struct InitButtonEventsDuoLightRequest: Packet {
    package static let opcode: UInt8 = 35
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var eventCounts = DuoEventCounts()
    package var bootID: UInt32 = 0
    package var autoDisconnectTime: UInt16 = 0
    package var maximumQueued: UInt8 = 0
    package var maximumAge: UInt32 = 0
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        eventCounts.code(&coder)
        coder.integer("boot_id", &bootID, bits: 32)
        coder.integer("auto_disconnect_time", &autoDisconnectTime, bits: 9)
        coder.integer("max_queued_packets", &maximumQueued, bits: 5)
        coder.integer("max_queued_packets_age", &maximumAge, bits: 20)
        coder.integer("rfu", &reserved, bits: 6)
    }
}

/// Answer if the client named another boot id.
package struct InitButtonEventsDuoResponseWithBootId: Packet {
    package static let opcode: UInt8 = 30
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var hasQueuedEvents = false
    package var timestamp: UInt64 = 0
    package var eventCounts = DuoEventCounts()
    package var bootID: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("has_queued_events", &hasQueuedEvents)
        coder.integer("timestamp", &timestamp, bits: 47)
        eventCounts.code(&coder)
        coder.integer("boot_id", &bootID, bits: 32)
    }
}

/// Answer if the client named the current boot id.
package struct InitButtonEventsDuoResponseWithoutBootId: Packet {
    package static let opcode: UInt8 = 31
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var hasQueuedEvents = false
    package var timestamp: UInt64 = 0
    package var eventCounts = DuoEventCounts()

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("has_queued_events", &hasQueuedEvents)
        coder.integer("timestamp", &timestamp, bits: 47)
        eventCounts.code(&coder)
    }
}

/// Button events as a bit stream: see ``DuoEventStream``.
package struct ButtonEventDuoNotification: Packet {
    package static let opcode: UInt8 = 32
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var events: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("events", &events)
    }
}

/// Acknowledges the events up to these counts (protocol 13.3).
package struct AckButtonEventsDuoInd: Packet {
    package static let opcode: UInt8 = 36
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var eventCounts = DuoEventCounts()

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        eventCounts.code(&coder)
    }
}

/// Switches reports of rotation on or off for each button (protocol 13.4).
package struct EnablePushTwistInd: Packet {
    package static let opcode: UInt8 = 37
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var bigButton = false
    package var smallButton = false
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("button_0", &bigButton)
        coder.flag("button_1", &smallButton)
        coder.integer("rfu", &reserved, bits: 6)
    }
}

/// A rotation while a button is pressed; the angle is the difference to the last report (protocol 13.4).
package struct PushTwistDataNotification: Packet {
    package static let opcode: UInt8 = 33
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var bigIsPressed = false
    package var smallIsPressed = false
    package var bigIsFirst = false
    package var smallIsFirst = false
    package var bigIsHeld = false
    package var smallIsHeld = false
    package var reserved: UInt8 = 0
    package var angle: Int32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("pressed_0", &bigIsPressed)
        coder.flag("pressed_1", &smallIsPressed)
        coder.flag("first_0", &bigIsFirst)
        coder.flag("first_1", &smallIsFirst)
        coder.flag("half_second_0", &bigIsHeld)
        coder.flag("half_second_1", &smallIsHeld)
        coder.integer("rfu", &reserved, bits: 2)
        coder.integer("angle_diff", &angle, bits: 32)
    }
}
