/// Whether Bluetooth can be used (contract D1).
///
/// All states can change back: an adapter that is plugged in later leads from `unsupported` to `poweredOn`.
@nonexhaustive
public enum CBManagerState: Int, Sendable {
    /// Bluetooth has not answered yet; an update is imminent.
    case unknown
    /// The Bluetooth service is gone and expected back; an update is imminent.
    case resetting
    /// There is no Bluetooth here, or none that can publish services and advertise.
    case unsupported
    /// The system refuses access to Bluetooth.
    case unauthorized
    /// Bluetooth is switched off or blocked. The library does not switch it on.
    case poweredOff
    /// Bluetooth is ready for use.
    case poweredOn
}
