/// Codes of the errors in ``FLICButtonScannerErrorDomain``, with which scans end.
///
/// Not an error type, as ``FLICError``.
@nonexhaustive
public enum FLICButtonScannerErrorCode: Int, Sendable {
    /// Another scan is running, or something happened that is nothing else.
    case unknown
    /// Bluetooth is not switched on, or was switched off during the scan.
    case bluetoothNotActivated
    /// No button in pairing mode was heard for 30 s.
    case noPublicButtonDiscovered
    /// Does not occur on Linux, where no Bluetooth bonding takes place.
    case blePairingFailedPreviousPairingAlreadyExisting
    /// Does not occur on Linux, as there is no dialog.
    case blePairingFailedUserCanceled
    /// The system insists on Bluetooth bonding.
    case blePairingFailedUnknownReason
    /// The button belongs to another brand.
    case appCredentialsDontMatch
    /// ``FLICManager/stopScan()`` was called.
    case userCanceled
    /// The button's certificate names another Bluetooth address.
    case invalidBluetoothAddress
    /// The button could not be proven genuine.
    case genuineCheckFailed
    /// The button says that it is connected to another device.
    case alreadyConnectedToAnotherDevice
    /// The button has no room for another app.
    case tooManyApps
    /// The button's notifications could not be switched on.
    case couldNotSetBluetoothNotify
    /// The button's Bluetooth services were not found.
    case couldNotDiscoverBluetoothServices
    /// The connection was lost during the verification.
    case buttonDisconnectedDuringVerification
    /// There was no connection within 31 s, or no end of the verification.
    case connectionTimeout
    /// The connection could not be made.
    case failedToEstablish
    /// The Bluetooth adapter can hold no more connections.
    case connectionLimitReached
    /// The button calls the answer of this side wrong.
    case invalidVerifier
    /// The button left pairing mode before it was verified.
    case notInPublicMode
}
