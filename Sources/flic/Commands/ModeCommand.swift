import FlicBridge

/// `flic mode`: which clicks there are, and the times that tell them apart.
enum ModeCommand {
    private static let doubleClickTime = Option(
        name: "--double-click-time",
        value: "S",
        summary: "Seconds from press to press of a double click, 0.1 to 10 (0.5)."
    )
    private static let holdTime = Option(name: "--hold-time", value: "S", summary: "Seconds after which a press is a hold, 0.1 to 10 (1).")
    private static let triple = Option(name: "--triple", summary: "Tell triple clicks, too.")

    static let command = Command(
        name: "mode",
        summary: "Show or set which clicks a button makes.",
        discussion: """
            Shows which clicks a button makes, or sets it: clicks only (click, told as soon as the button goes down), also holds
            (hold), also double clicks (double), or all three (all). Where there are double clicks, a click is told half a second
            late. The button itself tells clicks apart, exactly, also of presses that were made long before; with times of one's
            own, or triple clicks, this program does, and tells what waits for time to pass a quarter of a second later. What is
            not given is as the button has it; without MODE the mode stays.

            \(Invocation.settingHelp)
            """,
        operands: [
            .button(1...1),
            Operand(
                name: "MODE",
                summary: TriggerMode.names.joined(separator: ", ") + "; shows the mode if left out.",
                count: 0...1,
                choices: .words(TriggerMode.names)
            ),
        ],
        options: [doubleClickTime, holdTime, triple, Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let arguments = invocation.arguments
        let wish = try arguments.operands.dropFirst().first.map { text throws(ArgumentTable.UsageError) in try mode(text) }
        let double = try limit(doubleClickTime, arguments)
        let hold = try limit(holdTime, arguments)
        let isTriple = arguments.has(triple)
        let isChange = wish != nil || double != nil || hold != nil || isTriple
        guard isChange else { return try await invocation.showSetting(\.modeText, changing: nil) }
        // Without a mode, the one that stays decides what can be asked for.
        let chosen = if let wish { wish } else { try mode(try await invocation.button().mode) }
        guard chosen.hasDoubleClick || (double == nil && !isTriple) else { throw useless(double == nil ? triple : doubleClickTime, chosen) }
        guard chosen.hasHold || hold == nil else { throw useless(holdTime, chosen) }
        let rules = ClickRules(chosen, doubleClickTime: double, holdTime: hold, tripleClick: isTriple)
        try await invocation.showSetting(\.modeText, changing: .mode(rules))
    }

    static func mode(_ name: String) throws(ArgumentTable.UsageError) -> TriggerMode {
        guard let mode = TriggerMode(name: name) else {
            throw ArgumentTable.UsageError(text: "There is no mode '\(name)', only \(TriggerMode.names.joined(separator: ", ")).")
        }
        return mode
    }

    private static func limit(_ option: Option, _ arguments: ParsedArguments) throws(ArgumentTable.UsageError) -> Double? {
        guard let text = arguments.value(option) else { return nil }
        guard let seconds = Double(text), ClickRules.seconds.contains(seconds) else {
            throw ArgumentTable.UsageError(text: "The option '\(option.name)' needs a number of seconds from 0.1 to 10, not '\(text)'.")
        }
        return seconds
    }

    private static func useless(_ option: Option, _ mode: TriggerMode) -> ArgumentTable.UsageError {
        ArgumentTable.UsageError(text: "In the mode '\(mode.name)' there is no use for '\(option.name)'.")
    }
}
