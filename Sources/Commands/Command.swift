/// A command of the program, as the table that parses and explains it sees it.
package struct Command<Invocation: Sendable>: Sendable {
    package let name: String
    /// One line for the list of commands.
    package let summary: String
    /// What `help` says below the usage line.
    package let discussion: String
    /// What the command is about, in order. Only the last one may be there more than once.
    package let operands: [Operand]
    /// Those of this command only.
    package let options: [Option]
    /// Whether an interrupt is its proper end.
    package let runsUntilInterrupted: Bool
    /// Ends without an error if all went well.
    package let run: @Sendable (Invocation) async throws -> Void

    package init(
        name: String,
        summary: String,
        discussion: String,
        operands: [Operand] = [],
        options: [Option] = [],
        runsUntilInterrupted: Bool = false,
        run: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.runsUntilInterrupted = runsUntilInterrupted
        self.run = run
    }
}

extension Command {
    /// A command that is about one kind of thing.
    package init(
        name: String,
        summary: String,
        discussion: String,
        operand: Operand,
        options: [Option] = [],
        run: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.init(name: name, summary: summary, discussion: discussion, operands: [operand], options: options, run: run)
    }
}

/// What a command is about, without hyphens.
package struct Operand: Sendable {
    /// What stands for it in the help.
    package let name: String
    package let summary: String
    /// How many there may be.
    package let count: ClosedRange<Int>
    package let choices: Choices

    package init(name: String, summary: String, count: ClosedRange<Int>, choices: Choices = .anything) {
        self.name = name
        self.summary = summary
        self.count = count
        self.choices = choices
    }

    /// As in a usage line.
    package var usage: String {
        let name = count.upperBound > 1 ? "\(name)..." : name
        return count.lowerBound == 0 ? "[\(name)]" : name
    }
}

/// An option.
package struct Option: Sendable {
    /// With its hyphens.
    package let name: String
    /// The letter of the short form.
    package let letter: Character?
    /// What stands for its value in the help; nil for a switch.
    package let value: String?
    package let choices: Choices
    package let summary: String

    package init(name: String, letter: Character? = nil, value: String? = nil, choices: Choices = .anything, summary: String) {
        self.name = name
        self.letter = letter
        self.value = value
        self.choices = choices
        self.summary = summary
    }

    /// As in a list of options.
    package var usage: String { (letter.map { "-\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "") }
}

extension Option {
    package static let help = Option(name: "--help", letter: "h", summary: "Show this text.")
    package static let json = Option(name: "--json", summary: "Print JSON instead of text.")
    package static let quiet = Option(name: "--quiet", letter: "q", summary: "Print results and errors only.")
    package static let verbose = Option(name: "--verbose", letter: "v", summary: "Tell on standard error what happens in detail.")
    package static let adapter = Option(name: "--adapter", value: "NAME|ADDRESS", summary: "Use this Bluetooth adapter, for example hci0.")
}
