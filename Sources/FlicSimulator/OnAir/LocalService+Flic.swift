import FlicClient
import GATT

extension AttributeID {
    static let toButton = AttributeID(1)
    static let fromButton = AttributeID(2)
}

extension LocalService {
    /// The service of a Flic 2 (protocol 2.1).
    static let flic = LocalService(
        uuid: FlicGATT.service,
        characteristics: [
            LocalCharacteristic(id: .toButton, uuid: FlicGATT.toButton, flags: [.writeWithoutResponse]),
            LocalCharacteristic(id: .fromButton, uuid: FlicGATT.fromButton, flags: [.notify]),
        ]
    )
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
