import FlicClient
import FlicSimulator
import Synchronization

/// `flic scan`: buttons that can be paired.
///
/// JSON, a line for each button: `event` (`found`), `address`, `advertisedName`, `rssi` (dBm, where known), `connectedElsewhere`.
enum ScanCommand {
    private static let timeout = Option(name: "--timeout", value: "S", summary: "Listen for this many seconds (30).")

    static let command = Command(
        name: "scan",
        summary: "Show the buttons in pairing mode.",
        discussion: """
            Shows each button in pairing mode that is heard: its address, the name it advertises, the strength of its signal, and
            whether it is connected to another device. Hold a button down for seven seconds to bring it into pairing mode, where
            it stays for half a minute.

            With --json: one object a line with the members event ("found"), address, advertisedName, rssi (dBm) and
            connectedElsewhere. Members that are not known are left out.
            """,
        options: [timeout, Invocation.wait],
        run: run
    )

    /// A button as it was heard first.
    private struct Found: Encodable {
        var event = "found"
        var address: String
        var advertisedName: String?
        var rssi: Int?
        var connectedElsewhere: Bool

        init(_ advertisement: Advertisement) {
            address = advertisement.address.description
            advertisedName = advertisement.name
            rssi = advertisement.rssi
            connectedElsewhere = advertisement.isConnectedElsewhere
        }

        var text: String {
            [address, advertisedName, rssi.map { "\($0) dBm" }, connectedElsewhere ? "connected to another device" : nil]
                .compactMap(\.self).joined(separator: "  ")
        }
    }

    private static func run(_ invocation: Invocation) async throws {
        let time = try invocation.arguments.seconds(timeout) ?? .seconds(30)
        // Nothing is paired here, so another process may have the store.
        try await invocation.withHub(MemoryStore()) { hub in
            try await hub.requirePower()
            invocation.remark("Listening for buttons in pairing mode. Hold a button down for seven seconds to bring it into that mode.")
            let found = Mutex<Set<BluetoothAddress>>([])
            try await race(
                {
                    for await advertisement in await hub.flic.discoveries() {
                        guard found.withLock({ $0.insert(advertisement.address).inserted }) else { continue }
                        let button = Found(advertisement)
                        if invocation.isJSON { try invocation.printJSON(button) } else { invocation.print(button.text) }
                    }
                },
                { await invocation.loop.pause(for: time) },
                {
                    if invocation.arguments.has(Invocation.wait) { try await untilCancelled() }
                    try await hub.powerLoss()
                }
            )
            if found.withLock({ $0.isEmpty }) { throw FlicError(.noButtonFound) }
        }
    }
}
