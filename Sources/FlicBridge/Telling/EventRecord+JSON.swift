import FoundationEssentials

extension EventRecord {
    /// One line of JSON, with its end. Members are in alphabetical order.
    package var jsonLine: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail to be encoded: there are texts, whole numbers and volts.
        return ((try? encoder.encode(self)).map(Array.init) ?? []) + [UInt8(ascii: "\n")]
    }
}
