import Logs

/// Reads the members of an object of the file, and notes what is wrong with them; members that nobody has asked for are wrong, too.
///
/// A member that is absent or wrong reads as nil. What is wrong is noted, so that all of it can be told at once.
final class ConfigurationSection {
    /// What was found wrong in a file, or only strange.
    final class Findings {
        var problems: [ConfigurationProblem] = []
        var warnings: [ConfigurationProblem] = []
    }

    /// As errors name it; empty for the whole file.
    private let path: String
    private let line: Int
    private let findings: Findings
    private var members: [String: LocatedJSON.Member] = [:]
    private var known: [String] = []

    /// Reads a section.
    ///
    /// - Parameter body: Asks for each member that there may be.
    /// - Returns: nil if it is no object.
    static func read<Value>(
        _ json: LocatedJSON,
        at path: String,
        line: Int,
        _ findings: Findings,
        _ body: (ConfigurationSection) -> Value
    ) -> Value? {
        guard let members = json.value.object else {
            findings.problems.append(
                ConfigurationProblem(line: line, key: path.isEmpty ? nil : path, message: "an object, not \(json.value.excerpt)")
            )
            return nil
        }
        let section = ConfigurationSection(members, at: path, line: line, findings)
        let value = body(section)
        section.refuseUnknown()
        return value
    }

    private init(_ members: [LocatedJSON.Member], at path: String, line: Int, _ findings: Findings) {
        self.path = path
        self.line = line
        self.findings = findings
        for member in members {
            if let first = self.members[member.name] {
                problem(member.name, line: member.line, "is there twice; first in line \(first.line)")
            } else {
                self.members[member.name] = member
            }
        }
    }

    private func refuseUnknown() {
        let unknown = members.values.filter { !known.contains($0.name) }
        for member in unknown {
            let nearest = unknown.count <= ConfigurationFile.mostProblems ? Spelling.nearest(to: member.name, of: known) : nil
            let hint = nearest.map { "did you mean '\($0)'? " } ?? ""
            problem(member.name, line: member.line, "is not known; \(hint)Known here: \(known.joined(separator: ", "))")
        }
    }

    // MARK: Findings

    func has(_ key: String) -> Bool { members[key] != nil }

    /// Notes that something is wrong with a member, or that it is missing.
    ///
    /// - Parameter line: nil for that of the member, or of the section if there is no such member.
    func problem(_ key: String, line: Int? = nil, _ message: String) {
        findings.problems.append(ConfigurationProblem(line: line ?? members[key]?.line ?? self.line, key: name(of: key), message: message))
    }

    /// Notes that something is strange with a member.
    func warning(_ key: String, _ message: String) {
        findings.warnings.append(ConfigurationProblem(line: members[key]?.line ?? line, key: name(of: key), message: message))
    }

    private func name(of key: String) -> String {
        let isPlain = !key.isEmpty && key.utf8.count <= 40 && key.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic || $0 == "_" }
        let plain = isPlain ? key : "[\"\(key.excerpt)\"]"
        return path.isEmpty || !isPlain ? path + plain : "\(path).\(plain)"
    }

    // MARK: Members

    /// The member, as `read` understands it.
    ///
    /// - Parameters:
    ///   - expected: What `read` understands.
    ///   - isSecret: Errors do not show the value.
    func value<Value>(_ key: String, _ expected: String, isSecret: Bool = false, _ read: (LocatedJSON.Value) -> Value?) -> Value? {
        known.append(key)
        guard let member = members[key] else { return nil }
        guard let value = read(member.value.value) else {
            problem(key, isSecret ? expected : "\(expected), not \(member.value.value.excerpt)")
            return nil
        }
        return value
    }

    /// The same for a member that must be there.
    func required<Value>(_ key: String, _ expected: String, isSecret: Bool = false, _ read: (LocatedJSON.Value) -> Value?) -> Value? {
        if !has(key) { problem(key, "is missing: \(expected)") }
        return value(key, expected, isSecret: isSecret, read)
    }

    func flag(_ key: String) -> Bool? { value(key, "true or false") { $0.flag } }

    func integer(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        value(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { json in
            json.number.flatMap(Int.init(exactly:)).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// - Parameter range: In seconds.
    func seconds(_ key: String, _ range: ClosedRange<Double>) -> Duration? {
        let bounds = LocatedJSON.Value.number(range.lowerBound).excerpt + " to " + LocatedJSON.Value.number(range.upperBound).excerpt
        return value(key, "a number of seconds from \(bounds)") { json in
            json.number.flatMap { range.contains($0) ? Duration.seconds($0) : nil }
        }
    }

    func word<Word: RawRepresentable & CaseIterable>(_ key: String, _ type: Word.Type) -> Word? where Word.RawValue == String {
        value(key, Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")) { json in json.text.flatMap(Word.init) }
    }

    func absolutePath(_ key: String, longest: Int = 4095) -> String? {
        value(key, "an absolute path of at most \(longest) bytes") { json in
            json.text.flatMap { $0.hasPrefix("/") && $0.isText(longest) ? $0 : nil }
        }
    }

    // MARK: Several

    /// The elements of a list, each of them as `read` understands it. One element may stand without a list around it.
    ///
    /// - Returns: nil if the member is absent, or anything in it is wrong.
    func elements<Value>(
        _ key: String,
        _ expected: String,
        count: ClosedRange<Int>,
        _ read: (LocatedJSON.Value) -> Value?
    ) -> [Value]? {
        known.append(key)
        guard let member = members[key] else { return nil }
        guard let list = member.value.value.list else {
            if let value = read(member.value.value) { return [value] }
            problem(key, "\(expected), or a list of that, not \(member.value.value.excerpt)")
            return nil
        }
        guard count.contains(list.count) else {
            problem(key, "a list of \(count.lowerBound) to \(count.upperBound) elements, not of \(list.count)")
            return nil
        }
        let values = list.enumerated().compactMap { index, element in
            let value = read(element.value)
            if value == nil { note("[\(index)]", in: key, line: element.line, "\(expected), not \(element.value.excerpt)") }
            return value
        }
        return values.count == list.count ? values : nil
    }

    /// An object whose members people name as they like.
    ///
    /// - Parameters:
    ///   - expected: What `isValid` takes.
    ///   - isSecret: Errors do not show the values.
    func map(
        _ key: String,
        _ expected: String,
        most: Int,
        isSecret: Bool = false,
        isValid: (_ name: String, _ value: String) -> Bool
    ) -> [String: String]? {
        if let count = members[key]?.value.value.object?.count, count > most {
            known.append(key)
            problem(key, "\(most) members at most, not \(count)")
            return nil
        }
        return section(key) { section in
            section.members.values.reduce(into: [:]) { map, member in
                map[member.name] = section.value(member.name, expected, isSecret: isSecret) { json in
                    json.text.flatMap { isValid(member.name, $0) ? $0 : nil }
                }
            }
        }
    }

    /// A section below this one.
    func section<Value>(_ key: String, _ body: (ConfigurationSection) -> Value) -> Value? {
        known.append(key)
        guard let member = members[key] else { return nil }
        return Self.read(member.value, at: name(of: key), line: member.line, findings, body)
    }

    /// A list of sections.
    ///
    /// - Returns: Without those that are no objects; nil if the member is absent or no list.
    func sections<Value>(_ key: String, most: Int, _ body: (_ index: Int, ConfigurationSection) -> Value) -> [Value]? {
        value(key, "a list of \(most) objects at most") { json in json.list.flatMap { $0.count <= most ? $0 : nil } }?
            .enumerated().compactMap { index, element in
                Self.read(element, at: "\(name(of: key))[\(index)]", line: element.line, findings) { body(index, $0) }
            }
    }

    private func note(_ index: String, in key: String, line: Int, _ message: String) {
        findings.problems.append(ConfigurationProblem(line: line, key: name(of: key) + index, message: message))
    }
}

extension String {
    /// Whether it is not empty, fits, and can be given to the system, for which NUL is the end of a text.
    func isText(_ longest: Int) -> Bool { !isEmpty && utf8.count <= longest && !utf8.contains(0) }
}
