// The remaining packets (protocol 4.6), which no client needs for button events.

/// Asks for an SMP security request.
package struct BleSecurityRequestInd: Packet {
    package static let opcode: UInt8 = 7
    package static let direction = Direction.toButton
    package static let signing = Signing.never

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Outcome of Bluetooth bonding.
package struct PairingFinishedInd: Packet {
    package static let opcode: UInt8 = 7
    package static let direction = Direction.fromButton
    package static let signing = Signing.never

    package var success = false
    package var masterSentFail = false
    package var reserved: UInt8 = 0
    package var reason: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("success", &success)
        coder.flag("master_sent_fail", &masterSentFail)
        coder.integer("rfu", &reserved, bits: 6)
        coder.integer("reason", &reason, bits: 8)
    }
}

/// Sets a timer in the button.
package struct StartApiTimerInd: Packet {
    package static let opcode: UInt8 = 13
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var timeout: UInt32 = 0
    package var message: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("timeout", &timeout, bits: 32)
        coder.integer("message", &message, bits: 32)
    }
}

/// The timer is over.
package struct ApiTimerNotification: Packet {
    package static let opcode: UInt8 = 13
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var message: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("message", &message, bits: 32)
    }
}

/// Switches HID on or off.
package struct SetHidStatusRequest: Packet {
    package static let opcode: UInt8 = 21
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var enableHID = false
    package var reserved: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.flag("enable_hid", &enableHID)
        coder.integer("rfu", &reserved, bits: 7)
    }
}

/// Meaning of the byte not documented.
package struct ServicesChangedConfirmedInd: Packet {
    package static let opcode: UInt8 = 21
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var reason: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("reason", &reason, bits: 8)
    }
}

/// Sends an HID usage.
package struct HidNotification: Packet {
    package static let opcode: UInt8 = 22
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var page: UInt16 = 0
    package var usage: UInt16 = 0
    package var duration: UInt16 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("page", &page, bits: 16)
        coder.integer("usage_id", &usage, bits: 16)
        coder.integer("duration", &duration, bits: 16)
    }
}

/// Erases all pairings of everybody.
package struct FactoryResetRequest: Packet {
    package static let opcode: UInt8 = 24
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// All pairings are erased.
package struct FactoryResetResponse: Packet {
    package static let opcode: UInt8 = 22
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Asks for the button clock.
package struct GetCurrentTimeRequest: Packet {
    package static let opcode: UInt8 = 25
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// The button clock.
package struct GetCurrentTimeResponse: Packet {
    package static let opcode: UInt8 = 23
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var time: UInt64 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("time", &time, bits: 56)
    }
}

/// Asks for the device id.
package struct GetDeviceIdRequest: Packet {
    package static let opcode: UInt8 = 26
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// The device id.
package struct GetDeviceIdResponse: Packet {
    package static let opcode: UInt8 = 24
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var deviceID: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.bytes("device_id", &deviceID, count: 8)
    }
}

/// A piece of HID/MIDI configuration.
package struct SetHidMidiConfigDataInd: Packet {
    package static let opcode: UInt8 = 28
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var data: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("data", &data)
    }
}

/// Applies the configuration sent.
package struct SetHidMidiConfigApplyRequest: Packet {
    package static let opcode: UInt8 = 29
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Outcome.
package struct SetHidMidiConfigApplyResponse: Packet {
    package static let opcode: UInt8 = 26
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var result: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("result", &result, bits: 8)
    }
}

/// Asks for the configuration.
package struct GetHidMidiConfigRequest: Packet {
    package static let opcode: UInt8 = 30
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// A piece of the configuration.
package struct GetHidMidiConfigDataInd: Packet {
    package static let opcode: UInt8 = 27
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var data: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("data", &data)
    }
}

/// End of the configuration.
package struct GetHidMidiConfigResponse: Packet {
    package static let opcode: UInt8 = 28
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var result: UInt8 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("result", &result, bits: 8)
    }
}
