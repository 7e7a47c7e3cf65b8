/// What states of a manager were called (contract D4). Nothing has this type any more.
@available(*, deprecated, message: "Use CBManagerState instead.")
@nonexhaustive
public enum CBPeripheralManagerState: Int, Sendable {
    /// As ``CBManagerState/unknown``.
    case unknown
    /// As ``CBManagerState/resetting``.
    case resetting
    /// As ``CBManagerState/unsupported``.
    case unsupported
    /// As ``CBManagerState/unauthorized``.
    case unauthorized
    /// As ``CBManagerState/poweredOff``.
    case poweredOff
    /// As ``CBManagerState/poweredOn``.
    case poweredOn
}
