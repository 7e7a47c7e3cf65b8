public import GATT

/// The Nordic UART Service, by the 128-bit UUIDs that Nordic Semiconductor has given it (contract C.2).
public enum UARTGATT {
    /// The service.
    public static let service = BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")!
    /// Client to server: Write Without Response, Write, or both. Nordic calls it RX, clients call it TX.
    public static let toServer = BluetoothUUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")!
    /// Server to client: Notify.
    public static let toClient = BluetoothUUID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")!

    /// How long a link may take to a device that has just been heard: a round of the kernel's scanning, and what it takes to make it.
    static let linkTimeout = Duration.seconds(30)

    /// How many bytes fit into one packet (contract C30). A bluetoothd of 5.66 refuses more than 510 in one write (bluez-facts, "Sizes").
    ///
    /// - Parameter mtu: ATT MTU of the link; 23 where the transport does not say.
    static func longestPiece(mtu: Int) -> Int { min(max(mtu, 23) - 3, 510) }

    static func request(for address: BluetoothAddress) -> LinkRequest {
        LinkRequest(address: address, service: service, notifying: [toClient], writable: [toServer], timeout: linkTimeout)
    }
}
