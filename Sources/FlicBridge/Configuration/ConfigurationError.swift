/// What is wrong in one place of a configuration file.
package struct ConfigurationProblem: Sendable, Equatable {
    /// From 1; nil if it is about the file as a whole.
    package var line: Int?
    /// In characters, from 1; for errors of the syntax only.
    package var column: Int?
    /// As in `rules[2].exec.timeout`; nil if it is about none.
    package var key: String?
    /// What was expected.
    package var message: String

    package init(line: Int? = nil, column: Int? = nil, key: String? = nil, message: String) {
        self.line = line
        self.column = column
        self.key = key
        self.message = message
    }

    /// One line: `PATH:LINE: KEY: what was expected`.
    package func text(in path: String) -> String {
        let place = [path, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        return [place, key, message].compactMap(\.self).joined(separator: ": ")
    }
}

/// Why a configuration file cannot be used: all that is wrong with it.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// In the order of the file; not empty.
    package let problems: [ConfigurationProblem]

    package init(path: String, problems: [ConfigurationProblem]) {
        self.path = path
        self.problems = problems
    }

    /// A line for each problem.
    package var lines: [String] { problems.map { $0.text(in: path) } }

    package var description: String { lines.joined(separator: "\n") }
}
