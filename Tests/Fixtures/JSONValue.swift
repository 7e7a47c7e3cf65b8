import Foundation

/// A JSON document as a tree, for vectors whose shape differs from entry to entry.
@dynamicMemberLookup
public enum JSONValue: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Any JSON value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The member, or null where there is none.
    public subscript(dynamicMember name: String) -> JSONValue { self[name] }

    /// The member, or null where there is none.
    public subscript(name: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    /// The elements; none of anything but an array.
    public var array: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The names of the members, sorted.
    public var keys: [String] {
        guard case .object(let members) = self else { return [] }
        return members.keys.sorted()
    }

    /// The text, if it is one.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number; also of a decimal string, which the vectors use beyond 53 bits.
    public var unsigned: UInt64? {
        switch self {
        case .integer(let value): UInt64(exactly: value)
        case .string(let text): UInt64(text)
        default: nil
        }
    }

    /// The number; also of a decimal string.
    public var signed: Int64? {
        switch self {
        case .integer(let value): value
        case .string(let text): Int64(text)
        default: nil
        }
    }

    /// The number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The truth value; also of a number, which the vectors use for bits.
    public var bool: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }

    /// Whether it is null, or was never there.
    public var isNull: Bool { self == .null }

    /// The bytes of a string of hexadecimal digits.
    public var bytes: [UInt8]? { string.flatMap { [UInt8](hex: $0) } }
}

extension JSONValue {
    /// Reads one of the files below `Vectors`.
    public static func vectors(_ name: String) -> JSONValue {
        let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Vectors")!
        return try! JSONDecoder().decode(JSONValue.self, from: try! Data(contentsOf: url))
    }
}
