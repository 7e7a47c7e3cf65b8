/// How far a connection is (contract C2).
public enum ConnectionStatus {
    /// There is none, and none is tried.
    case disconnected
    /// A device is searched for, or being connected.
    case scanning
    /// Bytes can go both ways.
    case connected
}
