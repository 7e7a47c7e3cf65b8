import FlicBridge

/// What `doctor` tells, for people or programs.
struct DoctorReport: Encodable {
    /// A finding, as JSON has it.
    struct Item: Encodable {
        var check: String
        var severity: String
        var id: String
        var message: String
        var cure: String?
        /// Serial number.
        var button: String?
        /// The name that people gave the button.
        var name: String?

        init(_ finding: Finding) {
            check = finding.check.rawValue
            severity = finding.severity.name
            id = finding.id
            message = finding.sentence
            cure = finding.cure
            button = finding.button?.serialNumber
            name = finding.button?.nickname
        }
    }

    var findings: [Item]
    var exitCode: Int32

    init(_ findings: [Finding]) {
        self.findings = findings.map { Item($0) }
        exitCode = findings.exitCode.rawValue
    }

    /// Lines for people: the finding, and its cure below.
    static func lines(_ finding: Finding, _ output: Output) -> [String] {
        let subject = (finding.button?.title.printable ?? finding.check.rawValue).padded(to: 11)
        let (mark, style) = finding.severity.mark
        let line = "\(output.styled(mark, style)) \(subject) \(output.styled(finding.sentence, finding.severity == .skipped ? .dim : .plain))"
        return [line] + (finding.cure.map { [String(repeating: " ", count: 14) + "→ " + $0] } ?? [])
    }

    /// The last line for people.
    static func summary(_ findings: [Finding]) -> String {
        switch findings.count(where: { $0.code != nil }) {
        case 0: "Nothing is found that keeps buttons from working."
        case 1: "1 problem keeps buttons from working."
        case let count: "\(count) problems keep buttons from working; the first may be the cause of others."
        }
    }
}

extension Finding.Severity {
    fileprivate var name: String {
        switch self {
        case .ok: "ok"
        case .note: "note"
        case .problem: "problem"
        case .skipped: "skipped"
        }
    }

    fileprivate var mark: (String, Output.Style) {
        switch self {
        case .ok: ("✓", .good)
        case .note: ("!", .bold)
        case .problem: ("✗", .bad)
        case .skipped: ("–", .dim)
        }
    }
}
