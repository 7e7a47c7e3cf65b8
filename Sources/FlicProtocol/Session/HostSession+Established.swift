/// The open session: what each packet of the button means, and the requests of the start-up (protocol 6.4, 7, 9).
extension HostSession {
    /// Handles a body whose signature has been checked.
    mutating func receive(body: Span<UInt8>, now: Duration, into actions: inout [Action]) {
        if peer.dialect == .twist, receiveTwist(body, now: now, into: &actions) { return }
        switch body[0] {
        case ButtonEventNotification.opcode: receiveEvents(body, now: now, into: &actions)
        case ButtonEventDuoNotification.opcode where duoEvents != nil: receiveDuoEvents(body, now: now, into: &actions)
        case PingRequest.opcode:
            silence.pinged(now: now)
            send(PingResponse(), into: &actions)
        case InitButtonEventsResponseWithBootId.opcode:
            guard let response = decode(InitButtonEventsResponseWithBootId.self, body, into: &actions) else { return }
            started(
                bootID: response.bootID,
                eventCount: response.eventCount,
                timestamp: response.timestamp,
                hasQueuedEvents: response.hasQueuedEvents,
                now: now,
                into: &actions
            )
        case InitButtonEventsResponseWithoutBootId.opcode:
            guard let response = decode(InitButtonEventsResponseWithoutBootId.self, body, into: &actions) else { return }
            started(
                bootID: nil,
                eventCount: response.eventCount,
                timestamp: response.timestamp,
                hasQueuedEvents: response.hasQueuedEvents,
                now: now,
                into: &actions
            )
        case InitButtonEventsDuoResponseWithBootId.opcode where duoEvents != nil:
            guard let response = decode(InitButtonEventsDuoResponseWithBootId.self, body, into: &actions) else { return }
            duoStarted(response, bootID: response.bootID, now: now, into: &actions)
        case InitButtonEventsDuoResponseWithoutBootId.opcode where duoEvents != nil:
            guard let response = decode(InitButtonEventsDuoResponseWithoutBootId.self, body, into: &actions) else { return }
            duoStarted(response, bootID: nil, now: now, into: &actions)
        case PushTwistDataNotification.opcode where duoEvents != nil: receivePushTwist(body, into: &actions)
        case GetBatteryLevelResponse.opcode:
            guard let response = decode(GetBatteryLevelResponse.self, body, into: &actions) else { return }
            actions.append(.battery(BatteryLevel(raw: response.batteryLevel, unit: peer.dialect.batteryUnit)))
            sendRequests(now: now, into: &actions)
        case GetFirmwareVersionResponse.opcode:
            guard let response = decode(GetFirmwareVersionResponse.self, body, into: &actions) else { return }
            firmwareVersion = response.version
            actions.append(.firmwareVersion(response.version))
            sendRequests(now: now, into: &actions)
        case SetAdvParametersResponse.opcode:
            guard decode(SetAdvParametersResponse.self, body, into: &actions) != nil else { return }
            isAdvertisingConfigured = requestedAdvertising == settings.advertising
            requestedAdvertising = nil
            if isAdvertisingConfigured { actions.append(.advertisingConfigured) }
            requestAdvertising(now: now, into: &actions)
            sendRequests(now: now, into: &actions)
        case GetNameResponse.opcode:
            guard let response = decode(GetNameResponse.self, body, into: &actions) else { return }
            apply(names.answer(ButtonName(received: response.name)), now: now, into: &actions)
            sendRequests(now: now, into: &actions)
        case SetNameResponse.opcode:
            guard let response = decode(SetNameResponse.self, body, into: &actions) else { return }
            apply(names.answer(ButtonName(received: response.name)), now: now, into: &actions)
            sendRequests(now: now, into: &actions)
        case NameUpdatedNotification.opcode:
            guard let notification = NameUpdatedNotification(body: body) else { return }
            apply(names.notification(ButtonName(received: notification.name)), now: now, into: &actions)
        case StartFirmwareUpdateResponse.opcode:
            guard let response = decode(StartFirmwareUpdateResponse.self, body, into: &actions) else { return }
            firmwareStarted(at: response.startPosition, now: now, into: &actions)
            sendRequests(now: now, into: &actions)
        case FirmwareUpdateNotification.opcode:
            guard let notification = FirmwareUpdateNotification(body: body) else {
                actions.append(.ignored(.tooShort))
                return
            }
            firmwareAcknowledged(notification.position, now: now, into: &actions)
        case DisconnectedVerifiedLinkInd.opcode:
            guard let indication = DisconnectedVerifiedLinkInd(body: body) else {
                actions.append(.ignored(.tooShort))
                return
            }
            end(with: .ended(EndReason(indication.reason, peer.dialect)), into: &actions)
        default:
            let isKnown = body[0] < PacketCatalog.fromButton.count
            actions.append(.ignored(isKnown ? .unexpected(opcode: body[0]) : .unknown(opcode: body[0])))
        }
    }

    /// Reads an answer that was asked for; anything else is ignored.
    mutating func decode<Answer: Packet>(_ type: Answer.Type, _ body: Span<UInt8>, into actions: inout [Action]) -> Answer? {
        guard let answer = Answer(sessionBody: body) else {
            actions.append(.ignored(.tooShort))
            return nil
        }
        guard requests.answered(by: Answer.sessionOpcode) else {
            actions.append(.ignored(.unrequested(opcode: Answer.sessionOpcode)))
            return nil
        }
        return answer
    }

    // MARK: Events

    /// The first packet of the session: where to resume.
    mutating func requestEvents(now: Duration, into actions: inout [Action]) {
        guard peer.dialect == .flic2 else { return requestTwistEvents(now: now, into: &actions) }
        guard duoEvents == nil else { return requestDuoEvents(now: now, into: &actions) }
        var request = InitButtonEventsLightRequest()
        request.eventCount = events.position.eventCount
        request.bootID = events.position.bootID
        limitQueue(of: &request)
        ask(
            .init(request, answers: InitButtonEventsResponseWithBootId.self, InitButtonEventsResponseWithoutBootId.self),
            now: now,
            into: &actions
        )
    }

    /// What the button may send of its queue in this session.
    var queueLimits: SessionSettings.Queue { isPairing ? settings.queueAfterPairing : settings.queueAfterReconnect }

    /// Says what the button may send of its queue, and how long it keeps an idle link.
    mutating func limitQueue(of request: inout some QueueLimiting) {
        // Values that do not fit their field mean what the largest one means.
        request.autoDisconnectTime = min(settings.autoDisconnectTime, 511)
        toldAutoDisconnectTime = request.autoDisconnectTime
        request.maximumQueued = min(queueLimits.maximumCount, 31)
        request.maximumAge = min(queueLimits.maximumAge, 0xFFFFF)
    }

    mutating func started(
        bootID: UInt32?,
        eventCount: UInt32,
        timestamp: UInt64,
        hasQueuedEvents: Bool,
        now: Duration,
        into actions: inout [Action]
    ) {
        duoEvents = nil  // a Duo that answers as a Flic 2 goes on as one (protocol 13.1)
        if let bootID, bootID != events.position.bootID { isAdvertisingConfigured = false }
        let position = events.start(bootID: bootID, eventCount: eventCount, timestamp: timestamp, hasQueuedEvents: hasQueuedEvents)
        started(at: position, now: now, into: &actions)
    }

    /// - Parameter position: What to store; nil if queued events follow.
    mutating func started(at position: EventPosition?, now: Duration, into actions: inout [Action]) {
        guard let position else { return }
        actions.append(.progress(position))
        actions.append(.queueFinished)
        startUp(now: now, into: &actions)
    }

    private mutating func receiveEvents(_ body: Span<UInt8>, now: Duration, into actions: inout [Action]) {
        guard events.hasStarted else {
            actions.append(.ignored(.unexpected(opcode: ButtonEventNotification.opcode)))
            return
        }
        guard body.count >= 5 else {
            actions.append(.ignored(.tooShort))
            return
        }
        let leavesQueueOut = isPairing && peer.dialect == .twist && queueLimits.maximumCount == 0
        let received = events.receive(body) { event, isDuplicate in
            if isDuplicate {
                actions.append(.ignored(.duplicate(count: event.count)))
            } else if leavesQueueOut && event.wasQueued {
                actions.append(.ignored(.beforePairing(count: event.count)))
            } else {
                actions.append(.event(event))
            }
        }
        guard let received else {
            actions.append(.ignored(.noItems))
            return
        }
        actions.append(.progress(events.position))
        if received.endsQueue { actions.append(.queueFinished) }
        if received.needsAcknowledgement {
            var acknowledgement = AckButtonEventsInd()
            acknowledgement.eventCount = received.eventCount
            send(acknowledgement, into: &actions)
        }
        if received.endsQueue { startUp(now: now, into: &actions) }
    }

    // MARK: Start-up

    /// The start-up events are through: everything else may be asked now, in the order of protocol 6.4.
    mutating func startUp(now: Duration, into actions: inout [Action]) {
        guard case .initialising = phase else { return }
        phase = .running(nextBattery: now + settings.batteryInterval)
        silence.began(now: now)
        sendConnectionParameters(into: &actions)
        sendAutoDisconnectTime(into: &actions)
        sendPushTwist(into: &actions)
        tellTwist(now: now, into: &actions)
        requestAdvertising(now: now, into: &actions)
        if !isPairing { requests.append(.init(GetBatteryLevelRequest(), answers: GetBatteryLevelResponse.self)) }
        if let request = names.start() {
            requests.append(.init(request, answers: SetNameResponse.self))
        } else {
            requests.append(.init(GetNameRequest(), answers: GetNameResponse.self))
        }
        if !isPairing { requests.append(.init(GetFirmwareVersionRequest(), answers: GetFirmwareVersionResponse.self)) }
        sendRequests(now: now, into: &actions)
    }

    /// Asks for the advertising that is wished for, one request at a time: what is wished meanwhile is asked for when it is answered.
    mutating func requestAdvertising(now: Duration, into actions: inout [Action]) {
        guard firmwareVersion >= 6 || peer.dialect == .twist, !isAdvertisingConfigured, requestedAdvertising == nil else { return }
        requestedAdvertising = settings.advertising
        ask(.init(advertisingRequest, answers: SetAdvParametersResponse.self), now: now, into: &actions)
    }

    private var advertisingRequest: SetAdvParametersRequest {
        var request = SetAdvParametersRequest()
        request.isActive = settings.advertising.isActive ? 1 : 0
        request.withShortRange = 1
        request.firstInterval = settings.advertising.firstInterval
        request.laterInterval = settings.advertising.laterInterval
        request.timeoutSeconds = settings.advertising.duration
        return request
    }

    mutating func sendConnectionParameters(into actions: inout [Action]) {
        var indication = SetConnectionParametersInd()
        indication.minimumInterval = settings.connectionParameters.minimumInterval
        indication.maximumInterval = settings.connectionParameters.maximumInterval
        indication.latency = settings.connectionParameters.latency
        indication.timeout = settings.connectionParameters.timeout
        send(indication, into: &actions)
    }

    /// Tells the button the time of an idle link, unless it knows.
    mutating func sendAutoDisconnectTime(into actions: inout [Action]) {
        var indication = SetAutoDisconnectTimeInd()
        indication.autoDisconnectTime = min(settings.autoDisconnectTime, 511)
        guard indication.autoDisconnectTime != toldAutoDisconnectTime else { return }
        toldAutoDisconnectTime = indication.autoDisconnectTime
        send(indication, into: &actions)
    }

    /// Asks for a battery sample and sets the time for the next one.
    mutating func requestBattery(now: Duration, into actions: inout [Action]) {
        phase = .running(nextBattery: now + settings.batteryInterval)
        ask(.init(GetBatteryLevelRequest(), answers: GetBatteryLevelResponse.self), now: now, into: &actions)
    }

    /// Asks a question, if none is open, only to have it answered: an unanswered one ends the session.
    package mutating func probe(now: Duration, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.probe, now, actions[first...]) }
        askAnything(now: now, into: &actions)
    }

    mutating func askAnything(now: Duration, into actions: inout [Action]) {
        guard case .running = phase, requests.deadline == nil else { return }
        ask(.init(GetBatteryLevelRequest(), answers: GetBatteryLevelResponse.self), now: now, into: &actions)
    }

    private mutating func apply(_ outcome: NameSync.Outcome, now: Duration, into actions: inout [Action]) {
        switch outcome {
        case .send(let request): ask(.init(request, answers: SetNameResponse.self), now: now, into: &actions)
        case .confirmed(let rename): actions.append(.renameConfirmed(rename))
        case .changed(let name): actions.append(.nameChanged(name))
        case .nothing: break
        }
    }

    // MARK: Requests

    mutating func ask(_ request: RequestQueue.Request, now: Duration, into actions: inout [Action]) {
        requests.append(request)
        sendRequests(now: now, into: &actions)
    }

    mutating func sendRequests(now: Duration, into actions: inout [Action]) {
        while let request = requests.next(deadline: now + settings.requestTimeout) { send(body: request.body, into: &actions) }
    }
}

/// A start-up that says what the button may send of its queue (protocol 7.3).
package protocol QueueLimiting {
    var autoDisconnectTime: UInt16 { get set }
    var maximumQueued: UInt8 { get set }
    var maximumAge: UInt32 { get set }
}

extension InitButtonEventsLightRequest: QueueLimiting {}
extension InitButtonEventsDuoLightRequest: QueueLimiting {}
