/// Which way a packet goes. Both directions number their opcodes on their own (protocol 4). The raw value enters the signature (protocol 5.4).
package enum Direction: UInt32, Sendable {
    case fromButton = 0
    case toButton = 1
}

/// Whether a packet ends in a signature (protocol 4).
package enum Signing: Sendable {
    case never
    case always
    /// Signed if and only if a session exists.
    case inSession
}

/// A packet of the protocol: an opcode, and fields that are described once, in ``code(_:)``, for reading, writing and showing.
///
/// A *body* is opcode and payload, without frame header and signature (protocol 1).
package protocol Packet: Equatable, Sendable {
    static var opcode: UInt8 { get }
    /// The number under which a ``HostSession`` knows the packet: that of the Flic 2, also where a Flic Twist has another one (``Dialect``).
    static var sessionOpcode: UInt8 { get }
    static var direction: Direction { get }
    static var signing: Signing { get }

    /// All fields zero or empty.
    init()

    /// Leads the coder through the fields, in the order in which they are on the wire.
    mutating func code(_ coder: inout some FieldCoder)
}

extension Packet {
    /// Reads a body. Bytes behind the last known field are ignored, as later firmware may add fields (protocol 1).
    ///
    /// - Returns: nil if the opcode is another one or the body is too short.
    package init?(body: Span<UInt8>) { self.init(body, numbered: Self.opcode) }

    /// The same under ``sessionOpcode``.
    package init?(sessionBody: Span<UInt8>) { self.init(sessionBody, numbered: Self.sessionOpcode) }

    private init?(_ body: Span<UInt8>, numbered opcode: UInt8) {
        guard !body.isEmpty, body[0] == opcode else { return nil }
        self.init()
        var reader = FieldReader(bytes: [UInt8](body), from: 1)
        code(&reader)
        guard reader.isComplete else { return nil }
    }

    package static var sessionOpcode: UInt8 { opcode }

    /// The body.
    package var body: [UInt8] { body(numbered: Self.opcode) }

    /// The same under ``sessionOpcode``.
    package var sessionBody: [UInt8] { body(numbered: Self.sessionOpcode) }

    private func body(numbered opcode: UInt8) -> [UInt8] {
        var writer = FieldWriter(opcode: opcode)
        var copy = self
        copy.code(&writer)
        return writer.bytes
    }
}

extension [UInt8] {
    /// A copy of the bytes.
    package init(_ span: Span<UInt8>) {
        self.init(unsafeUninitializedCapacity: span.count) { buffer, count in
            for index in span.indices { buffer.initializeElement(at: index, to: span[index]) }
            count = span.count
        }
    }
}
