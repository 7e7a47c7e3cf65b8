import FlicClient
package import FlicProtocol

/// What only a Flic Duo does: events of two buttons in one stream, gestures, and push-and-twist (protocol 13).
extension ButtonFirmware {
    /// Most events in a notification: as many as fit into a packet, however far apart they are.
    private static let duoEventsPerNotification = 8

    /// What the small button is about, and what happened to both.
    package struct Duo: Sendable {
        var encoder = PressEncoder()
        /// The events of both buttons, in the order in which they happened.
        package internal(set) var events: [DuoEvent] = []
        /// When each button went down last, in ticks.
        var downs: [DuoButton: UInt64] = [:]
        /// How the hand moved during the press that was released last.
        var gestures: [DuoButton: DuoEvent.Gesture] = [:]
        var acceleration = DuoEvent.Acceleration(x: 0, y: 0, z: 64)
        /// Buttons that have been turned since they went down.
        var turned: DuoButtons = []
    }

    /// Takes note of what the encoder of a button says, and tells everybody who is listening to a Duo.
    mutating func recordDuo(_ records: [PressEncoder.Record], of button: DuoButton) {
        guard identity.product == .duo else { return }
        for record in records {
            let event = duoEvent(record, of: button)
            duo.events.append(event)
            for id in sessionIDs where self[id]?.session?.duoStream != nil { sendDuoEvents([event], to: id) }
        }
        if duo.events.count > max(settings.eventLimit, 0) { duo.events.removeFirst(duo.events.count - max(settings.eventLimit, 0)) }
    }

    private mutating func duoEvent(_ record: PressEncoder.Record, of button: DuoButton) -> DuoEvent {
        let code = EventCode(record.code)
        if code.kind == .down {
            duo.downs[button] = record.time
            duo.gestures[button] = nil
            duo.turned.remove(DuoButtons(button))
        }
        let isSlow = record.time &- (duo.downs[button] ?? record.time) >= ButtonEvent.ticksPerSecond / 2
        let kind: DuoEvent.Kind =
            switch code.kind {
            case .down: .down
            case .hold: .hold
            case .singleClickTimeout: .singleClickTimeout
            case .up where code.isDoubleClick: isSlow ? .slowDoubleClickUp : .doubleClickUp
            case .up where code.isSingleClick: code.isHeld ? .heldClickUp : .slowClickUp
            case .up: .up
            }
        return DuoEvent(
            button: button,
            count: record.counter,
            timestamp: record.time,
            kind: kind,
            isHoldOfSecondPress: code.isHoldOfSecondPress || kind == .slowDoubleClickUp && code.isHeld,
            gesture: code.kind == .up || code.kind == .singleClickTimeout ? duo.gestures[button] : nil,
            acceleration: duo.acceleration
        )
    }

    /// The first request of a client that knows the Duo: says where it stands, then sends what it has missed.
    mutating func initializeDuoEvents(_ request: InitButtonEventsDuoLightRequest, on id: UInt8) {
        guard identity.product == .duo, self[id]?.session?.understandsDuo == true else { return }
        let isSameBoot = request.bootID == bootID
        let seen = isSameBoot && !faults.replaysEverything ? request.eventCounts : DuoEventCounts()
        let limits = limits(of: request)
        let fresh = duo.events.filter { event in
            let step = event.count &- seen[event.button]
            return event.timestamp >= limits.since && step != 0 && step < 1 << 31
        }
        let queue = Array(fresh.suffix(limits.number))
        let counts = queue.isEmpty ? DuoEventCounts(big: encoder.counter, small: duo.encoder.counter) : seen
        beginEvents(request, on: id)
        withSession(id) { $0.duoStream = DuoEventStream(counts: counts, hasQueuedEvents: !queue.isEmpty) }
        if isSameBoot {
            var answer = InitButtonEventsDuoResponseWithoutBootId()
            answer.hasQueuedEvents = !queue.isEmpty
            answer.timestamp = clock
            answer.eventCounts = counts
            send(answer, to: id)
        } else {
            var answer = InitButtonEventsDuoResponseWithBootId()
            answer.hasQueuedEvents = !queue.isEmpty
            answer.timestamp = clock
            answer.eventCounts = counts
            answer.bootID = bootID
            send(answer, to: id)
        }
        sendDuoQueue(queue, to: id)
    }

    private mutating func sendDuoQueue(_ queue: [DuoEvent], to id: UInt8) {
        let size = min(max(settings.eventsPerNotification, 1), Self.duoEventsPerNotification)
        for start in stride(from: 0, to: queue.count, by: size) {
            let end = min(start + size, queue.count)
            var events = Array(queue[start..<end])
            for index in events.indices {
                let isLast = start + index == queue.count - 1 && !faults.losesEndOfQueue
                events[index].queueMark = isLast ? .queuedLast : .queued
            }
            sendDuoEvents(events, to: id)
        }
    }

    /// Events after a queue whose end was never sent say so themselves.
    private mutating func sendDuoEvents(_ events: [DuoEvent], to id: UInt8) {
        guard var stream = self[id]?.session?.duoStream, link != nil else { return }
        var events = events
        if !stream.isQueueDone, let first = events.first, first.queueMark == .live { events[0].queueMark = .liveAfterLostQueue }
        guard let payload = stream.write(events) else { return }
        withSession(id) { $0.duoStream = stream }
        var packet = ButtonEventDuoNotification()
        packet.events = payload
        send(packet, to: id)
    }

    // MARK: Push and twist

    mutating func setPushTwist(_ wish: EnablePushTwistInd, on id: UInt8) {
        var buttons: DuoButtons = []
        if wish.bigButton { buttons.insert(.big) }
        if wish.smallButton { buttons.insert(.small) }
        withSession(id) { $0.pushTwist = buttons }
    }

    /// Turns the device while buttons are held down.
    ///
    /// - Parameter angle: 65,536 for a whole turn.
    package mutating func turn(by angle: Int32, at time: UInt64) -> [Action] {
        proceed(to: time)
        guard identity.product == .duo else { return flush() }
        let held = heldButtons
        var report = PushTwistDataNotification()
        report.bigIsPressed = held.contains(.big)
        report.smallIsPressed = held.contains(.small)
        report.bigIsFirst = report.bigIsPressed && !duo.turned.contains(.big)
        report.smallIsFirst = report.smallIsPressed && !duo.turned.contains(.small)
        report.bigIsHeld = isLong(.big, held)
        report.smallIsHeld = isLong(.small, held)
        report.angle = angle
        duo.turned.formUnion(held)
        for id in sessionIDs {
            guard let wanted = self[id]?.session?.pushTwist, !wanted.isDisjoint(with: held) else { continue }
            send(report, to: id)
        }
        return flush()
    }

    private var heldButtons: DuoButtons {
        var held: DuoButtons = []
        if encoder.isDown { held.insert(.big) }
        if duo.encoder.isDown { held.insert(.small) }
        return held
    }

    private func isLong(_ button: DuoButton, _ held: DuoButtons) -> Bool {
        held.contains(DuoButtons(button)) && clock &- (duo.downs[button] ?? clock) >= ButtonEvent.ticksPerSecond / 2
    }
}
