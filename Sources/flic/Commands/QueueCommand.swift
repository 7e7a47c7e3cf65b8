import FlicBridge

/// `flic queue`: what becomes of presses that come late.
enum QueueCommand {
    /// Those without a number.
    static let choices = Choices.words(["all", "none", "latest-of-each-kind"])

    static let command = Command(
        name: "queue",
        summary: "Show or set what becomes of presses that come late.",
        discussion: """
            Shows what becomes of presses that were made while a button was not connected, or sets it. They come with the next
            connection; of whole clicks, double clicks and holds
              all                   all are told
              none                  none is told
              latest:N              the last N are told
              not-older:SECONDS     those are told that were made so many seconds before at most
              latest-of-each-kind   the last click, double click, triple click and hold are told

            \(Invocation.settingHelp)
            """,
        operands: [.button(1...1), Operand(name: "POLICY", summary: "As above; shows it if left out.", count: 0...1, choices: choices)],
        options: [Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let change = try invocation.arguments.operands.dropFirst().first.map { text throws(ArgumentTable.UsageError) -> ButtonChange in
            .queue(try policy(text))
        }
        try await invocation.showSetting(\.queue, changing: change)
    }

    static func policy(_ text: String) throws(ArgumentTable.UsageError) -> QueuePolicy {
        guard let policy = QueuePolicy(text) else {
            throw ArgumentTable.UsageError(
                text: "There is no queue policy '\(text)', only all, none, latest:N, not-older:SECONDS and latest-of-each-kind."
            )
        }
        return policy
    }
}
