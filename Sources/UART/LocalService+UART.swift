import GATT

extension AttributeID {
    static let toServer = AttributeID(1)
    static let toClient = AttributeID(2)
}

extension LocalService {
    /// The Nordic UART Service (contract C.2).
    static let uart = LocalService(
        uuid: UARTGATT.service,
        characteristics: [
            LocalCharacteristic(id: .toServer, uuid: UARTGATT.toServer, flags: [.write, .writeWithoutResponse]),
            LocalCharacteristic(id: .toClient, uuid: UARTGATT.toClient, flags: [.notify]),
        ]
    )
}
