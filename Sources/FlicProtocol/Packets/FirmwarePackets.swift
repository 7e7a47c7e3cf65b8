// Firmware update (protocol 4.5, 9.4).

/// Announces an image; positions count 32-bit words.
package struct StartFirmwareUpdateRequest: Packet {
    package static let opcode: UInt8 = 17
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var lengthWords: UInt16 = 0
    package var initializationVector: [UInt8] = []
    package var statusInterval: UInt16 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("length_words", &lengthWords, bits: 16)
        coder.bytes("iv", &initializationVector, count: 8)
        coder.integer("status_interval", &statusInterval, bits: 16)
    }
}

/// Where to start, or why not.
package struct StartFirmwareUpdateResponse: Packet {
    package static let opcode: UInt8 = 18
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var startPosition: Int32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("start_pos", &startPosition, bits: 32)
    }
}

/// A piece of the image, at most 120 bytes.
package struct FirmwareUpdateDataInd: Packet {
    package static let opcode: UInt8 = 18
    package static let direction = Direction.toButton
    package static let signing = Signing.always

    package var data: [UInt8] = []

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.rest("data", &data)
    }
}

/// Progress.
package struct FirmwareUpdateNotification: Packet {
    package static let opcode: UInt8 = 19
    package static let direction = Direction.fromButton
    package static let signing = Signing.always

    package var position: Int32 = 0

    package init() {}

    package mutating func code(_ coder: inout some FieldCoder) {
        coder.integer("pos", &position, bits: 32)
    }
}
