import FlicBridge

/// `flic list`: the paired buttons.
///
/// JSON, one document: an array of ``ButtonFacts``, in the order of pairing.
enum ListCommand {
    static let names = Option(name: "--names", summary: "Print only names and serial numbers, one a line: what stands for a BUTTON.")

    static let command = Command(
        name: "list",
        summary: "Show the paired buttons.",
        discussion: """
            Shows the paired buttons as they are stored, or those of the daemon if one runs. Needs no Bluetooth, and works while another
            command is using them.

            With --json: one array of objects with the members button (serial number), name, advertisedName, address, uuid,
            identifier, firmware, volts (of the last battery sample), batteryPercent (an estimate of what is left), batteryLow
            (whether to change it: from below 2.65 V until 2.75 V), batteryDate (of the sample), unpaired (the pairing is void), mode
            (click, hold, double or all), doubleClickTime and holdTime (seconds) and tripleClick where the mode has such, latency
            (normal or low) and queue (a policy). Members that are not known are left out.
            """,
        options: [names, Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let buttons = try await buttons(invocation)
        if invocation.arguments.has(names) { return printNames(of: buttons, invocation) }
        if invocation.isJSON { return try invocation.printJSON(buttons) }
        if buttons.isEmpty { invocation.remark("No buttons are paired; 'flic pair' pairs one.") }
        invocation.print(rows: buttons.map(\.cells))
    }

    private static func buttons(_ invocation: Invocation) async throws -> [ButtonFacts] {
        if let daemon = try await invocation.daemon() { return try await daemon.request(BridgeRequest(.list)) }
        // Not locked: a file is replaced as a whole, so it can be read at any moment.
        let records = try await invocation.store().load()
        return await invocation.buttons(in: records).map { ButtonFacts($0) }
    }

    /// A name that would be taken for an option is left out; a serial number is none.
    private static func printNames(of buttons: [ButtonFacts], _ invocation: Invocation) {
        for name in buttons.flatMap({ [$0.name, $0.button] }).compactMap({ $0?.inOneLine }) where !name.isEmpty && !name.hasPrefix("-") {
            invocation.print(name)
        }
    }
}
