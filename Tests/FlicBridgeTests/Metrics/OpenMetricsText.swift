/// Reads OpenMetrics text strictly (OpenMetrics 1.0.0): what is not exactly as it has to be is an error.
struct OpenMetricsText {
    struct Family {
        let kind: String
        var unit: String?
        var help: String?
        var samples: [Sample] = []
    }

    struct Sample: Hashable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Problem: Error {
        let text: String
    }

    private(set) var families: [String: Family] = [:]

    /// The value of a sample with just these labels.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        families.values.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
    }

    init(_ text: String) throws {
        guard text.hasSuffix("\n# EOF\n") else { throw Problem(text: "no end") }
        var current: String?
        for line in text.unicodeScalars.dropLast("# EOF\n".count + 1).split(separator: "\n", omittingEmptySubsequences: false).map(Substring.init) {
            if line.hasPrefix("# ") {
                current = try takeDescription(line, current)
            } else {
                guard let current else { throw Problem(text: "a sample without a family: \(line)") }
                try takeSample(line, current)
            }
        }
        for (name, family) in families { try Self.check(name, family) }
    }

    private mutating func takeDescription(_ line: Substring, _ current: String?) throws -> String {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4 else { throw Problem(text: "\(line)") }
        let (name, rest) = (String(words[2]), String(words[3]))
        guard name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil else { throw Problem(text: "a name: \(line)") }
        if words[1] == "TYPE" {
            let kinds = ["gauge", "counter", "histogram", "info"]
            guard families[name] == nil, kinds.contains(rest) else { throw Problem(text: "\(line)") }
            families[name] = Family(kind: rest)
            return name
        }
        guard name == current, let family = families[name], family.samples.isEmpty else { throw Problem(text: "out of order: \(line)") }
        switch words[1] {
        case "UNIT":
            guard family.unit == nil, family.help == nil, name.hasSuffix("_\(rest)") else { throw Problem(text: "\(line)") }
            families[name]?.unit = rest
        case "HELP":
            guard family.help == nil, !rest.isEmpty else { throw Problem(text: "\(line)") }
            families[name]?.help = rest
        default: throw Problem(text: "\(line)")
        }
        return name
    }

    private mutating func takeSample(_ line: Substring, _ family: String) throws {
        var rest = line.unicodeScalars[...]
        let name = String(rest.prefix { $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" || $0 == ":") })
        rest = rest.dropFirst(name.unicodeScalars.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            repeat {
                rest = rest.dropFirst()  // { or ,
                let label = String(rest.prefix { $0 != "=" })
                guard label.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) != nil, labels[label] == nil else { throw Problem(text: "\(line)") }
                rest = rest.dropFirst(label.unicodeScalars.count)
                guard rest.popFirst() == "=", rest.popFirst() == "\"" else { throw Problem(text: "\(line)") }
                var value = String.UnicodeScalarView()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    guard scalar == "\\" else {
                        value.append(scalar)
                        continue
                    }
                    switch rest.popFirst() {
                    case "n": value.append("\n")
                    case "\\": value.append("\\")
                    case "\"": value.append("\"")
                    default: throw Problem(text: "an escape: \(line)")
                    }
                }
                labels[label] = String(value)
            } while rest.first == ","
            guard rest.popFirst() == "}" else { throw Problem(text: "\(line)") }
        }
        guard rest.popFirst() == " ", !rest.isEmpty, let value = Self.number(String(rest)) else {
            throw Problem(text: "a value: \(line)")
        }
        let sample = Sample(name: name, labels: labels, value: value)
        let known = families[family]?.samples ?? []
        guard !known.contains(where: { $0.name == sample.name && $0.labels == labels }) else { throw Problem(text: "twice: \(line)") }
        families[family]?.samples.append(sample)
    }

    private static func number(_ text: String) -> Double? { text == "+Inf" ? .infinity : Double(text) }

    private static func check(_ name: String, _ family: Family) throws {
        let suffixes = ["gauge": [""], "counter": ["_total"], "info": ["_info"], "histogram": ["_bucket", "_sum", "_count"]][family.kind] ?? []
        guard family.help != nil else { throw Problem(text: "no help of \(name)") }
        for sample in family.samples {
            guard suffixes.contains(where: { sample.name == name + $0 }) else { throw Problem(text: "\(sample.name) in \(name)") }
            if family.kind != "gauge" && !(sample.value >= 0) { throw Problem(text: "\(sample)") }
            if family.kind == "info" && sample.value != 1 { throw Problem(text: "\(sample)") }
        }
        guard family.kind == "histogram" else { return }
        var rest = family.samples[...]
        while let first = rest.first {
            let own = first.labels.filter { $0.key != "le" }
            let buckets = rest.prefix { $0.name == "\(name)_bucket" && $0.labels.filter { $0.key != "le" } == own }
            let bounds = buckets.compactMap { $0.labels["le"].flatMap(number) }
            guard bounds.count == buckets.count, bounds.last == .infinity, zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 }),
                zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value })
            else { throw Problem(text: "buckets of \(name)") }
            rest = rest.dropFirst(buckets.count)
            guard let sum = rest.popFirst(), sum.name == "\(name)_sum", sum.labels == own else { throw Problem(text: "no sum of \(name)") }
            guard let count = rest.popFirst(), count.name == "\(name)_count", count.labels == own, count.value == buckets.last?.value else {
                throw Problem(text: "no count of \(name)")
            }
        }
    }
}
