/// How fast the link to a central should be, at the price of the batteries of both (contract D19).
@nonexhaustive
public enum CBPeripheralManagerConnectionLatency: Int, Sendable {
    /// Fast, and costly.
    case low
    /// In between.
    case medium
    /// Slow, and cheap.
    case high
}
