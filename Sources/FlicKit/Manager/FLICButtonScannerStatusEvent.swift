/// The steps of a scan, each at most once and in this order.
@nonexhaustive
public enum FLICButtonScannerStatusEvent: Int, Sendable {
    /// A button in pairing mode was found; a connection will be made now.
    case discovered
    /// There is a Bluetooth connection with it.
    case connected
    /// It is paired with this app. The completion will bring it soon.
    case verified
    /// It could not be verified. The completion will soon tell why.
    case verificationFailed
}
