import FlicProtocol

/// Presses: from the button's events to what is told, and how far that has come.
extension ButtonConnection {
    /// The button tells of an event.
    mutating func receive(_ event: ButtonEvent, now: Duration, into actions: inout [Action]) {
        if let boot = session?.bootID { notice(boot: boot) }
        switch event.code.kind {
        case .down: downs.insert(DuoButtons(event.button))
        case .up: downs.remove(DuoButtons(event.button))
        case .hold, .singleClickTimeout: break
        }
        if modes != nil { receiveInEveryMode(event, into: &actions) }
        guard event.wasQueued, queue.policy != .all else {
            record.setEventCount(event.count, of: event.button)
            let info = info
            judge.judge(event, now: now) { actions.append(.tell(.press($0), info)) }
            return
        }
        var judged: [PressEvent] = []
        judge.judge(event, now: now) { judged.append($0) }
        for event in judged { receive(event, into: &actions) }
    }

    private mutating func receiveInEveryMode(_ event: ButtonEvent, into actions: inout [Action]) {
        let info = info
        modes?.judge(event) { actions.append(.tell(.pressInMode($0), info)) }
    }

    /// Something was done with the button. What its policy does not let pass at once is held back.
    mutating func receive(_ event: PressEvent, into actions: inout [Action]) {
        var passed: [PressEvent] = []
        queue.receive(event, isQueueOver: isQueueOver) { passed.append($0) }
        tell(passed, into: &actions)
    }

    private mutating func tell(_ events: [PressEvent], into actions: inout [Action]) {
        for event in events {
            record.setEventCount(event.eventCount, of: event.buttonNumber == 0 ? .big : .small)
            tell(.press(event), into: &actions)
        }
    }

    /// Everything up to here has been received. It has been told only if nothing is held back: a program that is restarted must find the
    /// rest again.
    mutating func progress(to position: EventPosition, into actions: inout [Action]) {
        notice(boot: position.bootID)
        guard !queue.isHolding else {
            heldPosition = position
            return
        }
        tellStore(position, into: &actions)
    }

    /// The button may have rebooted: nothing of what was open before goes on, and it has forgotten how to advertise.
    private mutating func notice(boot: UInt32) {
        guard boot != latestBootID ?? record.bootID else { return }
        latestBootID = boot
        record.isAdvertisingConfigured = false
        judge.buttonRebooted()
        modes?.buttonRebooted()
        downs = []
    }

    private mutating func tellStore(_ position: EventPosition, into actions: inout [Action]) {
        heldPosition = nil
        let hasRebooted = position.bootID != record.bootID
        record.position = position
        actions.append(hasRebooted ? .save : .keep)
    }

    /// The queue is over, or will not go on in this session: what is held back is told, as far as the policy admits it.
    mutating func finishQueue(into actions: inout [Action]) {
        guard queue.isHolding else { return }
        var admitted: [PressEvent] = []
        queue.finish { admitted.append($0) }
        tell(admitted, into: &actions)
        if let heldPosition { tellStore(heldPosition, into: &actions) }
    }
}
