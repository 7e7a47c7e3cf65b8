import FlicClient
package import FlicProtocol

/// What only a Flic Twist does: another first request, events with codes of their own and a mode, and rotation (protocol 14).
///
/// Choices of the simulator: presses happen in the mode that is selected; what is turned while the button is down happens in mode 12; every turn is one report;
/// what is turned without a session is forgotten; a → 14 that comes too late is answered with an empty report at once, and the flag stays until one is in
/// time; → 25 leaves the windows where they are.
extension ButtonFirmware {
    /// As many as fit into a value at the smallest MTU.
    static let twistEventsPerNotification = 15
    /// So many reports are kept for a → 14 (protocol 14.3).
    private static let reportsKept = 8
    /// The mode in which it is turned while it is pushed.
    private static let pushMode: UInt8 = 12

    /// What the knob is about.
    package struct TwistKnob: Sendable {
        /// The mode that is selected, 0 to 12.
        package internal(set) var mode: UInt8 = 0
        /// How the client wants it to behave; that of the last session where there is none.
        package internal(set) var configuration = Twist.Configuration()
        /// One for each mode; empty before there was a session.
        package internal(set) var positions: [TwistPosition] = []
        /// Codes and modes of the events in the log, by their counters.
        var items: [UInt32: (code: UInt8, mode: UInt8)] = [:]
        var lastDown: UInt64 = 0
        /// The code of the last event in the words of the Flic 2.
        var lastCode: UInt8 = 0
        /// Items have a mode.
        var hasModes = false
        /// Number of reports sent, and the latest of them.
        var sent: UInt32 = 0
        var reports: [(mode: UInt8, turning: TwistPosition.Turning)] = []
        /// Number of → 14 received.
        var updates: UInt16 = 0
        var isUpdateTooOld = false
        var topWasLast = false
    }

    // MARK: Events

    mutating func recordTwist(_ records: [PressEncoder.Record]) {
        guard identity.product == .twist else { return }
        for record in records {
            let code = EventCode(record.code)
            if code.kind == .down, code.rawValue == 1 { twist.items[record.counter] = (twist.lastCode == 8 ? 5 : 1, twist.mode) }
            if code.kind == .down { twist.lastDown = record.time } else { twist.items[record.counter] = (twistCode(of: record), twist.mode) }
            twist.lastCode = record.code
        }
        let kept = Set(log.records.map(\.counter))
        twist.items = twist.items.filter { kept.contains($0.key) }
    }

    private func twistCode(of record: PressEncoder.Record) -> UInt8 {
        let isShort = record.time &- twist.lastDown < ButtonEvent.ticksPerSecond / 2
        return switch record.code {
        case 8: 4
        case 11: isShort ? 12 : 8
        // A second press that was held is a press of its own; its hold has said so.
        case 10, 14, 15: 0
        default: record.code
        }
    }

    mutating func sendTwistEvents(_ records: [PressEncoder.Record], to id: UInt8, wasQueued: Bool, isLast: Bool) {
        guard let last = records.last else { return }
        var packet = Twist.ButtonEventNotificationV2()
        packet.eventCount = last.counter
        for record in records {
            let known = twist.items[record.counter] ?? (record.code, 0)
            var item = Twist.EventItem()
            item.timestamp = record.time
            item.code = known.code
            item.modeIndex = twist.hasModes ? known.mode : 0
            item.wasQueued = wasQueued
            item.wasQueuedLast = isLast && record == last
            var writer = FieldWriter(opcode: 0)
            item.code(&writer)
            packet.items += writer.bytes.dropFirst().prefix(twist.hasModes ? Twist.EventItem.byteCount : EventItem.byteCount)
        }
        send(packet, to: id)
    }

    // MARK: Requests

    /// - Returns: Whether the packet is one that only a Twist has, or has in another form.
    mutating func serveTwist(_ packet: Span<UInt8>, on id: UInt8) -> Bool {
        switch packet[0] {
        case Twist.InitButtonEventsRequest.sessionOpcode:
            if let request = Twist.InitButtonEventsRequest(sessionBody: packet) { initializeTwist(request, on: id) }
        case Twist.UpdateTwistPosInd.sessionOpcode:
            if let update = Twist.UpdateTwistPosInd(sessionBody: packet) { move(update) }
        case Twist.ChangeConfigRequest.sessionOpcode:
            if let request = Twist.ChangeConfigRequest(sessionBody: packet) {
                twist.configuration = request.configuration
                send(Twist.ChangeConfigResponse(), to: id)
            }
        case Twist.StartFirmwareUpdateRequest.sessionOpcode:
            if let request = Twist.StartFirmwareUpdateRequest(sessionBody: packet) { startUpdate(request, on: id) }
        default: return false
        }
        withSession(id) { [clock] in $0.lastActivity = clock }
        return true
    }

    private mutating func initializeTwist(_ request: Twist.InitButtonEventsRequest, on id: UInt8) {
        let isSameBoot = request.bootID == bootID && !faults.replaysEverything
        twist.configuration = request.configuration
        twist.positions = (0..<Twist.Configuration.count).map { TwistPosition(visible: request.configuration[$0].position) }
        twist.hasModes = request.apiVersion == 2
        (twist.sent, twist.reports, twist.updates, twist.isUpdateTooOld) = (0, [], 0, false)
        let queue = log.queue(after: isSameBoot ? request.eventCount : nil, number: .max, since: 0)
        withSession(id) { $0.isInitialized = true }
        var answer = Twist.InitButtonEventsResponse()
        answer.hasQueuedEvents = !queue.isEmpty
        answer.timestamp = clock
        answer.eventCount = queue.isEmpty || settings.countsQueueInAnswer ? encoder.counter : isSameBoot ? request.eventCount : 0
        answer.bootID = bootID
        answer.apiVersion = request.apiVersion == 2 ? 2 : nil
        send(answer, to: id)
        sendQueue(queue, to: id)
    }

    // MARK: Rotation

    /// Selects a mode; others than 0 to 12 mean nothing.
    package mutating func selectTwistMode(_ mode: UInt8, at time: UInt64) -> [Action] {
        proceed(to: time)
        if identity.product == .twist, mode < Twist.Configuration.count { twist.mode = mode }
        return flush()
    }

    /// Turns the knob, and tells whoever is listening.
    ///
    /// - Parameter angle: 49,152 for a whole turn; what a report cannot say is left out.
    package mutating func twist(by angle: Int32, at time: UInt64) -> [Action] {
        proceed(to: time)
        guard identity.product == .twist, let id = sessionIDs.first, self[id]?.session?.isInitialized == true else { return flush() }
        noteActivity()
        let total = min(max(angle, -8_388_608), 8_388_607)
        let mode = encoder.isDown ? Self.pushMode : twist.mode
        let before = twist.positions[Int(mode)].minimum
        var turning = TwistPosition.Turning(total: total, lowest: min(total, 0), highest: max(total, 0), topWasLast: false)
        turning.topWasLast = total > 0
        twist.positions[Int(mode)].turn(turning)
        let after = twist.positions[Int(mode)].minimum
        if after != before { twist.topWasLast = after > before }
        turning.topWasLast = twist.topWasLast
        report(turning, in: mode, to: id)
        return flush()
    }

    private mutating func report(_ turning: TwistPosition.Turning, in mode: UInt8, to id: UInt8) {
        twist.sent &+= 1
        twist.reports.append((mode, turning))
        if twist.reports.count > Self.reportsKept { twist.reports.removeFirst() }
        var packet = Twist.TwistEventNotification()
        packet.twistModeIndex = mode
        packet.turning = turning
        packet.hubUpdateWasTooOld = twist.isUpdateTooOld
        packet.lastKnownHubPacketCounter = twist.updates
        send(packet, to: id)
    }

    /// Moves a window as it was when the host had seen so many reports, and follows the later ones once more.
    private mutating func move(_ update: Twist.UpdateTwistPosInd) {
        let mode = Int(update.twistModeIndex)
        guard twist.positions.indices.contains(mode), let id = sessionIDs.first else { return }
        twist.updates &+= 1
        let unseen = twist.sent &- update.receivedUpdates
        twist.isUpdateTooOld = unseen > twist.reports.count
        guard !twist.isUpdateTooOld else {
            return report(.init(total: 0, lowest: 0, highest: 0, topWasLast: twist.topWasLast), in: update.twistModeIndex, to: id)
        }
        let later = twist.reports.suffix(Int(unseen)).filter { $0.mode == update.twistModeIndex }
        twist.positions[mode].setMinimum(update.newMinimum, before: later.map(\.turning))
    }
}
