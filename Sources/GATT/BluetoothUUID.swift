/// A 128-bit Bluetooth UUID.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// - Parameter bytes: The 16 bytes in the order in which the text form shows them; nil with any other number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A 16-bit number assigned by the Bluetooth SIG.
    public init(assigned number: UInt16) {
        high = UInt64(number) << 32 | 0x1000
        low = 0x8000_0080_5F9B_34FB
    }

    /// - Parameter text: 32 hexadecimal digits of either case with hyphens as in `00420000-8f59-4420-870d-84f3b617e493`,
    ///   or the four digits of an assigned number; nil for anything else.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        if characters.count == 4, let number = UInt16(text, radix: 16), text.allSatisfy(\.isHexDigit) {
            self.init(assigned: number)
            return
        }
        guard characters.count == 36 else { return nil }
        var digits: [UInt8] = []
        for (index, character) in characters.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
                digits.append(UInt8(digit))
            }
        }
        self.init(bytes: stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// The 16 bytes in the order in which the text form shows them.
    public var bytes: [UInt8] { [high, low].flatMap { half in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) } } }

    /// Lower-case text form, as on D-Bus.
    public var description: String {
        func digits(_ value: UInt64, _ count: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: count - text.utf8.count) + text
        }
        return [
            digits(high >> 32, 8), digits(high >> 16 & 0xFFFF, 4), digits(high & 0xFFFF, 4),
            digits(low >> 48, 4), digits(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
