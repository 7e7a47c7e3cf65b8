/// The bytes that libFuzzer hands to a target, taken from the front. Behind the end there are zeros.
///
/// All targets read their choices from it, so that every input means something.
package struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(_ start: UnsafePointer<UInt8>?, _ count: Int) { bytes = Array(UnsafeBufferPointer(start: start, count: count)) }

    package var isEmpty: Bool { position == bytes.count }

    package mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func flag() -> Bool { byte() & 1 == 1 }

    /// Little-endian.
    package mutating func number<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value {
        var value: UInt64 = 0
        for index in 0..<Value.bitWidth / 8 { value |= UInt64(byte()) << (8 * UInt64(index)) }
        return Value(truncatingIfNeeded: value)
    }

    /// At most so many bytes, as far as there are any.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        let end = min(position + max(count, 0), bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// Bytes whose number is in the first one.
    package mutating func piece() -> [UInt8] { bytes(Int(byte())) }

    /// A text of valid Unicode, up to 255 bytes.
    package mutating func text() -> String { String(decoding: piece(), as: UTF8.self) }

    package mutating func rest() -> [UInt8] { bytes(bytes.count) }

    /// A number that follows from all bytes (FNV-1a), for what must not stay the same when the input changes.
    package var digest: UInt64 { bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
}

/// Ends the process, which libFuzzer takes for a finding.
@inline(__always)
package func hold(_ condition: Bool, _ what: @autoclosure () -> String) {
    if !condition { fatalError("does not hold: \(what())") }
}
