import FlicProtocol

/// Everything that happens because time passes.
extension ButtonFirmware {
    /// When the button next needs the clock, in ticks; nil if it can sleep until something else happens.
    package var deadline: UInt64? {
        var times: [UInt64] = [classificationDue(encoder), classificationDue(duo.encoder), publicModeDue, publicModeEnd, pressAdvertisingEnd]
            .compactMap { $0 }
        if let plan { times += [plan.slowsDown > clock ? plan.slowsDown : plan.end, plan.end] }
        if let link {
            if let time = linkDue(link) { times.append(time) }
            for connection in link.connections {
                switch connection.phase {
                case .verifying(_, let since): times.append(since + settings.sessionlessTime.ticks)
                case .session(let session):
                    times += [session.nextPing, session.pingDeadline].compactMap { $0 } + session.apiTimers.map(\.due)
                }
            }
        }
        return times.min()
    }

    /// Does what is due up to a time, in order.
    mutating func proceed(to time: UInt64) {
        // Beyond the range of its clock a button has other worries; the limit keeps sums from overflowing.
        let time = min(time, Duration.largestTicks)
        while let due = deadline, due <= time {
            clock = max(clock, due)
            fire()
        }
        clock = max(clock, time)
    }

    private mutating func fire() {
        if let due = classificationDue(encoder), due <= clock { record(encoder.advance(to: clock)) }
        if let due = classificationDue(duo.encoder), due <= clock { recordDuo(duo.encoder.advance(to: clock), of: .small) }
        if let due = publicModeDue, due <= clock {
            heldSince = nil
            beginPublicMode()
        }
        if let end = publicModeEnd, end <= clock { publicModeEnd = nil }
        if let end = plan?.end, end <= clock { plan = nil }
        if let end = pressAdvertisingEnd, end <= clock { pressAdvertisingEnd = nil }
        guard let link else { return }
        for connection in link.connections {
            switch connection.phase {
            case .verifying(_, let since):
                // The client has gone away without giving its id back.
                if since + settings.sessionlessTime.ticks <= clock { release(connection.id) }
            case .session(let session): fire(session, connection.id)
            }
        }
        if let current = self.link, let due = linkDue(current), due <= clock { closeLink() }
    }

    private mutating func fire(_ session: Session, _ id: UInt8) {
        for timer in session.apiTimers where timer.due <= clock {
            var packet = ApiTimerNotification()
            packet.message = timer.message
            send(packet, to: id)
        }
        withSession(id) { [clock] session in session.apiTimers.removeAll { $0.due <= clock } }
        if let due = session.pingDeadline, due <= clock {
            endSession(id, .pingNotAnswered)
        } else if let due = session.nextPing, due <= clock {
            sendPing(to: id)
        }
    }

    mutating func sendPing(to id: UInt8) {
        send(PingRequest(), to: id)
        withSession(id) { [clock, settings] in
            $0.nextPing = settings.pingInterval.map { clock + max($0.ticks, 1) }
            $0.pingDeadline = $0.pingDeadline ?? (clock + max(settings.pingPatience.ticks, 1))
        }
    }

    /// When the classifier's timer fires: a tick behind its time, because an edge at that very time comes first (protocol 8).
    private func classificationDue(_ encoder: PressEncoder) -> UInt64? {
        encoder.deadline.map { deadline in
            let left = (deadline &- clock) & 0xFFFF_FFFF_FFFF
            return left > 1 << 47 ? clock : clock + left + 1
        }
    }

    private var publicModeDue: UInt64? { heldSince.map { $0 + settings.holdForPublicMode.ticks } }

    /// When the button closes the link: without a session for too long, or idle for longer than all clients wish (protocol 9.6).
    private func linkDue(_ link: Link) -> UInt64? {
        let sessions = link.connections.compactMap(\.session)
        guard let latest = sessions.map(\.lastActivity).max() else { return link.sessionlessSince + settings.sessionlessTime.ticks }
        let times = sessions.map(\.autoDisconnectTime)
        // Zero does not mean "at once": a client that sends it keeps its link.
        guard let longest = times.max(), longest != 511, !times.contains(0) else { return nil }
        return latest + UInt64(max(longest, 40)) << 15
    }

    /// The finger moved: no session is idle.
    mutating func noteActivity() {
        for id in sessionIDs { withSession(id) { [clock] in $0.lastActivity = clock } }
    }
}
