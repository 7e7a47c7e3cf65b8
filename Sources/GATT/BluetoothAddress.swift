/// The address of a Bluetooth Low Energy device.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    /// Who gave the address.
    public enum Kind: UInt8, Hashable, Sendable {
        /// Assigned by the maker of the device.
        case `public` = 0
        /// Chosen by the device.
        case random = 1
    }

    /// Who gave the address.
    public let kind: Kind
    /// The 48 bits; the upper half of the address, which identifies the maker of a public one, is in the upper 24 bits.
    public let value: UInt64

    /// - Parameter value: The 48 bits; higher ones are dropped.
    public init(kind: Kind = .public, value: UInt64) {
        self.kind = kind
        self.value = value & 0xFFFF_FFFF_FFFF
    }

    /// - Parameter text: Six groups of two hexadecimal digits as in `80:E4:DA:12:34:56`; nil for anything else.
    public init?(_ text: String, kind: Kind = .public) {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        guard groups.count == 6, groups.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }),
            let value = UInt64(groups.joined(), radix: 16)
        else { return nil }
        self.init(kind: kind, value: value)
    }

    /// - Parameter bytes: Six bytes as on the air, least significant first; nil with any other number.
    public init?(wireBytes bytes: some BidirectionalCollection<UInt8>, kind: Kind = .public) {
        guard bytes.count == 6 else { return nil }
        self.init(kind: kind, value: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Six bytes as on the air, least significant first.
    public var wireBytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    /// Upper case with colons, as on D-Bus.
    public var description: String {
        wireBytes.reversed().map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
