@_exported public import Commands

/// A command of this program: throws a ``Failure``, or something that one can be made of.
typealias Command = Commands.Command<Invocation>

typealias ArgumentTable = Commands.ArgumentTable<Invocation>

extension Option {
    static let store = Option(name: "--store", value: "DIR", summary: "Keep paired buttons in this directory.")
    static let trustTestRoot = Option(
        name: "--trust-test-root",
        value: "HEX|published",
        summary: "For simulated buttons: trust this test root, or that of 'flic simulate', not the vendor's."
    )
}
