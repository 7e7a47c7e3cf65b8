import FlicBridge
import FoundationEssentials
import Synchronization

/// Shows how a firmware update goes: a bar at a terminal, else a line for each tenth; with `--json` a line for everything.
final class FirmwarePrinter: Sendable {
    /// JSON, a line of an update.
    private struct FirmwareLine: Encodable {
        var event: String
        var time: Double
        var date: String
        var button: String
        var uuid: String
        var name: String?
        var acknowledged: Int?
        var total: Int?
        var oldFirmware: UInt32?
        var firmware: UInt32?
    }

    private let invocation: Invocation
    private let printer: EventPrinter
    private let button: ButtonFacts
    private let start: Duration
    /// The tenth that was told last.
    private let tenth = Mutex(-1)

    init(_ invocation: Invocation, _ button: ButtonInfo) {
        self.invocation = invocation
        self.button = ButtonFacts(button)
        printer = EventPrinter(invocation)
        start = invocation.loop.now
    }

    func show(_ update: FirmwareUpdate) {
        guard !invocation.isJSON else { return printJSON(update) }
        switch update {
        case .waiting: remark("waiting", "waiting for the button")
        case .transferring(let acknowledged, let total): showProgress(acknowledged, total)
        case .restarting: remark("restarting", "the button restarts")
        case .finished(let old, let new):
            end()
            invocation.print("Updated: \(button.title), firmware \(old == new ? "\(new) again" : "\(old) to \(new)")")
        }
    }

    /// Takes the bar away.
    func end() { if hasBar { invocation.context.output.showStatus?("") } }

    private var hasBar: Bool { invocation.context.output.showStatus != nil && !invocation.isJSON && !invocation.arguments.has(.quiet) }

    private func remark(_ event: String, _ text: String) {
        guard !invocation.arguments.has(.quiet) else { return }
        end()
        printer.show(EventLine(event, text: text, style: .dim))
    }

    private func showProgress(_ acknowledged: Int, _ total: Int) {
        guard !hasBar else {
            let size = "\(acknowledged / 1024) of \((total + 1023) / 1024) KiB"
            invocation.context.output.showStatus?("\(ProgressBar.text(acknowledged, of: total))  \(size)")
            return
        }
        let percent = ProgressBar.percent(acknowledged, of: total)
        let isNew = tenth.withLock { tenth in
            defer { tenth = percent / 10 }
            return tenth != percent / 10
        }
        if isNew { remark("transferring", "\(percent) %, \(acknowledged) of \(total) bytes") }
    }

    private func printJSON(_ update: FirmwareUpdate) {
        var line = FirmwareLine(
            event: "waiting",
            time: Double(Int((invocation.loop.now - start) / .milliseconds(1))) / 1000,
            date: invocation.context.date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            button: button.button,
            uuid: button.uuid,
            name: button.name
        )
        switch update {
        case .waiting: break
        case .transferring(let acknowledged, let total):
            (line.event, line.acknowledged, line.total) = ("transferring", acknowledged, total)
        case .restarting: line.event = "restarting"
        case .finished(let old, let new): (line.event, line.oldFirmware, line.firmware) = ("updated", old, new)
        }
        try? invocation.printJSON(line)  // nothing in a line can fail to be encoded
    }
}
