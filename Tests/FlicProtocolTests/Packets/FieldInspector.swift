import Fixtures
import FlicProtocol

/// Reads the table and the values of a packet back, as the vectors write them.
struct FieldInspector: FieldCoder {
    private(set) var fields: [Field] = []
    private(set) var values: [String: JSONValue] = [:]
    private var names: FieldNames
    private var bitOffset = 8  // behind the opcode

    private init(named known: Set<String>) { names = FieldNames(known: known) }

    static func inspect(_ packet: some Packet, named known: Set<String>) -> FieldInspector {
        var packet = packet
        var inspector = FieldInspector(named: known)
        packet.code(&inspector)
        return inspector
    }

    /// The table of a type, which the vectors call by the names in `known`.
    static func table<P: Packet>(of type: P.Type, named known: Set<String> = []) -> [Field] {
        inspect(P(), named: known).fields
    }

    private mutating func note(_ name: StaticString, kind: String, bits: Int?, isOptional: Bool = false, _ value: JSONValue?) {
        let name = names.next(name)
        fields.append(Field(name: name, bitOffset: bitOffset, kind: kind, bits: bits, isOptional: isOptional))
        values[name] = value
        bitOffset += bits ?? 0
    }

    /// Numbers of more than 53 bits are strings.
    private func json<Value: FixedWidthInteger>(_ value: Value, bits: Int) -> JSONValue {
        bits > 53 ? .string("\(value)") : .integer(Int64(value))
    }

    mutating func integer<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value, bits: Int) {
        note(name, kind: (Value.isSigned ? "i" : "u") + "\(bits)", bits: bits, json(value, bits: bits))
    }

    mutating func optionalInteger<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value?, bits: Int) {
        note(name, kind: (Value.isSigned ? "i" : "u") + "\(bits)", bits: bits, isOptional: true, value.map { json($0, bits: bits) })
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        note(name, kind: "u1", bits: 1, .integer(value ? 1 : 0))
    }

    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) {
        note(name, kind: "b\(count)", bits: count * 8, .string(value.hex))
    }

    mutating func optionalBytes(_ name: StaticString, _ value: inout [UInt8]?, count: Int) {
        note(name, kind: "b\(count)", bits: count * 8, isOptional: true, value.map { .string($0.hex) })
    }

    mutating func rest(_ name: StaticString, _ value: inout [UInt8]) {
        note(name, kind: "rest", bits: nil, .string(value.hex))
    }

    mutating func list<Element: FieldGroup>(_ name: StaticString, _ value: inout [Element]) {
        let elements = value.map { element in
            var element = element
            var inspector = FieldInspector(named: [])
            element.code(&inspector)
            return Element.self == TemporaryID.self ? inspector.values["tmp_id"] ?? .null : .object(inspector.values)
        }
        note(name, kind: Element.self == TemporaryID.self ? "u32[]" : "item\(Element.byteCount)[]", bits: nil, .array(elements))
    }
}
