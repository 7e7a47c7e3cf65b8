import Commands
import FoundationEssentials

/// What was measured, and how.
struct Report: Encodable, Equatable {
    /// The command.
    let measurement: String
    /// Without optimisation a program is many times slower.
    var build = Report.build
    /// In what surroundings, and how much of it.
    var conditions: [String: String] = [:]
    let figures: [Figure]

    private static var build: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }

    /// One line for each figure, and two above them.
    var table: String {
        let conditions = conditions.sorted { $0.key < $1.key }.map { ", \($0.key) \($0.value)" }.joined()
        let rows = [["", "unit", "count", "min", "p50", "p99", "max"]] + figures.map(\.cells)
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + space : space + row[column]
            }
            return cells.joined(separator: "  ")
        }
        return (["\(measurement) (\(build)\(conditions))"] + lines).joined(separator: "\n")
    }
}

/// One kind of value that was measured many times.
struct Figure: Encodable, Equatable {
    let name: String
    /// Of the values, such as `us` for microseconds.
    let unit: String
    let statistics: Statistics

    private enum CodingKeys: CodingKey { case name, unit }

    /// The members of the statistics stand beside the name.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try statistics.encode(to: encoder)
    }

    fileprivate var cells: [String] {
        [name, unit, "\(statistics.count)"]
            + [statistics.min, statistics.p50, statistics.p99, statistics.max].map { value in
                let tenths = (value * 10).rounded() / 10
                return "\(tenths)"
            }
    }
}
