/// What a client has named a request, to find its answer: a text, or a whole number.
package enum RequestID: Hashable, Sendable, Codable {
    case text(String)
    case number(Int)

    /// Longer ones are refused, in bytes.
    static let longestText = 128

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self), text.utf8.count <= Self.longestText {
            self = .text(text)
        } else {
            let rule = "a text of at most \(Self.longestText) bytes, or a whole number"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: rule)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}
