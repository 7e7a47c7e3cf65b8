/// Cuts a stream of bytes into lines, whatever pieces it comes in. Bounded: a line that gets too long is the end of it.
package struct LineBuffer: Sendable {
    /// In bytes, without the end of the line.
    let longestLine: Int
    private var bytes: [UInt8] = []
    /// Where the first line that was not taken yet begins.
    private var start = 0
    /// No end of a line is before it.
    private var searched = 0

    /// A line is longer than allowed.
    package struct TooLong: Error {}

    package init(longestLine: Int) { self.longestLine = longestLine }

    /// Bytes that were not taken yet.
    package var count: Int { bytes.count - start }

    /// Takes bytes.
    package mutating func add(_ piece: [UInt8]) { bytes += piece }

    /// The next line, without its end (`\n` or `\r\n`); nil if none is complete.
    package mutating func next() throws(TooLong) -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            bytes.removeFirst(start)
            searched -= start
            start = 0
            guard bytes.count <= longestLine else { throw TooLong() }
            return nil
        }
        guard end - start <= longestLine else { throw TooLong() }
        var line = bytes[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        start = end + 1
        searched = start
        return Array(line)
    }

    /// What has no end of line; afterwards nothing is left.
    package mutating func takeRest() -> [UInt8] {
        defer { self = LineBuffer(longestLine: longestLine) }
        return Array(bytes[start...])
    }
}
