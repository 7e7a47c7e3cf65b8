/// A command of the program, as the table that parses and explains it sees it.
struct Command: Sendable {
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// What `help` says below the usage line.
    let discussion: String
    /// What the command is about, if that is to be said.
    var operand: Operand?
    /// Those of this command only.
    var options: [Option] = []
    /// Ends without an error if all went well; else throws a ``Failure``, or something that one can be made of.
    let run: @Sendable (Invocation) async throws -> Void
}

/// What a command is about, without hyphens.
struct Operand: Sendable {
    /// What stands for it in the help.
    let name: String
    let summary: String
    /// How many there may be.
    let count: ClosedRange<Int>

    /// As in a usage line.
    var usage: String {
        let name = count.upperBound > 1 ? "\(name)..." : name
        return count.lowerBound == 0 ? "[\(name)]" : name
    }
}

/// An option.
struct Option: Sendable {
    /// With its hyphens.
    let name: String
    /// The letter of the short form.
    var letter: Character?
    /// What stands for its value in the help; nil for a switch.
    var value: String?
    let summary: String

    /// As in a list of options.
    var usage: String { (letter.map { "-\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "") }
}

extension Option {
    static let help = Option(name: "--help", letter: "h", summary: "Show this text.")
    static let json = Option(name: "--json", summary: "Print JSON instead of text.")
    static let quiet = Option(name: "--quiet", letter: "q", summary: "Print results and errors only.")
    static let verbose = Option(name: "--verbose", letter: "v", summary: "Tell on standard error what happens in detail.")
    static let adapter = Option(name: "--adapter", value: "NAME|ADDRESS", summary: "Use this Bluetooth adapter, for example hci0.")
    static let store = Option(name: "--store", value: "DIR", summary: "Keep paired buttons in this directory.")
    static let trustTestRoot = Option(
        name: "--trust-test-root",
        value: "HEX|published",
        summary: "For simulated buttons: trust this test root, or that of 'flic simulate', not the vendor's."
    )
}
