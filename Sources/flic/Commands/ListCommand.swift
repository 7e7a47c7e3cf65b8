import FlicBridge

/// `flic list`: the paired buttons.
///
/// JSON, one document: an array of ``ButtonFacts``, in the order of pairing.
enum ListCommand {
    static let command = Command(
        name: "list",
        summary: "Show the paired buttons.",
        discussion: """
            Shows the paired buttons as they are stored, or those of the daemon if one runs. Needs no Bluetooth, and works while another
            command is using them.

            With --json: one array of objects with the members button (serial number), name, advertisedName, address, uuid,
            identifier, firmware, volts (of the last battery sample), batteryPercent (an estimate of what is left), batteryLow
            (whether to change it: from below 2.65 V until 2.75 V), batteryDate (of the sample) and unpaired (the pairing is void).
            Members that are not known are left out.
            """,
        options: [Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let buttons = try await buttons(invocation)
        if invocation.isJSON { return try invocation.printJSON(buttons) }
        if buttons.isEmpty { invocation.remark("No buttons are paired; 'flic pair' pairs one.") }
        for row in aligned(buttons.map(\.cells)) { invocation.print(row) }
    }

    private static func buttons(_ invocation: Invocation) async throws -> [ButtonFacts] {
        if let daemon = try await invocation.daemon() { return try await daemon.request(BridgeRequest(.list)) }
        // Not locked: a file is replaced as a whole, so it can be read at any moment.
        let records = try await invocation.store().load()
        return await invocation.buttons(in: records).map { ButtonFacts($0) }
    }

    /// Cells, so that columns align.
    static func aligned(_ rows: [[String]]) -> [String] {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let text = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }
}
