import FlicBridge

/// `flic latency`: how fast presses arrive.
enum LatencyCommand {
    private static let names = LatencyMode.allCases.map(\.rawValue)

    static let command = Command(
        name: "latency",
        summary: "Show or set how fast presses of a button arrive.",
        discussion: """
            Shows how fast presses of a button arrive, or sets it: in about 100 ms (normal), or typically in less than 30 ms (low), at
            the price of the battery.

            \(Invocation.settingHelp)
            """,
        operands: [
            .button(1...1),
            Operand(name: "LATENCY", summary: "normal or low; shows it if left out.", count: 0...1, choices: .words(names)),
        ],
        options: [Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let change = try invocation.arguments.operands.dropFirst().first.map { text throws(ArgumentTable.UsageError) -> ButtonChange in
            guard let mode = LatencyMode(rawValue: text) else {
                throw ArgumentTable.UsageError(text: "There is no latency '\(text)', only \(names.joined(separator: " and ")).")
            }
            return .latency(mode)
        }
        try await invocation.showSetting(\.latency, changing: change)
    }
}
