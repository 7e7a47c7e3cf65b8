/// What authorizations were called (contract D4).
@available(*, deprecated, message: "Use CBManagerAuthorization instead.")
@nonexhaustive
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
    /// As ``CBManagerAuthorization/notDetermined``.
    case notDetermined
    /// As ``CBManagerAuthorization/restricted``.
    case restricted
    /// As ``CBManagerAuthorization/denied``.
    case denied
    /// As ``CBManagerAuthorization/allowedAlways``.
    case authorized
}

extension CBPeripheralManager {
    /// The authorization in its old form: the same as ``CBManager/authorization-swift.type.property`` (contract D4).
    @available(*, deprecated, message: "Use the property 'authorization' of CBManager instead.")
    @discardableResult
    public class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus {
        switch authorization {
        case .notDetermined: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .allowedAlways: .authorized
        }
    }
}
