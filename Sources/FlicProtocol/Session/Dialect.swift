/// How a device numbers its packets, and whether it puts them into frames.
///
/// A session and a simulated button know ``Packet/sessionOpcode``s only; what is on the air is translated where it comes in, behind the check of its
/// signature, and where it goes out, in front of the signing. The tables are made of ``PacketCatalog``.
package enum Dialect: String, Hashable, Sendable, Codable {
    /// The Flic 2, and the Duo, whose packets have further numbers (protocol 4, 13).
    case flic2
    /// The Flic Twist (protocol 14).
    case twist

    /// Whether packets are cut into frames with an id (protocol 3). Else each is a GATT value of its own.
    package var hasFrames: Bool { self == .flic2 }

    /// The number inside of what is on the air. One that nobody knows is one that nobody knows inside, too.
    package func sessionOpcode(of opcode: UInt8, _ direction: Direction) -> UInt8 {
        switch self {
        case .flic2: opcode
        case .twist: Self.twistNumbers[direction].inside[Int(opcode)]
        }
    }

    /// The number on the air of what is inside; nil if the device has no such packet.
    package func opcode(of sessionOpcode: UInt8, _ direction: Direction) -> UInt8? {
        switch self {
        case .flic2: sessionOpcode
        case .twist: Self.twistNumbers[direction].outside[Int(sessionOpcode)]
        }
    }

    private struct Numbers {
        var inside = (0...255).map { UInt8($0) | Twist.ownNumbers }
        var outside = [UInt8?](repeating: nil, count: 256)

        init(_ packets: [any Packet.Type]) {
            for packet in packets {
                inside[Int(packet.opcode)] = packet.sessionOpcode
                outside[Int(packet.sessionOpcode)] = packet.opcode
            }
        }
    }

    private struct Tables {
        let toButton = Numbers(PacketCatalog.twistToButton)
        let fromButton = Numbers(PacketCatalog.twistFromButton)

        subscript(direction: Direction) -> Numbers { direction == .toButton ? toButton : fromButton }
    }

    private static let twistNumbers = Tables()
}
