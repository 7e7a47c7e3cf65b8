import DBus
import GATT

/// What Device1 says, made into the vocabulary of GATT.
extension ObjectTree {
    /// The device with this address below an adapter. Paths say nothing dependable, so it is looked up by its properties.
    func device(_ address: BluetoothAddress, on adapter: String) -> String? {
        paths(with: BlueZName.device, whose: "Adapter", is: adapter).first { self.address(of: $0) == address }
    }

    /// The adapter that a device was found by.
    func adapter(of device: String) -> String? { properties(device, BlueZName.device)?["Adapter"]?.path }

    /// How strongly a device was heard lately, in dBm; nil if it was not.
    func rssi(of device: String) -> Int? { properties(device, BlueZName.device)?["RSSI"]?.integer }

    func address(of device: String) -> BluetoothAddress? {
        guard let properties = properties(device, BlueZName.device), let text = properties["Address"]?.string else { return nil }
        return BluetoothAddress(text, kind: properties["AddressType"]?.string == "random" ? .random : .public)
    }

    func isTrue(_ property: String, of device: String) -> Bool { properties(device, BlueZName.device)?[property]?.bool == true }

    /// What the device says of itself, as far as bluetoothd knows it. Name and services may be remembered from earlier.
    func advertisement(of device: String) -> Advertisement? {
        guard let address = address(of: device), let properties = properties(device, BlueZName.device) else { return nil }
        var manufacturerData: [UInt16: [UInt8]] = [:]
        for (company, bytes) in properties["ManufacturerData"]?.dictionary ?? [:] {
            guard let company = company.integer.flatMap(UInt16.init(exactly:)), let bytes = bytes.byteArray else { continue }
            manufacturerData[company] = bytes
        }
        return Advertisement(
            address: address,
            name: properties["Name"]?.string ?? alias(in: properties),
            services: (properties["UUIDs"]?.stringArray ?? []).compactMap { BluetoothUUID($0) },
            manufacturerData: manufacturerData,
            rssi: properties["RSSI"]?.integer,
            isConnectedHere: isTrue("Connected", of: device)
        )
    }

    /// The name that somebody gave the device; without one bluetoothd shows the address with dashes.
    private func alias(in properties: Properties) -> String? {
        guard let alias = properties["Alias"]?.string else { return nil }
        let isAddress = BluetoothAddress(String(alias.map { $0 == "-" ? ":" : $0 })) != nil
        return isAddress ? nil : alias
    }

    /// Whether an advertisement without data says something: the device has data to advertise, which come as a change with each of
    /// them (DuplicateData), or its services are known from a link rather than from an advertisement.
    func canSpeak(_ device: String) -> Bool {
        properties(device, BlueZName.device)?["ManufacturerData"] != nil || hasPath(with: BlueZName.gattService, whose: "Device", is: device)
    }

    /// The characteristics of a service of a device, by UUID; nil if the device has no such service.
    func characteristics(of service: BluetoothUUID, on device: String) -> [BluetoothUUID: String]? {
        let services = paths(with: BlueZName.gattService, whose: "Device", is: device)
        let path = services.first { path in
            properties(path, BlueZName.gattService)?["UUID"]?.string.flatMap { BluetoothUUID($0) } == service
        }
        guard let path else { return nil }
        var found: [BluetoothUUID: String] = [:]
        for characteristic in paths(with: BlueZName.characteristic, whose: "Service", is: path) {
            guard let uuid = properties(characteristic, BlueZName.characteristic)?["UUID"]?.string.flatMap({ BluetoothUUID($0) }) else { continue }
            found[uuid] = found[uuid] ?? characteristic
        }
        return found
    }
}

extension DBusError {
    /// Why Device1.Connect failed, as far as its text tells (BlueZ names most of these in the text only).
    var linkError: LinkError {
        let code: LinkError.Code =
            switch name {
            case _ where message.contains("concurrent-connection-limit"): .limitReached
            case "org.bluez.Error.NotReady": .notPoweredOn
            case _ where message.contains("adapter-not-powered"): .notPoweredOn
            case _ where message.contains("timeout"), DBusError.noReply: .timeout
            default: .failed
            }
        return LinkError(code, detail: description)
    }

    /// Why StartNotify failed: refused, or because the link is just ending.
    var notifyFailure: LinkError.Code {
        switch name {
        case "org.bluez.Error.NotAuthorized": .bondingRequired
        case _ where ["0x05", "0x0c", "0x0f"].contains { message.contains("ATT error: \($0)") }: .bondingRequired
        case "org.bluez.Error.NotConnected", DBusError.unknownObject, DBusError.noReply, DBusError.disconnected: .failed
        case _ where message.lowercased().contains("not connected"): .failed
        default: .notifyRefused
        }
    }
}
