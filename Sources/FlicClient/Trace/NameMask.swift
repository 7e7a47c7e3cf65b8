import FlicProtocol

/// Replaces names by others of the same length. Equal names stay equal and different ones different, so that a session decides the same.
///
/// Each recording draws a mask of its own and forgets it. What is replaced stays the kind of character that it was, valid or not: a byte
/// of UTF-8 becomes another one of its class, by a permutation that depends on the position in the name.
struct NameMask: Sendable {
    private let free: [[UInt8]]
    /// For bytes behind one that allows only some: within blocks of 16.
    private let bound: [[UInt8]]

    init() {
        free = (0..<ButtonName.largestByteCount).map { _ in
            Self.permutation(within: [
                Array(0x20...0x7E), Array(0x80...0xBF), Array(0xC2...0xDF), Array(0xE1...0xEC) + [0xEE, 0xEF], Array(0xF1...0xF3),
            ])
        }
        bound = (0..<ButtonName.largestByteCount).map { _ in
            Self.permutation(within: (8...11).map { Array($0 << 4...$0 << 4 | 15) })
        }
    }

    private static func permutation(within classes: [[UInt8]]) -> [UInt8] {
        var table = [UInt8](0...255)
        for members in classes {
            for (member, image) in zip(members, members.shuffled()) { table[Int(member)] = image }
        }
        return table
    }

    /// - Parameters:
    ///   - position: In the name.
    ///   - previous: The unmasked byte in front of it.
    func mask(_ byte: UInt8, at position: Int, after previous: UInt8) -> UInt8 {
        let isBound = [0xE0, 0xED, 0xF0, 0xF4].contains(previous) && 0x80...0xBF ~= byte
        return (isBound ? bound : free)[position % ButtonName.largestByteCount][Int(byte)]
    }

    func mask(_ name: ButtonName) -> ButtonName {
        var previous: UInt8 = 0
        let masked = name.bytes.enumerated().map { position, byte in
            defer { previous = byte }
            return mask(byte, at: position, after: previous)
        }
        return ButtonName(received: masked)
    }
}
