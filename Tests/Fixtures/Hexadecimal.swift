extension [UInt8] {
    /// Bytes from an even number of hexadecimal digits; nil if there is anything else in the text.
    public init?(hex text: some StringProtocol) {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        self.init()
        var high: UInt8?
        for character in text {
            guard let digit = character.hexDigitValue.map(UInt8.init) else { return nil }
            if let upper = high {
                append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
    }

    /// Lower-case hexadecimal digits.
    public var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
