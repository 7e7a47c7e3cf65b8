import FlicClient
import GATT

/// What happens, from the loop to the delegates.
///
/// Changes are applied on the delivery queue, each right before the call that tells of it (contract A26). Delegates are read then, too.
extension FLICManager {
    /// Starts to listen.
    package func start() {
        wire?.call { flic in
            flic.observe { [weak self] notice in self?.heard(notice) }
            flic.begin()
        }
    }

    /// On the loop.
    private func heard(_ notice: FlicNotice) {
        guard let wire else { return }
        let flic = wire.flic
        switch notice {
        case .restored(let buttons):
            let snapshots = buttons.map { ButtonSnapshot($0) }
            wire.queue.async { self.restored(snapshots) }
        case .buttonsChanged(let buttons):
            let snapshots = buttons.map { ButtonSnapshot($0) }
            wire.queue.async { self.buttonsChanged(snapshots) }
        case .state(let state):
            wire.queue.async { self.stateChanged(FLICManagerState(state)) }
        case .button(let button, let notice, let info):
            var isListed = true
            // A link that ends because its button is being forgotten: it is out of the list already (contract B.6.5).
            if case .disconnected = notice { isListed = flic.assumeIsolated { $0.buttons.contains { $0 === button } } }
            wire.queue.async { [isListed] in self.deliver(notice, info, of: button, isListed: isListed) }
        }
    }

    /// Makes a call on the delivery queue, but not before the restore has been told.
    func deliver(_ call: @escaping @Sendable () -> Void) {
        shown.withLock { shown in
            guard shown.heldCalls == nil else {
                shown.heldCalls?.append(call)
                return
            }
            wire?.queue.async(execute: call)
        }
    }

    // MARK: On the delivery queue

    private func restored(_ snapshots: [ButtonSnapshot]) {
        buttonsChanged(snapshots)
        delegate?.managerDidRestoreState(self)
        let calls = shown.withLock { shown in
            defer { shown.heldCalls = nil }
            return shown.heldCalls ?? []
        }
        for call in calls { call() }
    }

    /// Takes over a list. Buttons that are known keep their objects.
    private func buttonsChanged(_ snapshots: [ButtonSnapshot]) {
        guard let wire else { return }
        shown.withLock { shown in
            let known = shown.buttons
            shown.buttons = snapshots.map { snapshot in
                guard let button = known.first(where: { $0.button === snapshot.button }) else {
                    return FLICButton(snapshot, isPairing: false, delegate: shown.buttonDelegate, wire: wire)
                }
                button.learn(snapshot)
                return button
            }
            for button in known where !shown.buttons.contains(where: { $0 === button }) { button.forget() }
        }
    }

    private func stateChanged(_ state: FLICManagerState) {
        let isNew = shown.withLock { shown in
            defer { shown.state = state }
            return shown.state != state
        }
        if isNew { delegate?.manager(self, didUpdate: state) }
    }

    private func deliver(_ notice: ButtonNotice, _ info: ButtonInfo, of button: FlicButton, isListed: Bool) {
        guard let button = shown.withLock({ $0.buttons.first { $0.button === button } }) else { return }
        if !isListed { remove(button) }
        button.deliver(notice, info)
    }

    /// Nothing is done with the button any more.
    func remove(_ button: FLICButton) {
        shown.withLock { shown in shown.buttons.removeAll { $0 === button } }
        button.forget()
    }
}

extension FLICManagerState {
    fileprivate init(_ state: CentralState) {
        self =
            switch state {
            case .unknown: .unknown
            case .resetting: .resetting
            case .unsupported: .unsupported
            case .unauthorized: .unauthorized
            case .poweredOff: .poweredOff
            case .poweredOn: .poweredOn
            }
    }
}
