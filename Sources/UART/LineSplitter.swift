/// Cuts a stream of bytes into lines of text, whatever pieces it comes in.
///
/// A line ends with `\n` or `\r\n`. What is not valid UTF-8 becomes U+FFFD; a character that comes in two pieces is whole, as bytes are decoded only
/// when their line is complete. A line that gets longer than allowed is cut, but not within a character.
struct LineSplitter {
    /// In bytes.
    private let longestLine: Int
    private var line: [UInt8] = []

    /// - Parameter longestLine: In bytes; at least four, which is a character.
    init(longestLine: Int) { self.longestLine = max(longestLine, 4) }

    /// Takes bytes. Returns the lines that they complete.
    mutating func add(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                lines.append(take(line.count))
            } else {
                if line.count == longestLine { lines.append(take(wholeCharacters)) }
                line.append(byte)
            }
        }
        return lines
    }

    /// The stream has ended. Returns what has no end of line.
    mutating func finish() -> String? { line.isEmpty ? nil : take(line.count) }

    private mutating func take(_ count: Int) -> String {
        defer { line.removeFirst(count) }
        return String(decoding: line.prefix(count), as: UTF8.self)
    }

    /// How many bytes there are without a character at the end that is not complete.
    private var wholeCharacters: Int {
        let tail = line.suffix(4)
        guard let first = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return line.count }
        let length =
            switch line[first] {
            case 0xC0...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF7: 4
            default: 1
            }
        return line.count - first < length && first > 0 ? first : line.count
    }
}
