import FlicBridge
import FoundationEssentials

/// Shows what happens, each line with its time since the printer was made.
struct EventPrinter: Sendable {
    private let invocation: Invocation
    private let start: Duration

    init(_ invocation: Invocation) {
        self.invocation = invocation
        start = invocation.loop.now
    }

    /// - Parameter title: Whom it happened to, where that is to be shown.
    func show(_ line: EventLine, title: String? = nil) {
        let milliseconds = Int((invocation.loop.now - start) / .milliseconds(1))
        if invocation.isJSON {
            var record = line.record
            record.time = Double(milliseconds) / 1000
            record.tell(invocation.context.date())
            try? invocation.printJSON(record)  // nothing in a line can fail to be encoded
        } else {
            let output = invocation.context.output
            let time = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
            let margin = String(repeating: " ", count: max(0, 7 - time.count))
            let row = [output.styled(margin + time, .dim), title, output.styled(line.text, line.style)].compactMap(\.self)
            invocation.print(row.joined(separator: "  "))
        }
    }
}
