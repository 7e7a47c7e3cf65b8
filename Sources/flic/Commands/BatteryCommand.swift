import FlicBridge
import FoundationEssentials

/// `flic battery`: what the last samples of batteries say.
///
/// JSON, a line for each button: ``Sample``.
enum BatteryCommand {
    static let command = Command(
        name: "battery",
        summary: "Show the batteries of the paired buttons.",
        discussion: """
            Shows for the named buttons, or all of them, what the last sample of the battery says: volts, what may be left (an
            estimate), whether to change it (from below 2.65 V until 2.75 V), and how old the sample is. A button sends one with each
            connection, and every three hours while it is connected. Needs no Bluetooth; a daemon that runs is asked.

            With --json: one object a button with the members button (serial number), uuid, name, volts, batteryPercent, batteryLow,
            batteryDate and batteryAge (seconds). Members that are not known are left out.
            """,
        operand: .button(0...Int.max),
        options: [Invocation.socket],
        run: run
    )

    private struct Sample: Encodable {
        /// For people; not a member.
        private let title: String
        var button: String
        var uuid: String
        var name: String?
        var volts: Double?
        var batteryPercent: Int?
        var batteryLow: Bool?
        var batteryDate: String?
        /// Seconds.
        var batteryAge: Int?

        private enum CodingKeys: CodingKey {
            case button, uuid, name, volts, batteryPercent, batteryLow, batteryDate, batteryAge
        }

        init(_ facts: ButtonFacts, at date: Date) {
            title = facts.title
            button = facts.button
            uuid = facts.uuid
            name = facts.name
            volts = facts.volts
            batteryPercent = facts.batteryPercent
            batteryLow = facts.batteryLow
            batteryDate = facts.batteryDate
            let sampled = facts.batteryDate.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()) }
            batteryAge = sampled.map { Int(max(0, date.timeIntervalSince($0))) }
        }

        var cells: [String] {
            guard let volts, let batteryPercent, let batteryAge else { return [title, "-", "", ""] }
            return [
                title, ButtonFacts.text(volts: volts, isLow: batteryLow == true), "\(batteryPercent) %",
                "\(BatteryCommand.text(seconds: batteryAge)) ago",
            ]
        }
    }

    private static func run(_ invocation: Invocation) async throws {
        let date = invocation.context.date()
        let samples = try await invocation.buttons(invocation.arguments.operands).map { Sample($0, at: date) }
        guard invocation.isJSON else { return invocation.print(rows: samples.map(\.cells)) }
        for sample in samples { try invocation.printJSON(sample) }
    }

    /// In the largest unit of which there are two at least.
    private static func text(seconds: Int) -> String {
        let units = [(86_400, "days"), (3600, "hours"), (60, "minutes")]
        guard let unit = units.first(where: { seconds >= 2 * $0.0 }) else { return "\(seconds) seconds" }
        return "\(seconds / unit.0) \(unit.1)"
    }
}
