// Name, battery level and firmware version (protocol 4.4).

/// Renames the button (protocol 9.1).
package struct SetNameRequest: Packet {
    package static let opcode: UInt8 = 10
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var timestamp: UInt64 = 0
    package var forceUpdate = false
    package var name: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("timestamp_utc_ms", &timestamp, bits: 47)
        coder.flag("force_update", &forceUpdate)
        coder.rest("name", &name)
    }
}

/// The name the button has now.
package struct SetNameResponse: Packet {
    package static let opcode: UInt8 = 17
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var timestamp: UInt64 = 0
    package var name: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("timestamp_utc_ms", &timestamp, bits: 48)
        coder.rest("name", &name)
    }
}

/// Asks for the name.
package struct GetNameRequest: Packet {
    package static let opcode: UInt8 = 11
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// The name the button has now.
package struct GetNameResponse: Packet {
    package static let opcode: UInt8 = 16
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var timestamp: UInt64 = 0
    package var name: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("timestamp_utc_ms", &timestamp, bits: 48)
        coder.rest("name", &name)
    }
}

/// Another app has renamed the button.
package struct NameUpdatedNotification: Packet {
    package static let opcode: UInt8 = 14
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var name: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("name", &name)
    }
}

/// Asks for the battery level.
package struct GetBatteryLevelRequest: Packet {
    package static let opcode: UInt8 = 20
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// Raw battery level (protocol 9.2).
package struct GetBatteryLevelResponse: Packet {
    package static let opcode: UInt8 = 20
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var batteryLevel: UInt16 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("battery_level", &batteryLevel, bits: 16)
    }
}

/// Asks for the firmware version.
package struct GetFirmwareVersionRequest: Packet {
    package static let opcode: UInt8 = 8
    package static let direction = Direction.toButton
    package static let signing = Signing.inSession

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {}
}

/// The firmware version.
package struct GetFirmwareVersionResponse: Packet {
    package static let opcode: UInt8 = 5
    package static let direction = Direction.fromButton
    package static let signing = Signing.inSession

    package var version: UInt32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("version", &version, bits: 32)
    }
}
