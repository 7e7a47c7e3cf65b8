internal import CDBus

/// Reads the values of a message.
///
/// libdbus has checked the body against its signature, and names and texts against their rules, before it hands a message over.
/// What remains are limits: a small message can unfold into very many values.
struct MessageReader {
    /// Containers in each other.
    static let depthLimit = 64
    /// Values in a message, those in containers included; an array of bytes counts as one. Each takes about a hundred bytes of memory.
    static let valueLimit = 1 << 20

    private var values = 0

    /// The arguments of a message.
    static func read(_ message: Message) throws(DBusError) -> [DBusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message.pointer, &iterator) != 0 else { return [] }
        var reader = MessageReader()
        return try reader.all(&iterator, depth: 0)
    }

    private init() {}

    /// All values from the iterator's place to the end of its container.
    private mutating func all(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> [DBusValue] {
        var found: [DBusValue] = []
        while dbus_message_iter_get_arg_type(&iterator) != 0 {
            found.append(try value(&iterator, depth: depth))
            dbus_message_iter_next(&iterator)
        }
        return found
    }

    private mutating func value(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
        values += 1
        guard values <= Self.valueLimit else { throw limit("more than \(Self.valueLimit) values") }
        guard depth <= Self.depthLimit else { throw limit("more than \(Self.depthLimit) containers in each other") }
        let type = dbus_message_iter_get_arg_type(&iterator)
        switch UInt8(truncatingIfNeeded: type) {
        case UInt8(ascii: "y"): return .byte(basic(&iterator, 0))
        case UInt8(ascii: "b"): return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
        case UInt8(ascii: "n"): return .int16(basic(&iterator, 0))
        case UInt8(ascii: "q"): return .uint16(basic(&iterator, 0))
        case UInt8(ascii: "i"): return .int32(basic(&iterator, 0))
        case UInt8(ascii: "u"): return .uint32(basic(&iterator, 0))
        case UInt8(ascii: "x"): return .int64(basic(&iterator, 0))
        case UInt8(ascii: "t"): return .uint64(basic(&iterator, 0))
        case UInt8(ascii: "d"): return .double(basic(&iterator, 0))
        case UInt8(ascii: "s"): return .string(text(&iterator))
        case UInt8(ascii: "o"): return .objectPath(text(&iterator))
        case UInt8(ascii: "g"): return .signature(text(&iterator))
        case UInt8(ascii: "h"):
            // A copy, made by libdbus, which is ours to close; the message closes its own.
            let number = basic(&iterator, Int32(-1))
            guard number >= 0 else { throw limit("a file descriptor that cannot be copied") }
            return .fileDescriptor(DBusFileDescriptor(number))
        case UInt8(ascii: "a"): return try array(&iterator, depth: depth)
        case UInt8(ascii: "r"):
            var members = inside(&iterator)
            return .structure(try all(&members, depth: depth + 1))
        case UInt8(ascii: "v"):
            var contents = inside(&iterator)
            return .variant(try value(&contents, depth: depth + 1))
        default:
            throw DBusError(name: DBusError.invalidArguments, message: "A value of unknown type \(type)")
        }
    }

    private mutating func array(_ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
        var elements = inside(&iterator)
        switch UInt8(truncatingIfNeeded: dbus_message_iter_get_element_type(&iterator)) {
        case UInt8(ascii: "y"):
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            dbus_message_iter_get_fixed_array(&elements, &start, &count)
            return .bytes(Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count))))
        case UInt8(ascii: "e"):
            let type = try signature(&iterator).dropFirst(2).dropLast()  // a{…}
            var members: [DBusValue: DBusValue] = [:]
            while dbus_message_iter_get_arg_type(&elements) != 0 {
                var entry = inside(&elements)
                let key = try value(&entry, depth: depth + 2)
                dbus_message_iter_next(&entry)
                members[key] = try value(&entry, depth: depth + 2)
                dbus_message_iter_next(&elements)
            }
            return .dictionary(key: String(type.prefix(1)), value: String(type.dropFirst()), members)
        default:
            let type = String(try signature(&iterator).dropFirst())
            return .array(of: type, try all(&elements, depth: depth + 1))
        }
    }

    // MARK: libdbus's iterators

    private func inside(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
        var contents = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &contents)
        return contents
    }

    private func basic<Value: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: Value) -> Value {
        var value = initial
        dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private func text(_ iterator: inout DBusMessageIter) -> String {
        var text: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &text)
        return text.map { String(cString: $0) } ?? ""
    }

    private func signature(_ iterator: inout DBusMessageIter) throws(DBusError) -> String {
        guard let signature = dbus_message_iter_get_signature(&iterator) else { throw .noMemory }
        defer { dbus_free(signature) }
        return String(cString: signature)
    }

    private func limit(_ what: String) -> DBusError {
        DBusError(name: DBusError.limitsExceeded, message: "Cannot be read: \(what)")
    }
}
