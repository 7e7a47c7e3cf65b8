import DBus
import Fixtures

/// Makes values of random types, the same ones for the same seed.
struct RandomValues {
    private var generator: Random

    init(seed: UInt64) {
        generator = Random(seed: seed)
    }

    mutating func arguments() -> [DBusValue] {
        (0..<number(0...3)).map { _ in value(of: shape(depth: 0)) }
    }

    private indirect enum Shape {
        case basic(Character)
        case array(Shape)
        case dictionary(Character, Shape)
        case structure([Shape])
        case variant

        var signature: String {
            switch self {
            case .basic(let type): String(type)
            case .array(let element): "a" + element.signature
            case .dictionary(let key, let value): "a{" + String(key) + value.signature + "}"
            case .structure(let members): "(" + members.map(\.signature).joined() + ")"
            case .variant: "v"
            }
        }
    }

    private mutating func shape(depth: Int) -> Shape {
        switch number(depth < 4 ? 0...7 : 0...3) {
        case 4: .array(shape(depth: depth + 1))
        case 5: .dictionary(pick("ybnqiuxtsog"), shape(depth: depth + 1))
        case 6: .structure((0..<number(1...3)).map { _ in shape(depth: depth + 1) })
        case 7: .variant
        default: .basic(pick("ybnqiuxtdsog"))
        }
    }

    private mutating func value(of shape: Shape, depth: Int = 0) -> DBusValue {
        switch shape {
        case .basic(let type):
            return basic(type)
        case .array(.basic("y")):
            return .bytes((0..<number(0...40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        case .array(let element):
            return .array(of: element.signature, (0..<number(0...3)).map { _ in value(of: element, depth: depth + 1) })
        case .dictionary(let key, let member):
            var members: [DBusValue: DBusValue] = [:]
            for _ in 0..<number(0...3) { members[basic(key)] = value(of: member, depth: depth + 1) }
            return .dictionary(key: String(key), value: member.signature, members)
        case .structure(let members):
            return .structure(members.map { value(of: $0, depth: depth + 1) })
        case .variant:
            return .variant(value(of: self.shape(depth: depth + 2), depth: depth + 1))
        }
    }

    private mutating func basic(_ type: Character) -> DBusValue {
        let bits = generator.next()
        return switch type {
        case "y": .byte(UInt8(truncatingIfNeeded: bits))
        case "b": .boolean(bits & 1 == 1)
        case "n": .int16(Int16(truncatingIfNeeded: bits))
        case "q": .uint16(UInt16(truncatingIfNeeded: bits))
        case "i": .int32(Int32(truncatingIfNeeded: bits))
        case "u": .uint32(UInt32(truncatingIfNeeded: bits))
        case "x": .int64(Int64(truncatingIfNeeded: bits))
        case "t": .uint64(bits)
        case "d": .double(Double(Int64(truncatingIfNeeded: bits)) / 256)
        case "o": .objectPath("/" + ["", "a", "org/bluez", "x_1/y2/z3"][Int(bits % 4)])
        case "g": .signature(["", "s", "a{sv}", "(ii)ay"][Int(bits % 4)])
        default: .string(["", "a", "größer", "\u{1F600}\n\t\"'<&>", "\u{7F}"][Int(bits % 5)])
        }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private mutating func pick(_ types: String) -> Character { types.randomElement(using: &generator) ?? "y" }
}
