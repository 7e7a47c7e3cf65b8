import FoundationEssentials
import Logs

/// A text with places for what happened: `{name}`, `{event}` and all other members of an ``EventRecord``.
///
/// A member that does not apply is empty text. Braces around anything else stay as they are.
package struct WebhookTemplate: Sendable, Equatable {
    /// What a value is put into, and so how it is written.
    package enum Place: Sendable {
        /// A URL, or a body of a form: all but unreserved characters are percent-encoded (RFC 3986, 2.3).
        case url
        /// A header: control characters become spaces.
        case header
        /// Between the quotation marks of a JSON string (RFC 8259, 7).
        case json
        /// As it is.
        case text
    }

    /// The members that there can be.
    package static let names = [
        "event", "time", "date", "button", "uuid", "name", "address", "volts", "batteryPercent", "batteryLow", "queued", "age", "buttonNumber",
        "gesture", "turns", "position", "twistMode", "count", "clock",
        "state", "buttons", "reason", "message",
    ]

    private let text: String

    package init(_ text: String) { self.text = text }

    /// - Parameter values: From ``values(of:)``.
    package func filled(with values: [String: String], for place: Place) -> String {
        // By scalars: a character of people could swallow a brace.
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let start = rest.firstIndex(of: "{") {
            result += rest[..<start]
            rest = rest[start...].dropFirst()
            let word = String(rest.prefix { $0.isASCII && $0.properties.isAlphabetic })
            let end = rest.dropFirst(word.unicodeScalars.count)
            if end.first == "}", Self.names.contains(word) {
                result += place.written(values[word] ?? "").unicodeScalars
                rest = end.dropFirst()
            } else {
                result.append("{")
            }
        }
        return String(result + rest)
    }

    /// What the members of a record are, as text.
    package static func values(of record: EventRecord) -> [String: String] {
        guard let data = try? JSONEncoder().encode(record) else { return [:] }
        return ((try? JSONDecoder().decode([String: Scalar].self, from: data)) ?? [:]).mapValues(\.text)
    }

    /// A value of a member.
    private struct Scalar: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(Bool.self) {
                text = "\(value)"
            } else if let value = try? container.decode(UInt64.self) {
                text = "\(value)"
            } else if let value = try? container.decode(Double.self) {
                text = "\(value)"
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}

extension WebhookTemplate.Place {
    fileprivate func written(_ value: String) -> String {
        switch self {
        case .url: value.utf8.reduce(into: "") { $0 += Self.percentEncoded($1) }
        case .header: value.inOneLine
        case .json: Self.jsonString(value)
        case .text: value
        }
    }

    private static func percentEncoded(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            String(UnicodeScalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }

    private static func jsonString(_ value: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(value) else { return "" }
        return String(decoding: data.dropFirst().dropLast(), as: UTF8.self)
    }
}
