/// Codes of the errors in ``FLICErrorDomain``.
///
/// This is no error type: errors are `NSError` objects with this domain and code, and a sentence for people.
@nonexhaustive
public enum FLICError: Int, Sendable {
    /// Something that is nothing else; the store of paired buttons could not be written. The cause is under `NSUnderlyingErrorKey`.
    case unknown
    /// The manager was not made by ``FLICManager/configure(with:buttonDelegate:background:)``.
    case notConfigured
    /// A connection was made, but the button's Bluetooth services were not found.
    case couldNotDiscoverBluetoothServices
    /// The button's signature was wrong, again after another attempt.
    case verificationSignatureMismatch
    /// The button's identity is damaged, or not the stored one.
    case invalidUuid
    /// The button could not be proven genuine.
    case genuineCheckFailed
    /// The button has no room for another app, again after another attempt.
    case tooManyApps
    /// The pairing is void: forget the button and scan for it again.
    case unpaired
    /// The Bluetooth service or the kernel is too old.
    case unsupportedOSVersion
    /// The button has been forgotten already.
    case alreadyForgotten
}
