/// What is different in a session with a Flic Duo: start-up and events for two buttons, and push-and-twist (protocol 13).
extension HostSession {
    /// The first packet of the session: where to resume, for each button.
    mutating func requestDuoEvents(now: Duration, into actions: inout [Action]) {
        let position = duoEvents?.position ?? EventPosition()
        var request = InitButtonEventsDuoLightRequest()
        request.eventCounts = position.counts
        request.bootID = position.bootID
        limitQueue(of: &request)
        ask(
            .init(
                request,
                answers: InitButtonEventsDuoResponseWithBootId.self,
                InitButtonEventsDuoResponseWithoutBootId.self,
                // It may answer as a Flic 2.
                InitButtonEventsResponseWithBootId.self,
                InitButtonEventsResponseWithoutBootId.self
            ),
            now: now,
            into: &actions
        )
    }

    mutating func duoStarted(_ answer: some DuoStart, bootID: UInt32?, now: Duration, into actions: inout [Action]) {
        guard let known = duoEvents?.bootID else { return }
        if let bootID, bootID != known { isAdvertisingConfigured = false }
        let position = duoEvents?.start(
            bootID: bootID,
            counts: answer.eventCounts,
            timestamp: answer.timestamp,
            hasQueuedEvents: answer.hasQueuedEvents
        )
        started(at: position, now: now, into: &actions)
    }

    mutating func receiveDuoEvents(_ body: Span<UInt8>, now: Duration, into actions: inout [Action]) {
        guard duoEvents?.hasStarted == true else {
            actions.append(.ignored(.unexpected(opcode: ButtonEventDuoNotification.opcode)))
            return
        }
        guard let notification = ButtonEventDuoNotification(body: body) else {
            actions.append(.ignored(.tooShort))
            return
        }
        var lostQueue = false
        let received = duoEvents?.receive(notification.events) { received in
            if received.followsLostQueue {
                lostQueue = true
                actions.append(.queueFinished)
            }
            let event = received.event
            actions.append(received.isDuplicate ? .ignored(.duplicate(count: event.count)) : .event(event))
        }
        guard let received, let events = duoEvents else {
            actions.append(.ignored(.noItems))
            return
        }
        actions.append(.progress(events.position))
        if received.endsQueue { actions.append(.queueFinished) }
        if received.needsAcknowledgement {
            var acknowledgement = AckButtonEventsDuoInd()
            acknowledgement.eventCounts = events.counts
            send(acknowledgement, into: &actions)
        }
        if received.endsQueue || lostQueue { startUp(now: now, into: &actions) }
    }

    // MARK: Push and twist

    mutating func receivePushTwist(_ body: Span<UInt8>, into actions: inout [Action]) {
        guard let notification = PushTwistDataNotification(body: body) else {
            actions.append(.ignored(.tooShort))
            return
        }
        guard let turned = PushTwist(notification) else {
            actions.append(.ignored(.noItems))
            return
        }
        actions.append(.pushTwist(turned))
    }

    /// Changes which buttons report how they are turned: at once if the session is running, else in its start-up.
    package mutating func setPushTwist(_ buttons: DuoButtons, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.setPushTwist(buttons), nil, actions[first...]) }
        guard buttons != settings.pushTwist else { return }
        settings.pushTwist = buttons
        if case .running = phase { tellPushTwist(into: &actions) }
    }

    /// Tells the button at the start of a session, if there is anything to tell: reports are off until then.
    mutating func sendPushTwist(into actions: inout [Action]) {
        if !settings.pushTwist.isEmpty { tellPushTwist(into: &actions) }
    }

    private mutating func tellPushTwist(into actions: inout [Action]) {
        guard duoEvents != nil else { return }
        var indication = EnablePushTwistInd()
        indication.bigButton = settings.pushTwist.contains(.big)
        indication.smallButton = settings.pushTwist.contains(.small)
        send(indication, into: &actions)
    }
}

/// What both answers to the start-up of a Duo say.
protocol DuoStart {
    var hasQueuedEvents: Bool { get }
    var timestamp: UInt64 { get }
    var eventCounts: DuoEventCounts { get }
}

extension InitButtonEventsDuoResponseWithBootId: DuoStart {}
extension InitButtonEventsDuoResponseWithoutBootId: DuoStart {}
