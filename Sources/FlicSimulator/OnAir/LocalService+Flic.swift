import FlicClient
import GATT

extension AttributeID {
    static let toButton = AttributeID(1)
    static let fromButton = AttributeID(2)
}

extension LocalService {
    /// The service of a button (protocol 2.1, 14.1).
    init(_ gatt: FlicGATT.Service) {
        self.init(
            uuid: gatt.service,
            characteristics: [
                LocalCharacteristic(id: .toButton, uuid: gatt.toButton, flags: [.writeWithoutResponse]),
                LocalCharacteristic(id: .fromButton, uuid: gatt.fromButton, flags: [.notify]),
            ]
        )
    }
}

extension LocalAdvertisement {
    /// What a button has on the air now (protocol 2.2); nil if nothing.
    init?(_ firmware: ButtonFirmware) {
        guard let advertising = firmware.advertising, advertising.isPublic || !firmware.faults.isConnectedElsewhere else { return nil }
        let content = firmware.advertisement
        self.init()
        // Linux sends advertisements that nobody can connect to from a made-up address, under which nobody would know the button. So whoever
        // connects while a host has it is sent away again.
        isConnectable = !firmware.faults.isConnectedElsewhere
        name = content.name
        services = content.services
        manufacturerData = content.manufacturerData
        interval = advertising.interval...advertising.interval
    }
}
