import ClickClassifier
import EventLoops
import FlicProtocol
package import FoundationEssentials

/// Wishes for single buttons, and forgetting them.
extension Flic {
    package func connect(_ id: UUID) {
        let now = loop.now
        update(id) { $0.connect(now: now, into: &$1) }
    }

    package func disconnect(_ id: UUID) {
        update(id) { $0.disconnect(into: &$1) }
    }

    package func setNickname(_ nickname: String?, of id: UUID) {
        let now = loop.now
        let milliseconds = UInt64(max(0, configuration.date().timeIntervalSince1970 * 1000))
        update(id) { $0.rename(nickname, unixMilliseconds: milliseconds, now: now, into: &$1) }
    }

    package func setClickRules(_ rules: ClickRules?, of id: UUID) {
        update(id) { $0.setRules(rules, into: &$1) }
    }

    package func setQueuePolicy(_ policy: QueuePolicy?, of id: UUID) {
        update(id) { $0.setQueuePolicy(policy, into: &$1) }
    }

    /// - Parameter isKept: Whether it holds for later runs of the program, too.
    package func setLatency(_ mode: LatencyMode, of id: UUID, isKept: Bool = true) {
        let now = loop.now
        update(id) { $0.setLatency(mode, isKept: isKept, now: now, into: &$1) }
    }

    package func setAutoDisconnectTime(_ time: Duration?, of id: UUID) {
        let now = loop.now
        update(id) { $0.setAutoDisconnectTime(AutoDisconnectTime(time), now: now, into: &$1) }
    }

    package func setReadvertising(_ mode: ReadvertisingMode, of id: UUID) {
        let now = loop.now
        update(id) { $0.setReadvertising(mode, now: now, into: &$1) }
    }

    func setPushTwist(_ buttons: DuoButtons, of id: UUID) {
        let now = loop.now
        update(id) { $0.setPushTwist(buttons, now: now, into: &$1) }
    }

    package func setTwist(_ configuration: TwistConfiguration?, of id: UUID) {
        let now = loop.now
        update(id) { $0.setTwist(configuration, now: now, into: &$1) }
    }

    package func setTwistPosition(_ position: Double, mode: Int, of id: UUID) {
        let now = loop.now
        let position = UInt16((min(max(position.isNaN ? 0 : position, 0), 1) * Double(TwistConfiguration.wholeTurn)).rounded())
        update(id) { $0.setTwistPosition(position, mode: mode, now: now, into: &$1) }
    }

    /// A button that is to be forgotten, in the order of the calls.
    struct Forgetting {
        let button: FlicButton
        let completion: @Sendable (FlicError?) -> Void
    }

    /// Forgets a button: the pairing is deleted from the store, the link ended, the sequences finished. The button keeps its side of
    /// the pairing until it needs the room.
    ///
    /// - Throws: ``FlicError`` `alreadyForgotten`, or `storeFailed`: then the button stays.
    public func forget(_ button: FlicButton) async throws(FlicError) {
        let error = await withCheckedContinuation { continuation in
            forget(button) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Calls back once, on the loop, in the order of the calls.
    package func forget(_ button: FlicButton, completion: @escaping @Sendable (FlicError?) -> Void) {
        forgetting.append(Forgetting(button: button, completion: completion))
        if forgetting.count == 1 { forgetNext() }
    }

    private func forgetNext() {
        guard let next = forgetting.first else { return }
        // The object, not the identifier: a button that was paired anew has the same one.
        let id = next.button.identifier
        guard entries[id]?.button === next.button else { return forgotten(FlicError(.alreadyForgotten)) }
        spawn { flic in
            do throws(PairingStoreError) {
                try await flic.save(without: id)
                if flic.entries[id]?.button === next.button { flic.forgetNow(id) } else { flic.saveSoon() }  // paired anew meanwhile
                flic.forgotten(nil)
            } catch {
                flic.forgotten(FlicError(.storeFailed, detail: error.description))
            }
        }
    }

    private func forgotten(_ error: FlicError?) {
        forgetting.removeFirst().completion(error)
        forgetNext()
    }

    /// The list is without the button before the end of its link is told.
    private func forgetNow(_ id: UUID) {
        guard let entry = entries[id] else { return }
        order.removeAll { $0 == id }
        update(id) { $0.forget(into: &$1) }
        entry.button.finish()
        remove(id)
    }
}
