import Foundation

/// As much of JSON Schema as that of the commands uses; with another keyword nothing is right.
///
/// Stricter than the standard in one thing: a member that the schema does not mention is wrong.
public struct JSONSchema: Sendable {
    private let definitions: [String: JSONValue]

    private init(contentsOf url: URL) throws {
        let schema = try JSONDecoder().decode(JSONValue.self, from: try Data(contentsOf: url))
        definitions = schema.members["$defs"]?.members ?? [:]
    }

    /// That of what the commands print.
    public static let commands: JSONSchema? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try? JSONSchema(contentsOf: package.appending(path: "Sources/flic/Packaging/schema.json"))
    }()

    /// Of the definitions.
    public var names: Set<String> { Set(definitions.keys) }

    /// What is wrong with a text in JSON; empty if nothing is.
    ///
    /// - Parameter names: Of definitions; the text has to be as one of them says.
    public func problems(of text: String, as names: String...) -> [String] {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return ["no JSON: \(text)"] }
        let any = JSONValue.object(["anyOf": .array(names.map { .object(["$ref": .string("#/$defs/\($0)")]) })])
        let outcome = check(value, any, at: "")
        return outcome.problems + strangers(in: value, outcome.known, at: "")
    }

    private struct Outcome {
        var problems: [String] = []
        /// The paths of the members that the schema mentions.
        var known: Set<String> = []

        mutating func take(_ other: Outcome) {
            problems += other.problems
            known.formUnion(other.known)
        }
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, at path: String) -> Outcome {
        var outcome = Outcome()
        for (keyword, rule) in schema.members {
            switch (keyword, rule) {
            case ("description", _): break
            case ("$ref", .string(let reference)):
                let definition = definitions[reference.replacing("#/$defs/", with: "")]
                outcome.take(definition.map { check(value, $0, at: path) } ?? Outcome(problems: ["there is no \(reference)"]))
            case ("allOf", .array(let schemas)): for schema in schemas { outcome.take(check(value, schema, at: path)) }
            case ("anyOf", .array(let schemas)):
                let outcomes = schemas.map { check(value, $0, at: path) }
                let good = outcomes.filter(\.problems.isEmpty)
                for good in good { outcome.take(good) }
                if good.isEmpty { outcome.problems.append("\(path): none of \(outcomes.map(\.problems))") }
            case ("properties", .object(let properties)):
                for (name, schema) in properties {
                    outcome.known.insert("\(path)/\(name)")
                    if let member = value.members[name] { outcome.take(check(member, schema, at: "\(path)/\(name)")) }
                }
            case ("additionalProperties", _):
                for (name, member) in value.members where schema["properties"].members[name] == nil {
                    outcome.known.insert("\(path)/\(name)")
                    outcome.take(check(member, rule, at: "\(path)/\(name)"))
                }
            case ("items", _):
                for (index, item) in value.array.enumerated() { outcome.take(check(item, rule, at: "\(path)/\(index)")) }
            default:
                if !isGood(value, keyword, rule) { outcome.problems.append("\(path): \(value) is not right by \(keyword) \(rule)") }
            }
        }
        return outcome
    }

    private func isGood(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool {
        switch (keyword, rule, value) {
        case ("const", _, _): value == rule
        case ("enum", .array(let values), _): values.contains(value)
        case ("required", .array(let names), .object(let members)):
            names.allSatisfy { if case .string(let name) = $0 { members[name] != nil } else { false } }
        case ("minimum", .integer(let limit), .integer(let number)): number >= limit
        case ("minimum", .integer(let limit), .number(let number)): number >= Double(limit)
        case ("maximum", .integer(let limit), .integer(let number)): number <= limit
        case ("pattern", .string(let pattern), .string(let text)): text.range(of: pattern, options: .regularExpression) != nil
        case ("type", .string("object"), .object), ("type", .string("array"), .array), ("type", .string("string"), .string): true
        case ("type", .string("boolean"), .bool), ("type", .string("integer"), .integer): true
        case ("type", .string("number"), .integer), ("type", .string("number"), .number): true
        default: false
        }
    }

    /// Members that the schema does not mention.
    private func strangers(in value: JSONValue, _ known: Set<String>, at path: String) -> [String] {
        let items = value.array.enumerated().flatMap { strangers(in: $1, known, at: "\(path)/\($0)") }
        return value.members.reduce(items) { problems, member in
            let path = "\(path)/\(member.key)"
            return problems + (known.contains(path) ? strangers(in: member.value, known, at: path) : ["\(path) is not in the schema"])
        }
    }
}

extension JSONValue {
    /// None if it is no object.
    fileprivate var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
