/// Something that walks through the fields of a packet: a reader, a writer, or one that shows them.
///
/// A body is one little-endian bit stream: field after field, least significant bit first (protocol 1). Field names are
/// those of the protocol tables.
package protocol FieldCoder {
    /// An integer of up to 64 bits, two's complement if its type is signed.
    mutating func integer<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value, bits: Int)

    /// An integer that older firmware leaves out at the end of the packet.
    mutating func optionalInteger<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value?, bits: Int)

    /// One bit.
    mutating func flag(_ name: StaticString, _ value: inout Bool)

    /// A fixed number of bytes.
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int)

    /// Bytes that older firmware leaves out at the end of the packet.
    mutating func optionalBytes(_ name: StaticString, _ value: inout [UInt8]?, count: Int)

    /// All bytes that are left.
    mutating func rest(_ name: StaticString, _ value: inout [UInt8])

    /// As many elements as fit into what is left.
    mutating func list<Element: FieldGroup>(_ name: StaticString, _ value: inout [Element])
}

/// Fields that are repeated.
package protocol FieldGroup: Equatable, Sendable {
    static var byteCount: Int { get }
    init()
    mutating func code(_ coder: inout some FieldCoder)
}

/// Reads fields. Reading beyond the end gives zeros and makes the whole incomplete.
package struct FieldReader: FieldCoder {
    private let stream: [UInt8]
    private var position: Int  // in bits
    package private(set) var isComplete = true

    package init(bytes: [UInt8], from offset: Int) {
        stream = bytes
        position = min(offset, bytes.count) * 8
    }

    package var bitsLeft: Int { stream.count * 8 - position }

    private mutating func take(_ bits: Int) -> UInt64 {
        guard bits <= bitsLeft else {
            position = stream.count * 8
            isComplete = false
            return 0
        }
        var value: UInt64 = 0
        var taken = 0
        while taken < bits {
            let offset = position & 7
            let count = min(8 - offset, bits - taken)
            let piece = UInt64(stream[position >> 3] >> offset) & (1 << count - 1)
            value |= piece << taken
            taken += count
            position += count
        }
        return value
    }

    package mutating func integer<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value, bits: Int) {
        let raw = take(bits)
        let isNegative = Value.isSigned && bits > 0 && raw >> (bits - 1) & 1 == 1
        value = Value(truncatingIfNeeded: isNegative ? raw | (bits < 64 ? ~0 << bits : 0) : raw)
    }

    package mutating func optionalInteger<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value?, bits: Int) {
        guard bitsLeft >= bits else { return }
        var present: Value = 0
        integer(name, &present, bits: bits)
        value = present
    }

    package mutating func flag(_ name: StaticString, _ value: inout Bool) {
        value = take(1) == 1
    }

    package mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) {
        value = (0..<count).map { _ in UInt8(truncatingIfNeeded: take(8)) }
    }

    package mutating func optionalBytes(_ name: StaticString, _ value: inout [UInt8]?, count: Int) {
        guard bitsLeft >= count * 8 else { return }
        var present: [UInt8] = []
        bytes(name, &present, count: count)
        value = present
    }

    package mutating func rest(_ name: StaticString, _ value: inout [UInt8]) {
        bytes(name, &value, count: bitsLeft / 8)
    }

    package mutating func list<Element: FieldGroup>(_ name: StaticString, _ value: inout [Element]) {
        value = []
        while bitsLeft >= Element.byteCount * 8 {
            var element = Element()
            element.code(&self)
            value.append(element)
        }
    }
}

/// Writes fields. Values wider than their field lose the upper bits; byte fields are cut or padded with zeros to their length.
package struct FieldWriter: FieldCoder {
    package private(set) var bytes: [UInt8]
    private var bitsInLastByte = 8

    package init(opcode: UInt8) {
        bytes = []
        bytes.reserveCapacity(32)  // most packets with their signature
        bytes.append(opcode)
    }

    private mutating func put(_ value: UInt64, _ bits: Int) {
        var value = value
        var left = bits
        while left > 0 {
            if bitsInLastByte == 8 {
                bytes.append(0)
                bitsInLastByte = 0
            }
            let count = min(8 - bitsInLastByte, left)
            bytes[bytes.count - 1] |= UInt8(value & (1 << count - 1)) << bitsInLastByte
            bitsInLastByte += count
            value >>= count
            left -= count
        }
    }

    package mutating func integer<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value, bits: Int) {
        put(UInt64(truncatingIfNeeded: value), bits)
    }

    package mutating func optionalInteger<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value?, bits: Int) {
        if let value { put(UInt64(truncatingIfNeeded: value), bits) }
    }

    package mutating func flag(_ name: StaticString, _ value: inout Bool) {
        put(value ? 1 : 0, 1)
    }

    package mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) {
        for index in 0..<count { put(index < value.count ? UInt64(value[index]) : 0, 8) }
    }

    package mutating func optionalBytes(_ name: StaticString, _ value: inout [UInt8]?, count: Int) {
        if var present = value { bytes(name, &present, count: count) }
    }

    package mutating func rest(_ name: StaticString, _ value: inout [UInt8]) {
        bytes(name, &value, count: value.count)
    }

    package mutating func list<Element: FieldGroup>(_ name: StaticString, _ value: inout [Element]) {
        for index in value.indices { value[index].code(&self) }
    }
}
