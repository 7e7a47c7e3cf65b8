/// Whether the program may use Bluetooth (contract D2). Linux asks nobody: it is allowed until the system refuses.
@nonexhaustive
public enum CBManagerAuthorization: Int, Sendable {
    /// Does not occur on Linux.
    case notDetermined
    /// Does not occur on Linux.
    case restricted
    /// The system has refused access to Bluetooth.
    case denied
    /// Bluetooth may be used at any time.
    case allowedAlways
}
