/// Which remarks are shown, as said by `FLICKIT_LOG`: a level for all (`off`, `problem`, `notice` or `debug`), and `AREA=LEVEL` for those
/// that have another, with commas between: `notice,bluez=debug`.
struct LogFilter: Equatable, Sendable {
    /// The variable.
    static let variable = "FLICKIT_LOG"
    /// What is said by a variable may be this long, in bytes.
    private static let longestText = 1024

    /// The least that is shown; nil shows nothing.
    private var usual: LogLevel?
    private var areas: [LogArea: LogLevel?] = [:]

    init(_ level: LogLevel?) { usual = level }

    /// What is not understood is left out.
    ///
    /// - Parameters:
    ///   - usual: Where the text says nothing.
    ///   - problem: Hears once what was not understood: a sentence.
    init(_ text: String, otherwise usual: LogLevel?, problem: (String) -> Void) {
        self.usual = usual
        var unknown: [String] = []
        for part in text.prefix(Self.longestText).split(separator: ",", omittingEmptySubsequences: false) {
            let part = String(part.filter { $0 != " " })
            guard !part.isEmpty else { continue }
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            if sides.count == 1, let level = Self.level(sides[0]) {
                self.usual = level
            } else if sides.count == 2, let area = LogArea(rawValue: String(sides[0])), let level = Self.level(sides[1]) {
                areas[area] = .some(level)
            } else {
                unknown.append("'\(part.inOneLine)'")
            }
        }
        guard !unknown.isEmpty else { return }
        let words = "off, \(LogLevel.allCases.reversed().map(\.word).joined(separator: ", "))"
        problem(
            "\(Self.variable) has no \(unknown.joined(separator: ", ")): it takes \(words), or AREA=LEVEL with the area "
                + "\(LogArea.allCases.map(\.rawValue).joined(separator: ", ")), separated by commas."
        )
    }

    /// nil if there is no such word; else the level, or none for `off`.
    private static func level(_ word: some StringProtocol) -> LogLevel?? {
        if word == "off" { return .some(nil) }
        return LogLevel.allCases.first { $0.word == word }.map { .some($0) }
    }

    func shows(_ level: LogLevel, _ area: LogArea?) -> Bool {
        guard let least = area.flatMap({ areas[$0] }) ?? usual else { return false }
        return level >= least
    }
}
