/// Firmware updates (protocol 9.4): a ``FirmwareTransfer`` beside everything else that goes on in a session.
extension HostSession {
    /// How far an update is, in bytes of the payload.
    package struct FirmwareProgress: Hashable, Sendable {
        /// The button has said that it has these.
        package var acknowledged: Int
        package var sent: Int
        package var total: Int

        package init(acknowledged: Int, sent: Int, total: Int) {
            self.acknowledged = acknowledged
            self.sent = sent
            self.total = total
        }
    }

    /// Why an update came to nothing. The session goes on.
    package enum FirmwareFailure: Hashable, Sendable {
        /// The session is not running yet, or no longer.
        case notRunning
        /// The app has given it up.
        case aborted
        /// The button does not take an image of this length.
        case invalidParameters
        /// Another client updates the button.
        case busy
        /// An update is complete already; the button has to restart first.
        case awaitsRestart
        /// The button refuses for a reason we do not know.
        case refused(Int32)
        /// The button has named a position, in its own unit, that cannot be.
        case impossiblePosition(Int32)
        /// The button has got all of it, and the signature is wrong.
        case invalidSignature
        /// The button has not acknowledged anything for too long.
        case stalled
    }

    /// Whether the start-up events are through, so that everything may be asked.
    package var isRunning: Bool { if case .running = phase { true } else { false } }

    /// Begins to update the button, where it has been interrupted if it was. Only in a running session; one that is under way is given up.
    ///
    /// Answered with ``Action/firmwareProgress(_:)``, at last with ``Action/firmwareInstalled`` or ``Action/firmwareFailed(_:)``; with neither if the
    /// session ends before.
    ///
    /// - Parameter wasSent: All of the image was sent in an earlier session, and no answer to that has arrived.
    package mutating func updateFirmware(_ image: FirmwareImage, wasSent: Bool, now: Duration, into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.updateFirmware(image, wasSent: wasSent), now, actions[first...]) }
        guard isRunning else {
            actions.append(.firmwareFailed(.notRunning))
            return
        }
        giveUpTransfer(into: &actions)
        let transfer = FirmwareTransfer(image, wasSent: wasSent)
        self.transfer = transfer
        ask(image.startRequest, now: now, into: &actions)
    }

    /// Gives the update under way up. The button keeps what it has.
    package mutating func abortFirmwareUpdate(into actions: inout [Action]) {
        let first = actions.count
        defer { observer?(.abortFirmwareUpdate, nil, actions[first...]) }
        giveUpTransfer(into: &actions)
    }

    private mutating func giveUpTransfer(into actions: inout [Action]) {
        guard let given = transfer else { return }
        transfer = nil
        if given.isAsking, !requests.withdraw(given.image.startRequest) { abandonedStarts += 1 }
        actions.append(.firmwareFailed(.aborted))
    }

    /// ← 18, which was asked for.
    mutating func firmwareStarted(at position: Int32, now: Duration, into actions: inout [Action]) {
        guard abandonedStarts == 0 else {
            abandonedStarts -= 1
            actions.append(.ignored(.unrequested(opcode: StartFirmwareUpdateResponse.opcode)))
            return
        }
        let steps = transfer?.started(at: position, now: now)
        apply(steps ?? [.ignored], to: StartFirmwareUpdateResponse.opcode, into: &actions)
    }

    /// ← 19.
    mutating func firmwareAcknowledged(_ position: Int32, now: Duration, into actions: inout [Action]) {
        let steps = transfer?.acknowledged(position, now: now)
        apply(steps ?? [.ignored], to: FirmwareUpdateNotification.opcode, into: &actions)
    }

    mutating func tickFirmware(now: Duration, into actions: inout [Action]) {
        let steps = transfer?.tick(now: now)
        apply(steps ?? [], to: 0, into: &actions)
    }

    private mutating func apply(_ steps: [FirmwareTransfer.Step], to opcode: UInt8, into actions: inout [Action]) {
        for step in steps {
            switch step {
            case .send(let body): send(body: body, into: &actions)
            case .progress(let progress): actions.append(.firmwareProgress(progress))
            case .installed:
                transfer = nil
                actions.append(.firmwareInstalled)
            case .failed(let failure):
                transfer = nil
                actions.append(.firmwareFailed(failure))
            case .ignored: actions.append(.ignored(.unexpected(opcode: opcode)))
            }
        }
    }
}
