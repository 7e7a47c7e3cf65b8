// Configuration, battery, sensors and firmware of the Flic Twist (protocol 14.2, 14.4).

extension Twist {
    /// Replaces the configuration.
    package struct ChangeConfigRequest: Packet {
        package static let opcode: UInt8 = 25
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var configuration = Configuration()

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            configuration.code(&coder)
        }
    }

    /// The states are changed.
    package struct ChangeConfigResponse: Packet {
        package static let opcode: UInt8 = 23
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {}
    }

    /// Sets the color, which can only succeed once.
    package struct FactoryConfigRequest: Packet {
        package static let opcode: UInt8 = 24
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var color: [UInt8] = []

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.bytes("color", &color, count: 16)
        }
    }

    /// Outcome.
    package struct FactoryConfigResponse: Packet {
        package static let opcode: UInt8 = 22
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package var result: UInt8 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("result", &result, bits: 8)
        }
    }

    /// Asks for the battery level; works without a session too.
    package struct GetBatteryLevelRequest: Packet {
        package static let opcode: UInt8 = 17
        package static let direction = Direction.toButton
        package static let signing = Signing.inSession

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {}
    }

    /// Battery level in millivolt.
    package struct GetBatteryLevelResponse: Packet {
        package static let opcode: UInt8 = 16
        package static let direction = Direction.fromButton
        package static let signing = Signing.inSession

        package var batteryLevel: UInt16 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("battery_level", &batteryLevel, bits: 16)
        }
    }

    /// Asks what the two sensors of the knob have seen.
    package struct GetSensorsMinMaxRequest: Packet {
        package static let opcode: UInt8 = 22
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {}
    }

    /// What the two sensors of the knob have seen.
    package struct GetSensorsMinMaxResponse: Packet {
        package static let opcode: UInt8 = 21
        package static let direction = Direction.fromButton
        package static let signing = Signing.always

        package var firstMinimum: UInt16 = 0
        package var firstMaximum: UInt16 = 0
        package var secondMinimum: UInt16 = 0
        package var secondMaximum: UInt16 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("sensor1_min", &firstMinimum, bits: 12)
            coder.integer("sensor1_max", &firstMaximum, bits: 12)
            coder.integer("sensor2_min", &secondMinimum, bits: 12)
            coder.integer("sensor2_max", &secondMaximum, bits: 12)
        }
    }

    /// Switches the lights on or off.
    package struct SetLedsInd: Packet {
        package static let opcode: UInt8 = 23
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var enable: UInt8 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("enable", &enable, bits: 8)
        }
    }

    /// Announces an image (protocol 14.4).
    package struct StartFirmwareUpdateRequest: Packet {
        package static let opcode: UInt8 = 15
        package static let direction = Direction.toButton
        package static let signing = Signing.always

        package var lengthCompressed: UInt32 = 0
        package var initializationVector: [UInt8] = []
        package var lengthUncompressedWords: UInt32 = 0
        package var signature: [UInt8] = []
        package var statusInterval: UInt16 = 0

        package init() {}

        package mutating func code(_ coder: inout some FieldCoder) {
            coder.integer("length_compressed", &lengthCompressed, bits: 32)
            coder.bytes("iv", &initializationVector, count: 8)
            coder.integer("length_uncompressed_words", &lengthUncompressedWords, bits: 32)
            coder.bytes("signature", &signature, count: 64)
            coder.integer("status_interval", &statusInterval, bits: 16)
        }
    }
}
