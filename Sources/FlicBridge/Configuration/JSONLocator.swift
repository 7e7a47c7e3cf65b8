import FoundationEssentials
import Logs

/// Reads JSON (RFC 8259) so that the line of everything in it is known.
///
/// `JSONDecoder` decodes each name, text and number; but it does not tell where they are, nor that a name is there twice, so what is between them is
/// walked through here.
struct JSONLocator {
    /// Levels of lists and objects.
    static let deepest = 16
    /// Names and values together.
    static let mostValues = 100_000

    /// Why a text is not JSON.
    struct Problem: Error, Equatable {
        let line: Int
        /// In characters, from 1.
        let column: Int
        /// What was expected, or what is wrong.
        let message: String
    }

    private let bytes: [UInt8]
    private let decoder = JSONDecoder()
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0
    private var valueCount = 0

    /// - Parameter bytes: UTF-8. A byte order mark in front is passed over.
    static func read(_ bytes: [UInt8]) throws(Problem) -> LocatedJSON {
        var locator = JSONLocator(bytes: bytes)
        let value = try locator.value()
        locator.skipSpace()
        guard locator.next == nil else { throw locator.problem("nothing more was expected, not \(locator.shownNext)") }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            lineStart = 3
        }
    }

    // MARK: Values

    private mutating func value() throws(Problem) -> LocatedJSON {
        skipSpace()
        valueCount += 1
        guard valueCount <= Self.mostValues else { throw problem("more than \(Self.mostValues) values are too many") }
        let line = line
        switch next {
        case UInt8(ascii: "{"): return LocatedJSON(line: line, value: .object(try object()))
        case UInt8(ascii: "["): return LocatedJSON(line: line, value: .list(try list()))
        case UInt8(ascii: "\""): return LocatedJSON(line: line, value: .text(try text()))
        default: return LocatedJSON(line: line, value: try word())
        }
    }

    private mutating func object() throws(Problem) -> [LocatedJSON.Member] {
        var members: [LocatedJSON.Member] = []
        try elements(until: UInt8(ascii: "}"), or: "a name in quotation marks") { locator throws(Problem) in
            guard locator.next == UInt8(ascii: "\"") else {
                throw locator.problem("a name in quotation marks was expected, not \(locator.shownNext)")
            }
            let line = locator.line
            let name = try locator.text()
            locator.skipSpace()
            guard locator.next == UInt8(ascii: ":") else { throw locator.problem("':' was expected, not \(locator.shownNext)") }
            locator.position += 1
            members.append(LocatedJSON.Member(name: name, line: line, value: try locator.value()))
        }
        return members
    }

    private mutating func list() throws(Problem) -> [LocatedJSON] {
        var values: [LocatedJSON] = []
        try elements(until: UInt8(ascii: "]"), or: "a value") { locator throws(Problem) in values.append(try locator.value()) }
        return values
    }

    /// What is between two brackets, with commas between.
    private mutating func elements(
        until end: UInt8,
        or element: String,
        _ read: (inout JSONLocator) throws(Problem) -> Void
    ) throws(Problem) {
        depth += 1
        guard depth <= Self.deepest else { throw problem("lists and objects in more than \(Self.deepest) levels are too many") }
        position += 1
        skipSpace()
        if next == end {
            position += 1
        } else {
            while true {
                skipSpace()
                guard next != end else { throw problem("\(element) was expected after ',', not \(shownNext)") }
                try read(&self)
                skipSpace()
                guard next == UInt8(ascii: ",") || next == end else {
                    throw problem("',' or '\(Character(UnicodeScalar(end)))' was expected, not \(shownNext)")
                }
                position += 1
                if bytes[position - 1] == end { break }
            }
        }
        depth -= 1
    }

    private mutating func text() throws(Problem) -> String {
        let start = position
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            // Texts do not go on over the end of a line, and such an error is best told where the text begins.
            guard byte != UInt8(ascii: "\n") else { break }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard next == UInt8(ascii: "\"") else { throw problem("this text has no quotation mark at its end", at: start) }
        position += 1
        guard let text = decode(String.self, from: start) else {
            throw problem("this text has an escape or a byte that JSON does not know", at: start)
        }
        return text
    }

    /// A number, `true`, `false` or `null`.
    private mutating func word() throws(Problem) -> LocatedJSON.Value {
        let start = position
        while let byte = next, Self.isOfWord(byte) { position += 1 }
        guard position > start else { throw problem("a value was expected, not \(shownNext)") }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .null
        default:
            guard let number = decode(Double.self, from: start), number.isFinite else {
                throw problem("a value was expected, not '\(word.excerpt)'", at: start)
            }
            return .number(number)
        }
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, from start: Int) -> Value? {
        try? decoder.decode(type, from: Data(bytes[start..<position]))
    }

    // MARK: Where it is

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private var shownNext: String {
        guard let next else { return "the end of the file" }
        guard next != UInt8(ascii: "\n"), next != UInt8(ascii: "\r") else { return "the end of the line" }
        return "'\(String(String(decoding: bytes[position...].prefix(4), as: UTF8.self).prefix(1)).inOneLine)'"
    }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                lineStart = position + 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return
            }
            position += 1
        }
    }

    /// - Parameter place: On the current line; nil for where it has come to.
    private func problem(_ message: String, at place: Int? = nil) -> Problem {
        let place = min(place ?? position, bytes.count)
        return Problem(line: line, column: String(decoding: bytes[lineStart..<place], as: UTF8.self).count + 1, message: message)
    }
}
