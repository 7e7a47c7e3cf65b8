import FlicBridge
import FlicSimulator
import FoundationEssentials

/// `flic listen`: connects buttons and shows what is done with them.
///
/// JSON, a line for each event: ``EventRecord`` with `time`, `date` and, but for `bluetooth`, `button`, `uuid` and `name`.
enum ListenCommand {
    private static let mode = Option(
        name: "--mode",
        value: "click|hold|double|all",
        summary: "Tell clicks only, also holds, also double clicks, or all three (all)."
    )
    private static let queue = Option(
        name: "--queue",
        value: "POLICY",
        summary: "Of presses made before, tell all, none, latest:N, not-older:SECONDS or latest-of-each-kind."
    )
    private static let seconds = Option(name: "--seconds", value: "S", summary: "End after this many seconds.")
    private static let modes: [(name: String, mode: TriggerMode)] = [
        ("click", .click), ("hold", .clickAndHold), ("double", .clickAndDoubleClick), ("all", .clickAndDoubleClickAndHold),
    ]

    static let command = Command(
        name: "listen",
        summary: "Connect buttons and show what is done with them.",
        discussion: """
            Connects the named buttons, or all of them, keeps them connected, and shows presses and changes until it is interrupted
            or no button is left that can be connected. A press that was made before its button was ready is shown as queued; which
            of those are shown is said by --queue, and remembered for these buttons. It counts whole clicks, double clicks and holds.

            With --json: one object a line with the members event, time (seconds since the start), date, button (serial number),
            uuid, name and what there is to tell:
              down, up, click, doubleClick, hold   queued, age (s), count (the button's counter), clock (1/32768 s)
              connected, ready, unpaired           nothing else
              disconnected, failedToConnect        reason and message, unless it was on purpose
              notReady                             reason (pingTimedOut, signatureMismatch, takenOver, requestTimedOut, closedByButton)
              battery                              volts, batteryPercent (an estimate), batteryLow (whether to change it)
              renamed                              name
              bluetooth                            state (poweredOn, poweredOff, resetting, unsupported or unauthorized), no button
            """,
        operand: Operand(name: "BUTTON", summary: ButtonChoice.operandSummary, count: 0...Int.max),
        options: [mode, queue, seconds, Invocation.wait, Invocation.record],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let rules = ClickRules.standard(try chosenMode(invocation))
        let time = try invocation.arguments.seconds(seconds)
        let policy = try chosenPolicy(invocation)
        var store = try await OpenedStore(try invocation.store())
        let chosen = try await invocation.chosenButtons(in: store.records)
        store.awake = Set(chosen.map(\.identifier))
        let (notices, continuation) = AsyncStream.makeStream(of: FlicNotice.self)
        try await invocation.withHub(store, observer: { continuation.yield($0) }) { [store] hub in
            for button in await hub.flic.buttons where store.awake.contains(button.identifier) {
                await button.setClickRules(rules)
                if let policy { await button.setQueuePolicy(policy) }
            }
            try await hub.requirePower()
            try await race(
                { try await show(notices, of: chosen, invocation) },
                {
                    guard let time else { try await untilCancelled() }
                    await invocation.loop.pause(for: time)
                }
            )
        }
    }

    private static func chosenPolicy(_ invocation: Invocation) throws(ArgumentTable.UsageError) -> QueuePolicy? {
        guard let text = invocation.arguments.value(queue) else { return nil }
        guard let policy = QueuePolicy(text) else {
            throw ArgumentTable.UsageError(
                text: "There is no queue policy '\(text)', only all, none, latest:N, not-older:SECONDS and latest-of-each-kind."
            )
        }
        return policy
    }

    private static func chosenMode(_ invocation: Invocation) throws(ArgumentTable.UsageError) -> TriggerMode {
        let name = invocation.arguments.value(mode) ?? "all"
        guard let mode = modes.first(where: { $0.name == name })?.mode else {
            throw ArgumentTable.UsageError(text: "There is no mode '\(name)', only \(modes.map(\.name).joined(separator: ", ")).")
        }
        return mode
    }

    /// Shows what happens until no button is left that can be connected.
    private static func show(_ notices: AsyncStream<FlicNotice>, of chosen: [ButtonInfo], _ invocation: Invocation) async throws {
        let printer = EventPrinter(invocation)
        var waiting = Set(chosen.map(\.identifier))
        func show(_ line: EventLine, of button: ButtonInfo) {
            var line = line
            line.record.tell(button)
            printer.show(line, title: button.title)
        }
        /// A button that will not be connected any more.
        func giveUp(_ button: ButtonInfo, _ error: FlicError) throws {
            waiting.remove(button.identifier)
            if waiting.isEmpty { throw error }
        }

        for button in chosen where button.isUnpaired {
            if let line = EventLine(.unpaired) { show(line, of: button) }
            try giveUp(button, FlicError(.unpaired))
        }
        for await notice in notices {
            switch notice {
            case .restored, .buttonsChanged: continue
            case .state(let state): printer.show(EventLine(state))
            case .button(_, let notice, let info):
                if let line = EventLine(notice) { show(line, of: info) }
                if case .failedToConnect(let error) = notice { try giveUp(info, error) }
                if case .unpaired = notice { try giveUp(info, FlicError(.unpaired)) }
            }
        }
    }
}
