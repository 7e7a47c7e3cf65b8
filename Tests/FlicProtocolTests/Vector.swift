import Fixtures
import Testing

/// One entry of a vector file, shown in test results by what it is called or by its position.
@dynamicMemberLookup
struct Vector: Sendable, CustomTestStringConvertible {
    let json: JSONValue
    let testDescription: String

    subscript(dynamicMember name: String) -> JSONValue { json[name] }

    /// The bytes of a member; a missing one fails the test.
    func bytes(_ name: String) throws -> [UInt8] {
        try #require(json[name].bytes, "\(name) is missing in \(testDescription)")
    }

    /// The number in a member; a missing one, or one that does not fit, fails the test.
    func integer<Value: FixedWidthInteger>(_ name: String) throws -> Value {
        let value = try #require(json[name].unsigned, "\(name) is missing in \(testDescription)")
        return try #require(Value(exactly: value), "\(name) does not fit in \(testDescription)")
    }
}

extension JSONValue {
    /// The elements of an array as test arguments.
    var vectors: [Vector] {
        array.enumerated().map { index, entry in
            Vector(json: entry, testDescription: entry.name.string ?? entry.packet.string ?? "number \(index)")
        }
    }
}
