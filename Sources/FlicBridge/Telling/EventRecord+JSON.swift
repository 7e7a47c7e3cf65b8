import FoundationEssentials

extension EventRecord {
    /// JSON in one line, without its end. Members are in alphabetical order.
    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail to be encoded: there are texts, whole numbers and volts.
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// The same with the end of the line.
    package var jsonLine: [UInt8] { json + [UInt8(ascii: "\n")] }
}
