import Fixtures
import FlicProtocol

/// Puts the values of a vector into a packet.
struct FieldFiller: FieldCoder {
    private var names: FieldNames
    private let values: [String: JSONValue]
    /// Fields without a value, or with one that does not fit.
    private(set) var unfilled: [String] = []
    /// Values that no field has asked for.
    private(set) var unused: Set<String>

    init(_ values: [String: JSONValue]) {
        self.values = values
        unused = Set(values.keys)
        names = FieldNames(known: unused)
    }

    private mutating func fill<Value>(_ name: StaticString, _ value: inout Value, isOptional: Bool = false, _ convert: (JSONValue) -> Value?) {
        let name = names.next(name)
        unused.remove(name)
        if let given = values[name], let converted = convert(given) {
            value = converted
        } else if !(isOptional && values[name] == nil) {
            unfilled.append(name)
        }
    }

    mutating func integer<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value, bits: Int) {
        fill(name, &value) { $0.integer() }
    }

    mutating func optionalInteger<Value: FixedWidthInteger>(_ name: StaticString, _ value: inout Value?, bits: Int) {
        fill(name, &value, isOptional: true) { $0.integer() as Value? }
    }

    mutating func flag(_ name: StaticString, _ value: inout Bool) {
        fill(name, &value, \.bool)
    }

    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int) {
        fill(name, &value) { $0.bytes?.count == count ? $0.bytes : nil }
    }

    mutating func optionalBytes(_ name: StaticString, _ value: inout [UInt8]?, count: Int) {
        fill(name, &value, isOptional: true) { $0.bytes?.count == count ? $0.bytes : nil }
    }

    mutating func rest(_ name: StaticString, _ value: inout [UInt8]) {
        fill(name, &value, \.bytes)
    }

    mutating func list<Element: FieldGroup>(_ name: StaticString, _ value: inout [Element]) {
        fill(name, &value) { json in
            let elements = json.array.compactMap { entry -> Element? in
                var element = Element()
                var filler = FieldFiller(entry.keys.isEmpty ? ["tmp_id": entry] : .init(uniqueKeysWithValues: entry.keys.map { ($0, entry[$0]) }))
                element.code(&filler)
                return filler.unfilled.isEmpty && filler.unused.isEmpty ? element : nil
            }
            return elements.count == json.array.count ? elements : nil
        }
    }
}

extension JSONValue {
    fileprivate func integer<Value: FixedWidthInteger>() -> Value? {
        signed.flatMap(Value.init(exactly:)) ?? unsigned.flatMap(Value.init(exactly:))
    }
}

/// Names of fields as the vectors write them: a repeated field, which the Twist's states have, gets a number.
struct FieldNames {
    private let known: Set<String>
    private var occurrences: [String: Int] = [:]

    init(known: Set<String>) { self.known = known }

    mutating func next(_ name: StaticString) -> String {
        let name = "\(name)"
        if known.contains(name) || !known.contains("state_0_\(name)") { return name }
        let occurrence = occurrences[name, default: 0]
        occurrences[name] = occurrence + 1
        return "state_\(occurrence)_\(name)"
    }
}
