public import GATT

/// What a ``UARTServer`` tells.
public enum UARTServerNotice: Sendable {
    /// The state of Bluetooth is now this.
    case bluetooth(CentralState)
    /// The server can be found.
    case advertising
    /// The service could not be published, or not be advertised. It is tried again after 10 s.
    case failed(PeripheralError)
    /// A client is there, which has switched notifications on. It has to be read.
    case connected(UARTConnection)
}
