package import FlicClient
package import GATT

/// The errors that cross the interface: domain, code and a sentence; the cause, if there is one, underneath (contract A30, A31, A33).
extension NSError {
    /// An error of ``FLICErrorDomain``.
    package convenience init(_ code: FLICError, cause: (any Error)? = nil) {
        self.init(domain: FLICErrorDomain, code: code.rawValue, sentence: code.sentence, cause: cause)
    }

    /// An error of ``FLICButtonScannerErrorDomain``.
    package convenience init(_ code: FLICButtonScannerErrorCode, cause: (any Error)? = nil) {
        self.init(domain: FLICButtonScannerErrorDomain, code: code.rawValue, sentence: code.sentence, cause: cause)
    }

    /// Why a button could not be connected or forgotten (contract B.8).
    package static func failure(_ error: FlicError) -> NSError { NSError(FLICError(error.code), cause: error) }

    /// Why a scan failed (contract B.9).
    package static func scanFailure(_ error: FlicError) -> NSError {
        // The only one of the other domain.
        if error.code == .systemTooOld { return NSError(FLICError.unsupportedOSVersion, cause: error) }
        return NSError(FLICButtonScannerErrorCode(error.code), cause: error)
    }

    /// Why a link ended: as an error of CoreBluetooth, whose codes 6 and 7 are `connectionTimeout` and `peripheralDisconnected`
    /// (contract B.6.4, F4).
    package static func linkLoss(_ error: LinkError) -> NSError {
        switch error.code {
        case .closedByPeer, .failed:
            NSError(domain: "CBErrorDomain", code: 7, sentence: "The button has ended the connection.", cause: error)
        case .notPoweredOn, .timeout, .limitReached, .serviceNotFound, .notifyRefused, .bondingRequired:
            NSError(domain: "CBErrorDomain", code: 6, sentence: "The connection has timed out unexpectedly.", cause: error)
        }
    }

    private convenience init(domain: String, code: Int, sentence: String, cause: (any Error)?) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        userInfo[NSUnderlyingErrorKey] = cause
        self.init(domain: domain, code: code, userInfo: userInfo)
    }
}

extension FLICError {
    fileprivate init(_ code: FlicError.Code) {
        self =
            switch code {
            case .serviceNotFound: .couldNotDiscoverBluetoothServices
            case .signatureMismatch: .verificationSignatureMismatch
            case .invalidUUID: .invalidUuid
            case .notGenuine, .wrongAddress: .genuineCheckFailed
            case .tooManyApps: .tooManyApps
            case .unpaired: .unpaired
            case .systemTooOld: .unsupportedOSVersion
            case .alreadyForgotten: .alreadyForgotten
            case .bluetoothUnavailable, .alreadyPairing, .cancelled, .noButtonFound, .connectedElsewhere, .timedOut, .connectFailed,
                .connectionLimitReached, .notifyRefused, .bondingRequired, .linkLost, .invalidVerifier, .notInPublicMode, .wrongBrand,
                .storeFailed:
                .unknown
            }
    }

    fileprivate var sentence: String {
        switch self {
        case .unknown: "An unknown error occurred."
        case .notConfigured: "The manager has to be configured first."
        case .couldNotDiscoverBluetoothServices: "The button's Bluetooth services were not found."
        case .verificationSignatureMismatch: "The button's signature could not be verified."
        case .invalidUuid: "The button's identifier is not valid."
        case .genuineCheckFailed: "The button could not be proven genuine."
        case .tooManyApps: "Too many apps are connected to this button."
        case .unpaired: "The button is no longer paired with this app."
        case .unsupportedOSVersion: "This version of the system's Bluetooth is not supported."
        case .alreadyForgotten: "This button has already been forgotten."
        }
    }
}

extension FLICButtonScannerErrorCode {
    fileprivate init(_ code: FlicError.Code) {
        self =
            switch code {
            case .bluetoothUnavailable: .bluetoothNotActivated
            case .noButtonFound: .noPublicButtonDiscovered
            case .bondingRequired: .blePairingFailedUnknownReason
            case .wrongBrand: .appCredentialsDontMatch
            case .cancelled: .userCanceled
            case .wrongAddress: .invalidBluetoothAddress
            case .notGenuine, .signatureMismatch: .genuineCheckFailed
            case .connectedElsewhere: .alreadyConnectedToAnotherDevice
            case .tooManyApps: .tooManyApps
            case .notifyRefused: .couldNotSetBluetoothNotify
            case .serviceNotFound: .couldNotDiscoverBluetoothServices
            case .linkLost: .buttonDisconnectedDuringVerification
            case .timedOut: .connectionTimeout
            case .connectFailed: .failedToEstablish
            case .connectionLimitReached: .connectionLimitReached
            case .invalidVerifier: .invalidVerifier
            case .notInPublicMode: .notInPublicMode
            case .systemTooOld, .alreadyPairing, .invalidUUID, .unpaired, .alreadyForgotten, .storeFailed: .unknown
            }
    }

    fileprivate var sentence: String {
        switch self {
        case .unknown: "The scan failed for an unknown reason."
        case .bluetoothNotActivated: "Bluetooth is not switched on."
        case .noPublicButtonDiscovered: "No button in pairing mode was found."
        case .blePairingFailedPreviousPairingAlreadyExisting: "The button is already paired with this device."
        case .blePairingFailedUserCanceled: "Bluetooth pairing was cancelled."
        case .blePairingFailedUnknownReason: "Bluetooth pairing failed."
        case .appCredentialsDontMatch: "The button belongs to another brand."
        case .userCanceled: "The scan was cancelled."
        case .invalidBluetoothAddress: "The button's certificate names another address."
        case .genuineCheckFailed: "The button could not be proven genuine."
        case .alreadyConnectedToAnotherDevice: "The button is connected to another device."
        case .tooManyApps: "Too many apps are connected to this button."
        case .couldNotSetBluetoothNotify: "The button's notifications could not be switched on."
        case .couldNotDiscoverBluetoothServices: "The button's Bluetooth services were not found."
        case .buttonDisconnectedDuringVerification: "The connection was lost during verification."
        case .connectionTimeout: "The connection timed out."
        case .failedToEstablish: "The connection could not be made."
        case .connectionLimitReached: "No more Bluetooth connections are possible."
        case .invalidVerifier: "The button's answer could not be verified."
        case .notInPublicMode: "The button is no longer in pairing mode."
        }
    }
}
