import GATT

/// Advertising: one advertisement at a time, through power cycles, until stopped or forgotten (contract D.5).
extension PeripheralDesk {
    /// Each start has a number, by which its answer is known.
    enum Advertising {
        case off
        /// Waits for power.
        case held(Int, LocalAdvertisement)
        case starting(Int, AdvertisementID)
        case on(AdvertisementID)

        /// The advertisement that the transport knows of.
        var id: AdvertisementID? {
            switch self {
            case .off, .held: nil
            case .starting(_, let id), .on(let id): id
            }
        }
    }

    func startAdvertising(_ number: Int, _ content: LocalAdvertisement) {
        guard case .off = advertising else { return tell(.advertising(number, Refusal(.alreadyAdvertising))) }
        // The program has not heard yet that Bluetooth has gone.
        guard [.poweredOn, .poweredOff].contains(state) else { return tell(.advertising(number, Refusal(.unknown))) }
        begin(number, content)
    }

    /// One that has not been answered is answered now.
    func stopAdvertising() { endAdvertising(Refusal(.operationCancelled)) }

    /// The transport, or what it needs, has gone.
    func forgetAdvertising() { endAdvertising(Refusal(.unknown)) }

    /// There is power now.
    func advertiseHeld() {
        guard case .held(let number, let content) = advertising else { return }
        begin(number, content)
    }

    private func begin(_ number: Int, _ content: LocalAdvertisement) {
        let id = transport { peripheral in
            peripheral.advertise(content) { [weak self] error in
                self?.assumeIsolated { $0.advertised(number, content, error) }
            }
        }
        advertising = .starting(number, id)
    }

    private func advertised(_ number: Int, _ content: LocalAdvertisement, _ error: PeripheralError?) {
        guard case .starting(number, let id) = advertising else { return }
        switch error {
        case nil:
            advertising = .on(id)
            tell(.advertising(number, nil))
        case .some(let error) where error.code == .notPoweredOn:
            // The power went meanwhile (contract D56).
            advertising = .held(number, content)
        case .some(let error):
            log("not advertising: \(error)")
            advertising = .off
            tell(.advertising(number, Refusal(error)))
        }
    }

    private func endAdvertising(_ reason: Refusal) {
        let former = advertising
        advertising = .off
        if let id = former.id { transport { $0.stopAdvertising(id) } }
        switch former {
        case .off, .on: break
        case .held(let number, _), .starting(let number, _): tell(.advertising(number, reason))
        }
    }
}
