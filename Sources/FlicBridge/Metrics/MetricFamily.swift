/// A metric and its values, as OpenMetrics has them (OpenMetrics 1.0.0).
package struct MetricFamily: Sendable, Equatable {
    /// What the values are.
    package enum Kind: String, Sendable {
        /// It goes up and down.
        case gauge
        /// It goes up only.
        case counter
        /// Counts of values by their size.
        case histogram
        /// Facts as labels.
        case info
    }

    /// One value.
    package struct Sample: Sendable, Equatable {
        /// Behind the name of the family: empty, `_total`, `_info`, `_bucket`, `_sum` or `_count`.
        package let suffix: String
        package let labels: [Label]
        package let value: Double

        package init(_ value: Double, suffix: String = "", labels: [Label] = []) {
            self.suffix = suffix
            self.labels = labels
            self.value = value
        }
    }

    package struct Label: Sendable, Equatable {
        package let name: String
        /// Any text.
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Without the suffix of a counter; ends with the unit, if there is one.
    package let name: String
    package let kind: Kind
    package let unit: String?
    /// A sentence.
    package let help: String
    package var samples: [Sample]

    package init(_ name: String, _ kind: Kind, unit: String? = nil, help: String, samples: [Sample] = []) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
        self.samples = samples
    }

    /// The type of the text (RFC 9110, 8.3).
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// The whole text that is exposed.
    package static func text(_ families: [MetricFamily]) -> String { families.map(\.text).joined() + "# EOF\n" }

    private var text: String {
        var text = "# TYPE \(name) \(kind.rawValue)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(sample.value))\n"
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\".unicodeScalars
            case "\"": result += "\\\"".unicodeScalars
            case "\n": result += "\\n".unicodeScalars
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
