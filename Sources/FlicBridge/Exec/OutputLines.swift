/// Makes lines of what a program says, as far as it is of interest.
struct OutputLines {
    /// In bytes.
    static let longestOutput = 4096

    private var line: [UInt8] = []
    private var count = 0
    private var isCut = false

    /// Takes more bytes.
    ///
    /// - Returns: The lines that are complete with them. Lines without a text are left out.
    mutating func take(_ bytes: some Collection<UInt8>) -> [String] {
        var lines: [String] = []
        let taken = bytes.prefix(Self.longestOutput - count)
        count += taken.count
        for byte in taken {
            if byte == UInt8(ascii: "\n") {
                lines += rest()
            } else {
                line.append(byte)
            }
        }
        if taken.count < bytes.count, !isCut {
            isCut = true
            lines += rest() + ["(what follows the first \(Self.longestOutput) bytes is left out)"]
        }
        return lines
    }

    /// The line that is not complete.
    mutating func rest() -> [String] {
        defer { line = [] }
        let text = String(decoding: line, as: UTF8.self)
        return text.allSatisfy(\.isWhitespace) ? [] : [text]
    }
}
