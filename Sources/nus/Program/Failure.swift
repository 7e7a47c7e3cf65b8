import GATT

/// Why a command did not do what it was asked for.
struct Failure: Error, Equatable {
    let code: ExitCode
    /// One word for programs.
    let reason: String
    /// For people: what is wrong, and what to do about it.
    let message: String

    init(_ code: ExitCode, _ reason: String, _ message: String) {
        self.code = code
        self.reason = reason
        self.message = message
    }

    /// What was thrown by whatever a command uses.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case is CancellationError: self.init(.interrupted, "interrupted", "Interrupted.")
        default: self.init(.failed, "failed", "\(error)")
        }
    }

    /// Bluetooth cannot be used in this state; nil if it can, or if that is not known yet.
    ///
    /// - Parameter problem: What the transport knows about the cause: a sentence.
    init?(_ state: CentralState, problem: String?) {
        switch state {
        case .unknown, .poweredOn: return nil
        case .unsupported(.missing):
            let problem = problem ?? "Bluetooth is not available: there is no system bus, no Bluetooth service, or no adapter."
            self.init(.bluetoothUnavailable, "unsupported", problem)
        case .unsupported(.tooOld):
            self.init(.bluetoothUnavailable, "tooOld", problem ?? "The system's Bluetooth is too old; BlueZ 5.55 or later is needed.")
        case .unauthorized:
            self.init(.denied, "unauthorized", problem ?? "The system refuses access to Bluetooth.")
        case .poweredOff:
            self.init(.bluetoothUnavailable, "poweredOff", problem ?? "Bluetooth is switched off; 'bluetoothctl power on' switches it on.")
        case .resetting:
            self.init(.bluetoothUnavailable, "resetting", "The Bluetooth service is restarting; try again in a few seconds, or with '--wait'.")
        }
    }
}
