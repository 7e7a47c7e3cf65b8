/// How a device is used (contract C1).
public enum ConnectionMode {
    /// There is no connection.
    case none
    /// Never occurs.
    case pinIO
    /// As a serial line.
    case uart
}
