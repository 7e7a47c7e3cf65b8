/// What was given to the program.
package struct ParsedArguments: Sendable {
    /// The name of the command; nil if there is none.
    package var command: String?
    /// What the command is about, in order.
    package var operands: [String] = []
    private var switches: Set<String> = []
    private var values: [String: String] = [:]

    package func has(_ option: Option) -> Bool { switches.contains(option.name) }

    /// The last one given.
    package func value(_ option: Option) -> String? { values[option.name] }

    /// A time in seconds, a year at most.
    ///
    /// - Returns: nil if the option was not given.
    package func seconds(_ option: Option) throws(ArgumentError) -> Duration? {
        guard let text = value(option) else { return nil }
        guard let seconds = Double(text), seconds > 0, seconds <= 31_536_000 else {
            throw ArgumentError(text: "The option '\(option.name)' needs a number of seconds, not '\(text)'.")
        }
        return .seconds(seconds)
    }

    /// What goes for an option that was not given.
    package mutating func setUsual(_ option: Option, to value: String?) {
        if values[option.name] == nil { values[option.name] = value }
    }

    mutating func set(_ option: Option) { switches.insert(option.name) }

    mutating func set(_ option: Option, to value: String) { values[option.name] = value }
}
