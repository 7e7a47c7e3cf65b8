import FlicBridge
import FlicSimulator
import Synchronization

/// `flic pair`: finds a button and pairs with it.
///
/// JSON, a line for each step: `event` (`discovered`, `connected`, `verified`, `verificationFailed`), `time`, `date`; then the button as
/// ``ButtonFacts`` with `event` (`paired`).
enum PairCommand {
    private static let timeout = Option(
        name: "--timeout",
        value: "S",
        summary: "Give up after this many seconds (when 30 have passed without a button)."
    )
    private static let name = Option(name: "--name", value: "NAME", summary: "Give the button this name, which all its apps will see.")

    static let command = Command(
        name: "pair",
        summary: "Pair with a button in pairing mode.",
        discussion: """
            Looks for a button in pairing mode, connects to it, proves that it is genuine and pairs with it; then shows what is
            known of it. Hold the button down for seven seconds to bring it into pairing mode. Buttons that are paired already are
            passed over. Where a daemon runs it is the one that pairs.

            With --json: one object a line with the members event ("discovered", "connected", "verified" or "verificationFailed"),
            time (seconds since the start) and date; at last one with event ("paired"), button (serial number), name,
            and the other members of 'flic list'. Members that are not known are left out.
            """,
        options: [timeout, name, Invocation.wait, Invocation.record, Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let time = try invocation.arguments.seconds(timeout)
        if let daemon = try await invocation.daemon() { return try await pair(daemon, within: time, invocation) }
        // No button is awake: their presses are for commands that show them.
        try await invocation.withHub(try await OpenedStore(try invocation.store())) { hub in
            try await hub.requirePower()
            invocation.remark("Hold the button down for seven seconds.")
            let button = try await pair(hub, within: time, EventPrinter(invocation), invocation.loop)
            if let name = invocation.arguments.value(name) {
                await button.setNickname(name)
                // Time to send it, behind the requests of the start-up. If that is too short, the next connection sends it.
                await invocation.loop.pause(for: .seconds(1))
            }
            try show(ButtonFacts(button.info, event: "paired"), invocation)
        }
    }

    private static func show(_ facts: ButtonFacts, _ invocation: Invocation) throws {
        if let name = invocation.arguments.value(name) { invocation.remarkOnName(facts, asked: name) }
        if invocation.isJSON {
            try invocation.printJSON(facts)
        } else {
            invocation.print("Paired: " + facts.cells.filter { !$0.isEmpty }.joined(separator: "  "))
        }
    }

    private static func pair(_ daemon: BridgeClient, within time: Duration?, _ invocation: Invocation) async throws {
        guard invocation.arguments.value(Invocation.record) == nil else {
            throw Failure(.usage, "daemonRuns", "'--record' needs the buttons for itself, but a daemon has them; end that first.")
        }
        invocation.remark("Hold the button down for seven seconds.")
        let printer = EventPrinter(invocation)
        var request = BridgeRequest(.pair)
        request.name = invocation.arguments.value(name)
        request.timeout = time.map { min(max($0 / .seconds(1), 1), 3600) }
        let limit = Duration.seconds(request.timeout ?? 30) + BridgeClient.usualTime
        var facts: ButtonFacts = try await daemon.request(request, within: limit) { step in
            if let step = PairingStep(rawValue: step) { printer.show(EventLine(step)) }
        }
        facts.event = "paired"
        try show(facts, invocation)
    }

    /// - Parameter time: For all of it; nil leaves it to the hub, which looks for a button for half a minute.
    private static func pair(
        _ hub: Invocation.Hub,
        within time: Duration?,
        _ printer: EventPrinter,
        _ loop: any EventLoop
    ) async throws -> FlicButton {
        let hasFound = Atomic(false)
        @Sendable func search() async throws -> FlicButton {
            while true {
                do throws(FlicError) {
                    return try await hub.flic.pair { step in
                        hasFound.store(true, ordering: .relaxed)
                        printer.show(EventLine(step))
                    }
                } catch {
                    guard error.code == .noButtonFound, time != nil else { throw error }
                }
            }
        }
        guard let time else { return try await search() }
        return try await race(
            search,
            {
                await loop.pause(for: time)
                throw FlicError(hasFound.load(ordering: .relaxed) ? .timedOut : .noButtonFound)
            }
        )
    }
}

extension EventLine {
    fileprivate init(_ step: PairingStep) {
        switch step {
        case .discovered: self.init(step.rawValue, text: "found a button")
        case .connected: self.init(step.rawValue, text: "connected")
        case .verified: self.init(step.rawValue, text: "verified", style: .good)
        case .verificationFailed: self.init(step.rawValue, text: "could not be verified", style: .bad)
        }
    }
}
