/// What was given to the program.
struct ParsedArguments: Sendable {
    /// nil if no command was named.
    var command: Command?
    /// What the command is about, in order.
    var operands: [String] = []
    private var switches: Set<String> = []
    private var values: [String: String] = [:]

    func has(_ option: Option) -> Bool { switches.contains(option.name) }

    /// The last one given.
    func value(_ option: Option) -> String? { values[option.name] }

    mutating func set(_ option: Option) { switches.insert(option.name) }

    mutating func set(_ option: Option, to value: String) { values[option.name] = value }
}
