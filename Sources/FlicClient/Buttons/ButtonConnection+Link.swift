import EventLoops
import FlicProtocol
import GATT

/// The link: from being heard to its end.
extension ButtonConnection {
    /// The button was heard, and it is its turn.
    mutating func open(now: Duration, into actions: inout [Action]) {
        guard canOpen(now: now) else { return }
        isLinkedByOthers = false
        link = .opening(nil)
        actions.append(.open)
    }

    /// Somebody else has a link to the button, which can be shared.
    mutating func join(now: Duration, into actions: inout [Action]) {
        guard case .waiting = link else { return }
        // After the pause, if there is one: it will not be heard while the others have it.
        isLinkedByOthers = true
        open(now: now, into: &actions)
    }

    /// Finds out whether the link is still one: the button advertised, as it does only without a link (protocol 2.2), or time has passed of which
    /// nothing is known. A link that is none gives no answer.
    mutating func probe(now: Duration, into actions: inout [Action]) {
        guard case .up = link, isReady else { return }
        withSession(now: now, into: &actions) { $0.probe(now: now, into: &$1) }
    }

    /// The link asked for by ``Action/open`` has this name.
    mutating func opened(_ id: LinkID) {
        if case .opening(nil) = link { link = .opening(id) }
    }

    /// Something happened to a link. Events of any but the current one are of no interest.
    mutating func receive(_ event: LinkEvent, on id: LinkID, now: Duration, random: () -> HostSession.Randomness, into actions: inout [Action]) {
        guard id == linkID else { return }
        switch (event, link) {
        case (.closed(let error), _):
            closed(error, now: now, into: &actions)
        case (.connected, .opening):
            link = .up(id, mtu: nil)
            failedOpenings = 0
            hasToldConnected = true
            tell(.connected, into: &actions)
        case (.ready(let mtu), .up):
            link = .up(id, mtu: mtu)
            uselessLinks = 0
            startSession(now: now, random: random, into: &actions)
        case (.value(let frame, _), .up):
            heardAt = now
            withSession(now: now, into: &actions) { session, sessionActions in
                session.receive(frame.span, now: now, into: &sessionActions)
            }
        case (.connected, _), (.ready, _), (.value, _):
            break
        }
    }

    private mutating func closed(_ error: LinkError?, now: Duration, into actions: inout [Action]) {
        let wasOnPurpose = if case .closing = link { true } else { false }
        var pause = Duration.zero
        if !wasOnPurpose, let error, let failure = error.failureForGood {
            uselessLinks += 1
            guard uselessLinks < Self.mostUselessLinks else {
                uselessLinks = 0
                fail(failure, into: &actions)
                return
            }
            pause = self.pause(after: uselessLinks)
            actions.append(.log("useless link: \(error)"))
        } else if !hasToldConnected && !wasOnPurpose {
            // Never made: it may be out of reach, or the air crowded. No attempt follows upon another without a pause.
            failedOpenings += 1
            pause = self.pause(after: failedOpenings)
            actions.append(.log("no link: \(error.map(\.description) ?? "closed")"))
        }
        link = record.wantsConnection ? .waiting(notBefore: now + pause) : .none
        linkEnded(wasOnPurpose ? nil : error ?? LinkError(.closedByPeer), into: &actions)
    }

    private mutating func pause(after failures: Int) -> Duration {
        jitter.spread(Self.reopenPause.backOff(after: failures))
    }

    /// Forgets all that belongs to the link, and tells that it is gone if it was told that it is there.
    mutating func linkEnded(_ error: LinkError?, into actions: inout [Action]) {
        finishQueue(into: &actions)
        session = nil
        firmwareSessionEnded(into: &actions)
        trouble = Trouble()
        isReady = false
        downs = []
        judge.linkLost()
        guard hasToldConnected else { return }
        hasToldConnected = false
        tell(.disconnected(error), into: &actions)
    }

    /// The adapter is gone or switched off, and every link with it.
    mutating func bluetoothLost(_ error: LinkError, now: Duration, into actions: inout [Action]) {
        guard linkID != nil else { return }
        let wasOnPurpose = if case .closing = link { true } else { false }
        link = record.wantsConnection ? .waiting(notBefore: now) : .none
        linkEnded(wasOnPurpose ? nil : error, into: &actions)
    }

    /// Does what is due at `now`.
    mutating func tick(now: Duration, random: () -> HostSession.Randomness, into actions: inout [Action]) {
        if isLinkedByOthers { open(now: now, into: &actions) }
        if let retryAt = trouble.retryAt, retryAt <= now {
            trouble.retryAt = nil
            startSession(now: now, random: random, into: &actions)
        }
        withSession(now: now, into: &actions) { $0.tick(now: now, into: &$1) }
        var decided: [PressEvent] = []
        judge.tick(now: now) { decided.append($0) }
        for event in decided { receive(event, into: &actions) }
        tickFirmware(now: now, into: &actions)
    }
}

extension LinkError {
    /// The failure for good that the error is for a paired button; nil where another attempt may succeed (contract B.8).
    fileprivate var failureForGood: FlicError? {
        switch code {
        case .serviceNotFound: FlicError(.serviceNotFound, detail: detail)
        case .notifyRefused: FlicError(.notifyRefused, detail: detail)
        case .bondingRequired: FlicError(.bondingRequired, detail: detail)
        case .notPoweredOn, .timeout, .closedByPeer, .limitReached, .failed: nil
        }
    }
}
