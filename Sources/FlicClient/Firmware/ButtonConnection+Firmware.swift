import EventLoops
import FlicProtocol

/// The firmware update of a button, if there is one.
extension ButtonConnection {
    /// Why no update can begin now; nil if one can.
    func firmwareRefusal(of image: FirmwareImage) -> (any Error)? {
        if record.isUnpaired { return FlicError(.unpaired) }
        if !record.wantsConnection { return FirmwareError(.notConnecting) }
        if image.product != record.product.image { return FirmwareError(.wrongProduct) }
        return firmware == nil ? nil : FirmwareError(.alreadyUpdating)
    }

    /// Begins an update; ``firmwareRefusal(of:)`` is nil.
    mutating func updateFirmware(_ image: FirmwareImage, patience: Duration, now: Duration, into actions: inout [Action]) {
        firmware = FirmwareJob(image, patience: patience, version: record.firmwareVersion, now: now)
        guard session?.isRunning == true else {
            actions.append(.firmware(.waiting))
            return
        }
        carryOutNow(firmware?.sessionRuns(isNew: false), now: now, into: &actions)
    }

    /// Gives the update up; the button keeps what it has.
    mutating func endFirmwareUpdate(_ error: (any Error)?, now: Duration, into actions: inout [Action]) {
        guard firmware != nil else { return }
        forgetFirmwareUpdate(error, into: &actions)
        withSession(now: now, into: &actions) { $0.abortFirmwareUpdate(into: &$1) }
    }

    /// The same where the session ends anyway.
    mutating func forgetFirmwareUpdate(_ error: (any Error)?, into actions: inout [Action]) {
        guard firmware != nil else { return }
        firmware = nil
        actions.append(.firmwareEnded(error))
    }

    /// Does what steps of the update say. What the session has to do then is added to what it does already.
    mutating func carryOut(_ steps: [FirmwareJob.Step]?, now: Duration, into actions: inout [Action]) {
        for step in steps ?? [] {
            switch step {
            case .begin(let image, let wasSent):
                session?.updateFirmware(image, wasSent: wasSent, now: now, into: &sessionActions)
            case .tell(let update): actions.append(.firmware(update))
            case .end(let error):
                firmware = nil
                session?.abortFirmwareUpdate(into: &sessionActions)
                actions.append(.firmwareEnded(error))
            }
        }
    }

    /// The session is gone; the update is not.
    mutating func firmwareSessionEnded(into actions: inout [Action]) {
        for case .tell(let update) in firmware?.sessionEnded() ?? [] { actions.append(.firmware(update)) }
    }

    mutating func tickFirmware(now: Duration, into actions: inout [Action]) {
        carryOutNow(firmware?.tick(now: now), now: now, into: &actions)
    }

    private mutating func carryOutNow(_ steps: [FirmwareJob.Step]?, now: Duration, into actions: inout [Action]) {
        guard let steps, !steps.isEmpty else { return }
        carryOut(steps, now: now, into: &actions)
        withSession(now: now, into: &actions) { _, _ in }
    }
}
