import FlicBridge
import FoundationEssentials

/// `flic status`: what the daemon knows.
///
/// JSON, one document: a ``BridgeStatus``.
enum StatusCommand {
    static let command = Command(
        name: "status",
        summary: "Show how the daemon and its buttons are doing.",
        discussion: """
            Asks the daemon how it is: whether Bluetooth can be used, how many connections there are, and of each button whether it is
            connected and ready for presses, its battery, when it last gave a sign of life, and how often it was pressed since the
            daemon was started. Ends with 1 if no daemon runs.

            With --json: one object with the members version, uptime (s), bluetooth (poweredOn, poweredOff, resetting, unsupported or
            unauthorized), problem (a sentence), connected (how many buttons), connectionLimit (of the adapter, where it was met),
            clients (of the socket), store (directory), rules (counters, by the names of rules) and buttons: an array of objects with
            the members of 'flic list' and state (connected, connecting, disconnecting or disconnected), ready, presses and lastSeen.
            Members that are not known are left out.
            """,
        options: [Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        guard let daemon = try await invocation.daemon() else {
            throw Failure(SocketError(.absent, "No daemon runs."))
        }
        let status: BridgeStatus = try await daemon.request(BridgeRequest(.status))
        if invocation.isJSON { return try invocation.printJSON(status) }
        let output = invocation.context.output
        let isReady = status.bluetooth == CentralState.poweredOn.name
        invocation.print("Daemon      version \(status.version), running for \(text(.seconds(status.uptime)))")
        invocation.print("Bluetooth   " + output.styled(isReady ? "ready" : status.problem ?? status.bluetooth, isReady ? .good : .bad))
        let limit = status.connectionLimit.map { " of \($0) that are possible" } ?? ""
        invocation.print("Connected   \(status.connected)\(limit)")
        for (name, counters) in (status.rules ?? [:]).sorted(by: { $0.key < $1.key }) {
            invocation.print("Rule        \(name): " + counters.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        }
        if status.buttons.isEmpty { invocation.remark("No buttons are paired; 'flic pair' pairs one.") }
        let now = invocation.context.date()
        invocation.print(rows: status.buttons.map { cells($0, now) })
    }

    /// Of a row for people.
    private static func cells(_ button: ButtonStatus, _ now: Date) -> [String] {
        let facts = button.facts
        let battery = facts.volts.map { ButtonFacts.text(volts: $0, isLow: facts.batteryLow == true) } ?? "-"
        let seen = button.lastSeen.flatMap { try? Date($0, strategy: Date.ISO8601FormatStyle()) }
        return [
            facts.name?.inOneLine ?? "-", facts.button, facts.unpaired ? "no longer paired" : button.ready ? "ready" : button.state, battery,
            button.presses == 1 ? "1 press" : "\(button.presses) presses",
            seen.map { "seen \(text(.seconds(max(0, now.timeIntervalSince($0))))) ago" } ?? "",
        ]
    }

    /// The two greatest units of a time.
    static func text(_ time: Duration) -> String {
        let seconds = time.components.seconds
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        default: "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h"
        }
    }
}
