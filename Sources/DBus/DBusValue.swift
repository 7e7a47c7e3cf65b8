/// A value as it travels on the bus.
///
/// Arrays of bytes are a case of their own, because values of characteristics are. Everything else is built of the others.
public indirect enum DBusValue: Hashable, Sendable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case boolean(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`
    case string(String)
    /// `o`
    case objectPath(String)
    /// `g`
    case signature(String)
    /// `h`
    case fileDescriptor(DBusFileDescriptor)
    /// `ay`
    case bytes([UInt8])
    /// `a` and the signature of an element; never `ay`, which is ``bytes(_:)``, nor a dictionary.
    case array(of: String, [DBusValue])
    /// `a{` and the signatures of key and value `}`.
    case dictionary(key: String, value: String, [DBusValue: DBusValue])
    /// `(…)`
    case structure([DBusValue])
    /// `v`
    case variant(DBusValue)
}

extension DBusValue {
    /// The signature of the value's type.
    public var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .fileDescriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }

    /// The order in which the members of a dictionary are written: texts by their characters, numbers by size.
    func precedes(_ other: DBusValue) -> Bool {
        switch (self, other) {
        case (.string(let left), .string(let right)), (.objectPath(let left), .objectPath(let right)), (.signature(let left), .signature(let right)):
            left < right
        default: (integer ?? 0) < (other.integer ?? 0)
        }
    }

    // MARK: Making values

    /// `as`
    public static func strings(_ texts: [String]) -> DBusValue { .array(of: "s", texts.map { .string($0) }) }

    /// `a{sv}`
    public static func properties(_ values: [String: DBusValue]) -> DBusValue {
        .dictionary(key: "s", value: "v", Dictionary(uniqueKeysWithValues: values.map { (.string($0), .variant($1)) }))
    }

    // MARK: Looking into values: nil where the type is another one

    /// Without the variants around it.
    public var unwrapped: DBusValue {
        if case .variant(let value) = self { value.unwrapped } else { self }
    }

    /// A string, not an object path.
    public var string: String? { if case .string(let text) = unwrapped { text } else { nil } }

    /// An object path.
    public var path: String? { if case .objectPath(let path) = unwrapped { path } else { nil } }

    /// A truth value.
    public var bool: Bool? { if case .boolean(let value) = unwrapped { value } else { nil } }

    /// Any integer that fits.
    public var integer: Int? {
        switch unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// An array of bytes.
    public var byteArray: [UInt8]? { if case .bytes(let bytes) = unwrapped { bytes } else { nil } }

    /// An array of strings; elements of other types make it nil.
    public var stringArray: [String]? {
        guard case .array(_, let elements) = unwrapped else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// A dictionary.
    public var dictionary: [DBusValue: DBusValue]? { if case .dictionary(_, _, let members) = unwrapped { members } else { nil } }

    /// `a{s…}`, the variants around its values taken off.
    public var namedValues: [String: DBusValue]? {
        guard let members = dictionary else { return nil }
        var named: [String: DBusValue] = [:]
        for (key, value) in members {
            guard let name = key.string else { return nil }
            named[name] = value.unwrapped
        }
        return named
    }
}
