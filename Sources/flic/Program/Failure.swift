import FlicBridge
import FoundationEssentials

/// Why a command did not do what it was asked for.
struct Failure: Error, Equatable {
    let code: ExitCode
    /// One word for programs.
    let reason: String
    /// For people: what is wrong, and what to do about it.
    let message: String
    /// The words of the layers below, for the log.
    var detail = ""

    init(_ code: ExitCode, _ reason: String, _ message: String) {
        self.code = code
        self.reason = reason
        self.message = message
    }

    /// What was thrown by whatever a command uses.
    init(thrown error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as FlicError: self.init(error)
        case let error as FirmwareError: self.init(error)
        case let problem as ButtonChoice.Problem: self.init(problem)
        case let error as PairingStoreError: self.init(error)
        case let error as PairingArchiveError: self.init(error)
        case let error as TraceError: self.init(error)
        case let error as SocketError: self.init(error)
        case let refusal as BridgeRefusal: self.init(refusal)
        case let error as ConfigurationError: self.init(error)
        case is CancellationError: self.init(.interrupted, "interrupted", "Interrupted.")
        default: self.init(.failed, "failed", "\(error)")
        }
    }
}

// MARK: Buttons

extension Failure {
    init(_ error: FlicError) {
        let (code, message) = Self.explanation(of: error)
        self.init(code, error.code.rawValue, message)
        detail = error.detail
    }

    private static func explanation(of error: FlicError) -> (ExitCode, String) {
        switch error.code {
        case .bluetoothUnavailable: (.bluetoothUnavailable, "Bluetooth is not available, or was switched off meanwhile; 'flic doctor' says why.")
        case .systemTooOld: (.bluetoothUnavailable, tooOld)
        case .alreadyPairing: (.failed, "Another button is just being paired; wait until that is done.")
        case .cancelled: (.interrupted, "Interrupted.")
        case .noButtonFound:
            (.noButtonFound, "No button in pairing mode was found; hold a button down for seven seconds, then try again, or see 'flic doctor'.")
        case .connectedElsewhere: (.refused, "The button is connected to another device; disconnect it there, then try again.")
        case .timedOut: (.timedOut, "The button did not answer in time; bring it closer and try again, or see 'flic doctor'.")
        case .connectFailed: (.failed, "The button could not be connected; bring it closer and try again, or see 'flic doctor' ('-v' tells more).")
        case .connectionLimitReached:
            (.failed, "The adapter can hold no more connections; end one of them and try again ('flic doctor' counts them).")
        case .serviceNotFound: (.failed, "The button's Bluetooth services were not found; bring it closer and try again.")
        case .notifyRefused: (.failed, "The button's notifications could not be switched on; try again ('-v' tells more).")
        case .bondingRequired:
            (.failed, "The system insists on bonding, which buttons do not do; take the device out with 'bluetoothctl remove' first.")
        case .linkLost: (.failed, "The connection was lost; bring the button closer and try again, or see 'flic doctor'.")
        case .wrongAddress: (.failed, "The button's certificate names another address, so it is not genuine; do not use it.")
        case .notGenuine: (.failed, "The button could not be proven genuine; try again, and if it is a simulated one, see '--trust-test-root'.")
        case .invalidVerifier: (.failed, "The button could not verify this program; try again.")
        case .notInPublicMode: (.refused, "The button is no longer in pairing mode; hold it down for seven seconds, then try again.")
        case .wrongBrand: (.refused, "The button belongs to another brand, and works with that brand's app only.")
        case .tooManyApps: (.refused, "Too many apps are connected to the button; disconnect one of them, then try again.")
        case .signatureMismatch: (.failed, "The button's signature could not be verified; forget the button and pair it anew.")
        case .invalidUUID: (.failed, "The button's identity is not the one that was stored; forget the button and pair it anew.")
        case .unpaired: (.notPaired, "The button is no longer paired; forget it ('flic forget') and pair it anew ('flic pair').")
        case .alreadyForgotten: (.notPaired, "The button has already been forgotten; 'flic list' shows those that are paired.")
        case .storeFailed: (.failed, "The paired buttons could not be written: \(error.detail)")
        }
    }

    private static let tooOld = "The system's Bluetooth is too old; BlueZ 5.55 or later is needed."
}

extension Failure {
    init(_ problem: ButtonChoice.Problem) {
        switch problem {
        case .ambiguous(let text, let serialNumbers):
            let list = serialNumbers.joined(separator: ", ")
            self.init(.usage, "ambiguousButton", "'\(text)' may be any of \(list); name one of these.")
        case .unknown(let text):
            self.init(.notPaired, "unknownButton", "No button '\(text)' is paired; 'flic list' shows those that are.")
        }
    }
}

// MARK: Bluetooth

extension Failure {
    /// Bluetooth cannot be used in this state; nil if it can.
    ///
    /// - Parameter problem: What the transport knows about the cause: a sentence.
    init?(_ state: CentralState, problem: String?) {
        switch state {
        case .poweredOn: return nil
        case .unknown, .unsupported(.missing):
            let problem = problem ?? "Bluetooth is not available: there is no system bus, no Bluetooth service, or no adapter."
            self.init(.bluetoothUnavailable, "unsupported", "\(problem) 'flic doctor' finds the cause.")
        case .unsupported(.tooOld):
            self.init(.bluetoothUnavailable, "tooOld", problem ?? Self.tooOld)
        case .unauthorized:
            let problem = problem ?? "The system refuses access to Bluetooth."
            self.init(.denied, "unauthorized", "\(problem) 'flic doctor' says whether it is the D-Bus policy, AppArmor or a container.")
        case .poweredOff:
            let cure = "Bluetooth is switched off; 'bluetoothctl power on' switches it on, and 'flic doctor' says more."
            self.init(.bluetoothUnavailable, "poweredOff", problem ?? cure)
        case .resetting:
            self.init(.bluetoothUnavailable, "resetting", "The Bluetooth service is restarting; try again in a few seconds, or with '--wait'.")
        }
    }
}

// MARK: Store

extension Failure {
    init(_ error: PairingStoreError) {
        switch error.code {
        case .inUse:
            self.init(.failed, "storeInUse", "\(error.description.withoutFullStop); end that first, or name another directory with '--store'.")
        case .denied:
            self.init(
                .denied,
                "storeDenied",
                "\(error.description.withoutFullStop); 'flic doctor' shows its owner and mode; '--store' names another."
            )
        case .newerVersion:
            self.init(.failed, "storeTooNew", "\(error.description.withoutFullStop); use that version.")
        case .failed:
            self.init(.failed, "storeFailed", "\(error.description.withoutFullStop); see 'flic doctor'.")
        }
    }
}

extension Failure {
    init(_ error: PairingArchiveError) {
        let cure: String? =
            switch error.code {
            case .passphraseNeeded: "give it with '\(Invocation.passphraseFile.name)' or $\(Invocation.passphraseVariable)"
            case .notEncrypted: "import it without one if you trust it"
            case .newerVersion: "use that version"
            case .emptyPassphrase, .wrongPassphrase, .damaged, .tooLarge, .tooCostly, .outOfMemory: nil
            }
        let message = cure.map { "\(error.description.withoutFullStop); \($0)." } ?? error.description
        self.init(error.code == .passphraseNeeded ? .usage : .failed, error.code.rawValue, message)
    }
}

extension Failure {
    init(_ error: TraceError) {
        let text = error.description.withoutFullStop
        switch error.code {
        case .exists: self.init(.failed, "fileExists", "\(text); name another file.")
        case .denied: self.init(.denied, "fileDenied", "\(text).")
        case .failed: self.init(.failed, "fileFailed", "\(text).")
        case .damaged: self.init(.failed, "damagedTrace", "\(text).")
        case .newerVersion: self.init(.failed, "newerVersion", "\(text); use that version.")
        case .tooLarge: self.init(.failed, "tooLarge", "\(text).")
        }
    }
}

extension String {
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
