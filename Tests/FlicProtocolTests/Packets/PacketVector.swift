import Fixtures
import FlicProtocol
import Testing

/// One packet of `packets.json`: its table, its cases, and the type that FlicProtocol has for it.
struct PacketVector: Sendable, CustomTestStringConvertible {
    enum Family: String, Sendable, CaseIterable {
        case flic2, duo, twist

        var catalog: [any Packet.Type] {
            switch self {
            case .flic2: PacketCatalog.toButton + PacketCatalog.fromButton
            case .duo: PacketCatalog.duoToButton + PacketCatalog.duoFromButton
            case .twist: PacketCatalog.twistToButton + PacketCatalog.twistFromButton
            }
        }
    }

    let family: Family
    let name: String
    let opcode: UInt8
    let direction: Direction?
    let signing: Signing?
    /// Bytes of the body.
    let minimumLength: Int
    let fields: [Field]
    /// Values and body.
    let cases: [(values: [String: JSONValue], body: [UInt8])]
    let tooShort: [UInt8]?
    let type: (any Packet.Type)?

    var testDescription: String { "\(family.rawValue) \(direction == .toButton ? "→" : "←") \(opcode) \(name)" }

    static func all(_ family: Family) -> [PacketVector] {
        JSONValue.vectors("packets")[family.rawValue].array.map { PacketVector(family, $0) }
    }

    private init(_ family: Family, _ json: JSONValue) {
        let direction = Direction(name: json.direction)
        let opcode = json.opcode.unsigned.flatMap(UInt8.init(exactly:)) ?? .max
        let type = family.catalog.first { $0.direction == direction && $0.opcode == opcode }
        let fields = json.fields.array.map(Field.init)
        let duoFlag = family == .twist ? type.flatMap { DuoFlag($0, fields) } : nil
        self.family = family
        self.direction = direction
        self.opcode = opcode
        self.type = type
        name = json.name.string ?? ""
        signing =
            switch json["signed"].string {
            case "no": .never
            case "yes": .always
            case "session": .inSession
            default: nil
            }
        minimumLength = json.minimum_length.unsigned.flatMap(Int.init(exactly:)) ?? .max
        self.fields = duoFlag?.split(fields) ?? fields
        cases = json.cases.array.map { entry in
            let values = Dictionary(uniqueKeysWithValues: entry.values.keys.map { ($0, entry.values[$0]) })
            return (duoFlag?.split(values) ?? values, entry.body.bytes ?? [])
        }
        tooShort = json.too_short.bytes
    }

    /// What fills the body from the last fixed field to the end, if anything.
    var openEnd: Field? { fields.last { $0.bits == nil } }
    var optionalTail: Field? { fields.last { $0.isOptional } }
}

/// A row of a packet's table. Offsets count from the opcode's first bit; what goes on to the end has no number of bits.
struct Field: Equatable, Sendable {
    var name: String
    var bitOffset: Int
    var kind: String
    var bits: Int?
    var isOptional = false

    init(name: String, bitOffset: Int, kind: String, bits: Int?, isOptional: Bool = false) {
        self.name = name
        self.bitOffset = bitOffset
        self.kind = kind
        self.bits = bits
        self.isOptional = isOptional
    }

    init(_ json: JSONValue) {
        name = json.name.string ?? ""
        bitOffset = json.bit_offset.signed.map(Int.init) ?? -1
        kind = json.kind.string ?? ""
        bits = json.bits.signed.map(Int.init)
        isOptional = json.optional.bool ?? false
    }
}

/// The Twist's tables count the bit that says "Duo" among the reserved ones; its packets have the layout of the Flic 2 all the same.
private struct DuoFlag {
    let name: String
    let reserved: Field

    /// nil if the type does not have the Flic 2's layout with such a bit.
    init?(_ type: any Packet.Type, _ fields: [Field]) {
        let names = FieldInspector.table(of: type).map(\.name)
        guard let name = ["supports_duo", "is_duo"].first(where: names.contains) else { return nil }
        guard let reserved = fields.first(where: { $0.name == "rfu" }) else { return nil }
        self.name = name
        self.reserved = reserved
    }

    /// Reserved bits above the flag.
    private var bitsLeft: Int { (reserved.bits ?? 1) - 1 }

    func split(_ fields: [Field]) -> [Field] {
        let flag = Field(name: name, bitOffset: reserved.bitOffset, kind: "u1", bits: 1)
        let rest = Field(name: "rfu", bitOffset: reserved.bitOffset + 1, kind: "u\(bitsLeft)", bits: bitsLeft)
        return fields.flatMap { $0 != reserved ? [$0] : bitsLeft > 0 ? [flag, rest] : [flag] }
    }

    func split(_ values: [String: JSONValue]) -> [String: JSONValue] {
        guard let reserved = values["rfu"]?.signed else { return values }
        var split = values
        split[name] = .integer(reserved & 1)
        split["rfu"] = bitsLeft > 0 ? .integer(reserved >> 1) : nil
        return split
    }
}
