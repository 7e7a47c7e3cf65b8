// Light, buzzer and firmware of the Flic Duo (protocol 13.2, 13.5).

/// Lets the light blink.
package struct ExecuteLedPatternInd: Packet {
    package static let opcode: UInt8 = 32
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var colour: UInt8 = 0
    package var overrideDefault = false
    package var continueAfterDisconnect = false
    package var reserved: UInt8 = 0
    package var brightness: UInt16 = 0
    package var pulseOn: UInt32 = 0
    package var pulseOff: UInt32 = 0
    package var periods: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("colour", &colour, bits: 2)
        coder.flag("override_default", &overrideDefault)
        coder.flag("continue_after_disconnect", &continueAfterDisconnect)
        coder.integer("rfu", &reserved, bits: 1)
        coder.integer("brightness", &brightness, bits: 11)
        coder.integer("pulse_on", &pulseOn, bits: 32)
        coder.integer("pulse_off", &pulseOff, bits: 32)
        coder.integer("periods", &periods, bits: 32)
    }
}

/// Ends the pattern.
package struct AbortLedPatternInd: Packet {
    package static let opcode: UInt8 = 33
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Plays at most 30 notes: half a period in µs and a duration, 16 bits each; 0 µs is silence. Firmware 20 and later.
package struct PlayBuzzerSoundRequest: Packet {
    package static let opcode: UInt8 = 43
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var notes: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("notes", &notes)
    }
}

/// Announces an image; positions count bytes.
package struct StartFirmwareUpdateDuoRequest: Packet {
    package static let opcode: UInt8 = 38
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var length: UInt32 = 0
    package var header: [UInt8] = []
    package var statusInterval: UInt16 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("length", &length, bits: 32)
        coder.bytes("header", &header, count: 76)
        coder.integer("status_interval", &statusInterval, bits: 16)
    }
}

/// A piece of the image, at most 110 bytes.
package struct FirmwareUpdateDataDuoInd: Packet {
    package static let opcode: UInt8 = 39
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var data: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("data", &data)
    }
}
