/// What is different in a session with a Flic Twist: start-up with a configuration, and rotation (protocol 14).
extension HostSession {
    /// The highest version of the interface that both sides know: with it, events say in which mode they happened.
    private static let twistVersion: UInt8 = 2

    /// The first packet of the session: where to resume, and how the knob is to behave.
    mutating func requestTwistEvents(now: Duration, into actions: inout [Action]) {
        var request = Twist.InitButtonEventsRequest()
        request.eventCount = events.position.eventCount
        request.bootID = events.position.bootID
        request.configuration = settings.twist
        request.apiVersion = Self.twistVersion
        toldTwist = settings.twist
        ask(.init(request, answers: Twist.InitButtonEventsResponse.self), now: now, into: &actions)
    }

    /// - Returns: Whether the packet is one that only a Twist has, or has in another form.
    mutating func receiveTwist(_ body: Span<UInt8>, now: Duration, into actions: inout [Action]) -> Bool {
        switch body[0] {
        case Twist.InitButtonEventsResponse.sessionOpcode:
            guard let response = decode(Twist.InitButtonEventsResponse.self, body, into: &actions) else { return true }
            events.items = .twist(hasMode: response.apiVersion == Self.twistVersion)
            started(
                bootID: response.bootID,
                eventCount: response.eventCount,
                timestamp: response.timestamp,
                hasQueuedEvents: response.hasQueuedEvents,
                now: now,
                into: &actions
            )
        case Twist.TwistEventNotification.sessionOpcode: receiveRotation(body, into: &actions)
        case Twist.ChangeConfigResponse.sessionOpcode:
            guard decode(Twist.ChangeConfigResponse.self, body, into: &actions) != nil else { return true }
            sendRequests(now: now, into: &actions)
        default: return false
        }
        return true
    }

    private mutating func receiveRotation(_ body: Span<UInt8>, into actions: inout [Action]) {
        guard let notification = Twist.TwistEventNotification(sessionBody: body) else { return actions.append(.ignored(.tooShort)) }
        guard events.hasStarted else { return actions.append(.ignored(.unexpected(opcode: Twist.TwistEventNotification.sessionOpcode))) }
        if let turn = rotation.receive(notification) {
            actions.append(.rotated(turn))
        } else {
            actions.append(.ignored(.impossible))
        }
        for update in rotation.updates(after: notification) { send(update, into: &actions) }
    }

    // MARK: Wishes of the app

    /// Moves the window of a mode of a Flic Twist, so that it stands at `position`: at once if the session has begun, else in its start-up.
    ///
    /// - Parameters:
    ///   - position: 0 to 49,152; more is taken as that.
    ///   - mode: 0 to 12; others mean nothing.
    package mutating func setTwistPosition(_ position: UInt16, mode: UInt8, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.setTwistPosition(position, mode: mode), nil, actions[first...]) }
        guard mode < Twist.Configuration.count else { return }
        let position = min(position, UInt16(Twist.turn))
        if toldTwist == nil {
            settings.twist[Int(mode)].position = position
            rotation = TwistRotation(settings.twist)
        } else if isEstablished, let update = rotation.show(position, mode: mode) {
            send(update, into: &actions)
        }
    }

    /// Changes how a Flic Twist behaves: at once if the session is running, else in its start-up. Its positions stay where they are.
    package mutating func setTwist(_ configuration: Twist.Configuration, now: Duration, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.setTwist(configuration), now, actions[first...]) }
        settings.twist = TwistRotation(settings.twist).present(in: configuration)
        if isRunning { tellTwist(now: now, into: &actions) }
    }

    /// Tells the Twist what it does not know yet.
    mutating func tellTwist(now: Duration, into actions: inout [Action]) {
        guard let told = toldTwist, told != settings.twist else { return }
        toldTwist = settings.twist
        var request = Twist.ChangeConfigRequest()
        request.configuration = rotation.present(in: settings.twist)
        ask(.init(request, answers: Twist.ChangeConfigResponse.self), now: now, into: &actions)
    }
}
