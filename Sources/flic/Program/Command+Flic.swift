@_exported public import Commands
import FlicBridge

/// A command of this program: throws a ``Failure``, or something that one can be made of.
typealias Command = Commands.Command<Invocation>

typealias ArgumentTable = Commands.ArgumentTable<Invocation>

extension Option {
    static let store = Option(name: "--store", value: "DIR", choices: .directories, summary: "Keep paired buttons in this directory.")
    static let trustTestRoot = Option(
        name: "--trust-test-root",
        value: "HEX|published",
        choices: .words(["published"]),
        summary: "For simulated buttons: trust this test root, or that of 'flic simulate', not the vendor's."
    )
}

extension Operand {
    /// What paired buttons are called.
    static let buttons = Choices.lines(["list", ListCommand.names.name])

    /// Paired buttons, by what they are called.
    static func button(_ count: ClosedRange<Int>) -> Operand {
        Operand(name: "BUTTON", summary: ButtonChoice.operandSummary, count: count, choices: buttons)
    }
}
