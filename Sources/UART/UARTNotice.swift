public import GATT

/// What a ``UARTClient`` tells.
public enum UARTNotice: Sendable {
    /// The state of Bluetooth is now this.
    case bluetooth(CentralState)
    /// A device is searched for, or a link to one is made.
    case searching
    /// Nothing is searched for: because that is not wished for, or because Bluetooth is not on.
    case idle
    /// A device was found that could not be connected, or not be used. The search goes on after a while, if that is wished for.
    case failed(BluetoothAddress, LinkError)
    /// A connection is there: its notifications are on. It has to be read.
    case connected(UARTConnection)
}
