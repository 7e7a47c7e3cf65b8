import FlicBridge
import FlicSimulator
import FoundationEssentials

/// `flic listen`: connects buttons and shows what is done with them.
///
/// JSON, a line for each event: ``EventRecord`` with `time`, `date` and, but for `bluetooth`, `button`, `uuid` and `name`.
enum ListenCommand {
    private static let mode = Option(
        name: "--mode",
        value: TriggerMode.names.joined(separator: "|"),
        choices: .words(TriggerMode.names),
        summary: "Tell clicks only, also holds, also double clicks, or all three (all)."
    )
    private static let queue = Option(
        name: "--queue",
        value: "POLICY",
        choices: QueueCommand.choices,
        summary: "Of presses made before, tell all, none, latest:N, not-older:SECONDS or latest-of-each-kind."
    )
    private static let seconds = Option(name: "--seconds", value: "S", summary: "End after this many seconds.")

    static let command = Command(
        name: "listen",
        summary: "Connect buttons and show what is done with them.",
        discussion: """
            Connects the named buttons, or all of them, keeps them connected, and shows presses and changes until it is interrupted
            or no button is left that can be connected. A press that was made before its button was ready is shown as queued; which
            of those are shown is said by --queue. It counts whole clicks, double clicks and holds. Mode and queue are remembered for
            these buttons, as by 'flic mode' and 'flic queue'.

            Where a daemon runs it has the buttons, and this command shows what it tells, changing the mode of the buttons only where
            --mode is given. Presses reach the daemon's rules as well.

            With --json: one object a line with the members event, time (seconds since the start), date, button (serial number),
            uuid, name and what there is to tell:
              down, up, click, doubleClick,   queued, age (s), count (the button's counter), clock (1/32768 s)
              tripleClick, hold
              connected, ready, unpaired      nothing else
              disconnected, failedToConnect   reason and message, unless it was on purpose
              notReady                        reason (pingTimedOut, signatureMismatch, takenOver, requestTimedOut, closedByButton)
              battery                         volts, batteryPercent (an estimate), batteryLow (whether to change it)
              renamed                         name
              bluetooth                       state (poweredOn, poweredOff, resetting, unsupported or unauthorized), no button
              lagged                          count: so many were left out, as they were not read in time; from daemons only
              added, changed, removed         the members of 'flic list': from daemons only
            """,
        operand: .button(0...Int.max),
        options: [mode, queue, seconds, Invocation.wait, Invocation.record, Invocation.socket],
        run: run
    )

    private static func run(_ invocation: Invocation) async throws {
        let mode = try chosenMode(invocation)
        let policy = try chosenPolicy(invocation)
        let time = try invocation.arguments.seconds(seconds)
        @Sendable func limited(_ body: @escaping @Sendable () async throws -> Void) async throws {
            try await race(
                body,
                {
                    guard let time else { try await untilCancelled() }
                    await invocation.loop.pause(for: time)
                }
            )
        }
        if let daemon = try await invocation.daemon() {
            guard invocation.arguments.value(Invocation.record) == nil else {
                throw Failure(.usage, "daemonRuns", "'--record' needs the buttons for itself, but a daemon has them; end that first.")
            }
            defer { withExtendedLifetime(daemon) {} }  // events end with it
            let (events, buttons) = try await events(of: daemon, mode, policy, invocation)
            return try await limited { try await show(events, of: buttons, orElse: daemonEnded, invocation) }
        }
        var store = try await OpenedStore(try invocation.store())
        let chosen = try await invocation.chosenButtons(in: store.records)
        store.awake = Set(chosen.map(\.identifier))
        let (events, continuation) = AsyncStream.makeStream(of: EventRecord.self)
        try await invocation.withHub(store, observer: { notice in if let event = EventRecord(notice) { continuation.yield(event) } }) { [store] hub in
            for button in await hub.flic.buttons where store.awake.contains(button.identifier) {
                if let mode { await button.setClickRules(.standard(mode)) }
                if let policy { await button.setQueuePolicy(policy) }
            }
            try await hub.requirePower()
            try await limited { try await show(events, of: chosen.map { ButtonFacts($0) }, orElse: CancellationError(), invocation) }
        }
    }

    private static let daemonEnded = Failure(.failed, "daemonEnded", "The daemon has ended.")

    /// Has the daemon set what was asked for, and tell what happens.
    private static func events(
        of daemon: BridgeClient,
        _ mode: TriggerMode?,
        _ policy: QueuePolicy?,
        _ invocation: Invocation
    ) async throws -> (AsyncStream<EventRecord>, [ButtonFacts]) {
        let operands = invocation.arguments.operands
        let (snapshot, events) = try await daemon.subscribe(buttons: operands.isEmpty ? nil : operands)
        guard !snapshot.buttons.isEmpty else { throw Failure.noButtons }
        for button in snapshot.buttons.map(\.facts.button) {
            if let mode {
                var request = BridgeRequest(.mode, button: button)
                request.mode = mode.name
                _ = try await daemon.request(request, as: ButtonStatus.self)
            }
            if let policy {
                var request = BridgeRequest(.queue, button: button)
                request.policy = policy.description
                _ = try await daemon.request(request, as: ButtonStatus.self)
            }
        }
        return (events, snapshot.buttons.map(\.facts))
    }

    private static func chosenPolicy(_ invocation: Invocation) throws(ArgumentTable.UsageError) -> QueuePolicy? {
        guard let text = invocation.arguments.value(queue) else { return nil }
        return try QueueCommand.policy(text)
    }

    /// - Returns: Nil if none was asked for.
    private static func chosenMode(_ invocation: Invocation) throws(ArgumentTable.UsageError) -> TriggerMode? {
        guard let name = invocation.arguments.value(mode) else { return nil }
        return try ModeCommand.mode(name)
    }

    /// Shows what happens until no button is left that can be connected.
    ///
    /// - Parameter end: What it means that nothing more is told.
    private static func show(
        _ events: AsyncStream<EventRecord>,
        of chosen: [ButtonFacts],
        orElse end: any Error,
        _ invocation: Invocation
    ) async throws {
        let printer = EventPrinter(invocation)
        var waiting = Set(chosen.map(\.button))
        func show(_ event: EventRecord) { printer.show(EventLine(event), title: event.button.map { event.name ?? $0 }) }
        /// A button that will not be connected any more.
        func giveUp(_ button: String?, _ failure: Failure) throws {
            guard let button, waiting.remove(button) != nil else { return }
            if waiting.isEmpty { throw failure }
        }

        for button in chosen where button.unpaired {
            var event = EventRecord("unpaired")
            (event.button, event.uuid, event.name) = (button.button, button.uuid, button.name)
            show(event)
            try giveUp(button.button, Failure(FlicError(.unpaired)))
        }
        for await event in events {
            show(event)
            switch event.event {
            case "failedToConnect": try giveUp(event.button, event.failure)
            case "unpaired": try giveUp(event.button, Failure(FlicError(.unpaired)))
            case "removed": try giveUp(event.button, Failure(FlicError(.alreadyForgotten)))
            default: continue
            }
        }
        try Task.checkCancellation()
        throw end
    }
}

extension EventRecord {
    /// What a hub has told; nil if it is of no interest here.
    fileprivate init?(_ notice: FlicNotice) {
        switch notice {
        case .restored, .buttonsChanged: return nil
        case .state(let state): self.init(state)
        case .button(_, let notice, let info):
            self.init(notice)
            tell(info)
        }
    }
}
