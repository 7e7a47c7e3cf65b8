internal import CDBus

/// Writes values into a message.
///
/// Checks each value first: libdbus aborts the process on arguments that break the rules of D-Bus, and the bus disconnects a
/// peer whose message does.
struct MessageWriter {
    /// Containers in each other. The bus takes no more, variants included.
    static let depthLimit = 64
    /// Bytes of a body, padding counted generously. Half of what a message may have, and what a single array may have.
    static let sizeLimit = 1 << 26
    /// File descriptors in a message. The bus takes no more.
    static let descriptorLimit = 16

    private let depthLimit: Int
    private var size = 0
    private var descriptors = 0

    /// - Parameter depthLimit: Larger only to test a reader.
    static func write(_ values: [DBusValue], into message: Message, depthLimit: Int = depthLimit) throws(DBusError) {
        guard !values.isEmpty else { return }
        guard BusSyntax.isSignature(values.map(\.signature).joined()) else { throw invalid("too many arguments, or of an impossible type") }
        var writer = MessageWriter(depthLimit: depthLimit)
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message.pointer, &iterator)
        for value in values { try writer.append(value, to: &iterator, depth: 0) }
    }

    private init(depthLimit: Int) {
        self.depthLimit = depthLimit
    }

    private mutating func append(_ value: DBusValue, to iterator: inout DBusMessageIter, depth: Int) throws(DBusError) {
        switch value {
        case .byte(let value): try append(value, "y", to: &iterator)
        case .boolean(let value): try append(dbus_bool_t(value ? 1 : 0), "b", to: &iterator)
        case .int16(let value): try append(value, "n", to: &iterator)
        case .uint16(let value): try append(value, "q", to: &iterator)
        case .int32(let value): try append(value, "i", to: &iterator)
        case .uint32(let value): try append(value, "u", to: &iterator)
        case .int64(let value): try append(value, "x", to: &iterator)
        case .uint64(let value): try append(value, "t", to: &iterator)
        case .double(let value): try append(value, "d", to: &iterator)
        case .string(let text):
            guard BusSyntax.isText(text) else { throw invalid("a string with a NUL character") }
            try append(text, "s", to: &iterator)
        case .objectPath(let path):
            guard BusSyntax.isPath(path) else { throw invalid("not an object path: \(path)") }
            try append(path, "o", to: &iterator)
        case .signature(let signature):
            guard BusSyntax.isSignature(signature) else { throw invalid("not a signature: \(signature)") }
            try append(signature, "g", to: &iterator)
        case .fileDescriptor(let descriptor): try append(descriptor, to: &iterator)
        case .bytes(let bytes): try append(bytes, to: &iterator, depth: depth)
        case .array(let type, let elements):
            guard BusSyntax.isType("a" + type) else { throw invalid("not the type of an element: \(type)") }
            try container("a", of: type, in: &iterator, depth: depth + 1) { (writer, contents) throws(DBusError) in
                for element in elements {
                    guard element.signature == type else { throw invalid("an element of another type than \(type)") }
                    try writer.append(element, to: &contents, depth: depth + 1)
                }
            }
        case .dictionary(let key, let value, let members): try append(members, key, value, to: &iterator, depth: depth)
        case .structure(let members):
            guard !members.isEmpty else { throw invalid("an empty structure") }
            try container("r", of: nil, in: &iterator, depth: depth + 1) { (writer, contents) throws(DBusError) in
                for member in members { try writer.append(member, to: &contents, depth: depth + 1) }
            }
        case .variant(let value):
            let type = value.signature
            guard BusSyntax.isType(type) else { throw invalid("a variant of an impossible type") }
            try container("v", of: type, in: &iterator, depth: depth + 1) { (writer, contents) throws(DBusError) in
                try writer.append(value, to: &contents, depth: depth + 1)
            }
        }
    }

    // MARK: Single values

    private mutating func append(_ value: some BitwiseCopyable, _ type: Unicode.Scalar, to iterator: inout DBusMessageIter) throws(DBusError) {
        try count(8)
        var value = value
        try allocated(dbus_message_iter_append_basic(&iterator, code(type), &value))
    }

    private mutating func append(_ text: String, _ type: Unicode.Scalar, to iterator: inout DBusMessageIter) throws(DBusError) {
        try count(text.utf8.count)
        let done = text.withCString { text in
            var text: UnsafePointer<CChar>? = text
            return dbus_message_iter_append_basic(&iterator, code(type), &text)
        }
        try allocated(done)
    }

    private mutating func append(_ descriptor: DBusFileDescriptor, to iterator: inout DBusMessageIter) throws(DBusError) {
        try count(8)
        descriptors += 1
        guard descriptors <= Self.descriptorLimit else { throw invalid("more than \(Self.descriptorLimit) file descriptors") }
        // libdbus makes a copy of its own; ours stays with the object.
        let done = descriptor.lend { number in
            var number = number
            return number < 0 ? 0 : dbus_message_iter_append_basic(&iterator, code("h"), &number)
        }
        guard done != 0 else { throw invalid("a file descriptor that was taken or cannot be copied") }
    }

    // MARK: Containers

    private mutating func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter, depth: Int) throws(DBusError) {
        try count(bytes.count)
        try container("a", of: "y", in: &iterator, depth: depth + 1) { (_, contents) throws(DBusError) in
            guard !bytes.isEmpty else { return }
            let done = bytes.withUnsafeBufferPointer { bytes in
                var start = bytes.baseAddress
                return dbus_message_iter_append_fixed_array(&contents, code("y"), &start, Int32(bytes.count))
            }
            try allocated(done)
        }
    }

    private mutating func append(
        _ members: [DBusValue: DBusValue],
        _ keyType: String,
        _ valueType: String,
        to iterator: inout DBusMessageIter,
        depth: Int
    ) throws(DBusError) {
        let type = "{" + keyType + valueType + "}"
        // The key is of one basic type, so a valid whole with a key of one character has a value of one type.
        guard keyType.utf8.count == 1, BusSyntax.isType("a" + type) else { throw invalid("not the types of a dictionary: \(type)") }
        try container("a", of: type, in: &iterator, depth: depth + 1) { (writer, contents) throws(DBusError) in
            // In a fixed order: bluetoothd gives out GATT handles in the order of the answer to GetManagedObjects.
            for (key, value) in members.sorted(by: { $0.key.precedes($1.key) }) {
                guard key.signature == keyType, value.signature == valueType else { throw invalid("a member of another type than \(type)") }
                try writer.container("e", of: nil, in: &contents, depth: depth + 2) { (writer, entry) throws(DBusError) in
                    try writer.append(key, to: &entry, depth: depth + 2)
                    try writer.append(value, to: &entry, depth: depth + 2)
                }
            }
        }
    }

    private mutating func container(
        _ type: Unicode.Scalar,
        of contents: String?,
        in iterator: inout DBusMessageIter,
        depth: Int,
        fill: (inout MessageWriter, inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        guard depth <= depthLimit else { throw invalid("more than \(depthLimit) containers in each other") }
        try count(8)
        var inside = DBusMessageIter()
        try allocated(dbus_message_iter_open_container(&iterator, code(type), contents, &inside))
        do {
            try fill(&self, &inside)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inside)  // or libdbus would leak what it keeps for an open container
            throw error
        }
        try allocated(dbus_message_iter_close_container(&iterator, &inside))
    }

    /// Each value is counted with the most that its length and padding may take.
    private mutating func count(_ bytes: Int) throws(DBusError) {
        size += bytes + 16
        guard size <= Self.sizeLimit else { throw DBusError(name: DBusError.limitsExceeded, message: "More than \(Self.sizeLimit) bytes") }
    }
}

/// The number that libdbus has for a type.
private func code(_ type: Unicode.Scalar) -> Int32 { Int32(type.value) }

private func allocated(_ done: dbus_bool_t) throws(DBusError) {
    if done == 0 { throw .noMemory }
}

private func invalid(_ what: String) -> DBusError {
    DBusError(name: DBusError.invalidArguments, message: "Cannot be sent: \(what)")
}
