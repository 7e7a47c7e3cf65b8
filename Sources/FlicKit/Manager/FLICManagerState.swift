/// Whether Bluetooth can be used.
///
/// All states can change back: an adapter that is plugged in later leads from `unsupported` to `poweredOn`.
@nonexhaustive
public enum FLICManagerState: Int, Sendable {
    /// Bluetooth has not answered yet; an update is imminent.
    case unknown
    /// The Bluetooth service is gone and expected back; an update is imminent.
    case resetting
    /// There is no usable Bluetooth here, or the store of paired buttons cannot be used.
    case unsupported
    /// The system refuses access to Bluetooth.
    case unauthorized
    /// Bluetooth is switched off or blocked. The library does not switch it on.
    case poweredOff
    /// Bluetooth is ready for use.
    case poweredOn
}
