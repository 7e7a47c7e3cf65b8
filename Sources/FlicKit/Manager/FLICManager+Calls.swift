import FlicClient

/// What a program asks of the manager.
extension FLICManager {
    func scan(_ scan: Scan) {
        guard let wire else {
            return DispatchQueue.main.async { scan.completion(nil, NSError(FLICError.notConfigured)) }
        }
        let isFirst = shown.withLock { shown in
            guard shown.scan == nil else { return false }
            shown.scan = scan
            // Under the lock, as in `stopScan`.
            wire.call { flic in self.start(scan, on: flic) }
            return true
        }
        if !isFirst {
            let error = NSError.scanFailure(FlicError(.alreadyPairing))
            deliver { scan.completion(nil, error) }
        }
    }

    private func start(_ scan: Scan, on flic: isolated Flic) {
        flic.startPairing(
            step: { step in self.deliver { scan.handler(FLICButtonScannerStatusEvent(step)) } },
            completion: { result in
                let result = result.map { ButtonSnapshot($0) }
                self.deliver { self.finish(scan, result) }
            }
        )
    }

    /// On the delivery queue. The button is in the list, and the scan is over, before the completion hears of it (contract B23, B26).
    private func finish(_ scan: Scan, _ result: Result<ButtonSnapshot, FlicError>) {
        switch result {
        case .success(let snapshot):
            guard let wire else { return }
            let button = shown.withLock { shown in
                shown.scan = nil
                // The void pairing of the same button, if there was one, is forgotten silently (contract B.6.8).
                for replaced in shown.buttons where replaced.identifier == snapshot.info.identifier { replaced.forget() }
                shown.buttons.removeAll { $0.identifier == snapshot.info.identifier }
                let button = FLICButton(snapshot, isPairing: true, delegate: shown.buttonDelegate, wire: wire)
                shown.buttons.append(button)
                return button
            }
            scan.completion(button, nil)
        case .failure(let error):
            shown.withLock { $0.scan = nil }
            scan.completion(nil, NSError.scanFailure(error))
        }
    }

    func forget(_ button: FLICButton, _ completion: @escaping @Sendable (UUID, (any Error)?) -> Void) {
        let identifier = button.identifier
        guard let wire else {
            return DispatchQueue.main.async { completion(identifier, NSError(FLICError.notConfigured)) }
        }
        guard let known = button.button else {
            return deliver { completion(identifier, NSError(FLICError.alreadyForgotten)) }
        }
        wire.call { flic in
            flic.forget(known) { error in
                self.deliver {
                    if error == nil { self.remove(button) }
                    completion(identifier, error.map(NSError.failure))
                }
            }
        }
    }
}
