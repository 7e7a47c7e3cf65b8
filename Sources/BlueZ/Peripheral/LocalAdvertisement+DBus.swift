import DBus
import GATT

extension LocalAdvertisement {
    /// The properties of LEAdvertisement1.
    ///
    /// - Parameter hasInterval: Whether to ask for ``interval``, which not every bluetoothd understands.
    func properties(hasInterval: Bool) -> [String: DBusValue] {
        var properties: [String: DBusValue] = ["Type": .string(isConnectable ? "peripheral" : "broadcast")]
        // Without the flags many centrals overlook us (contract D51). A broadcaster must not have them.
        if isConnectable { properties["Discoverable"] = .boolean(true) }
        if !services.isEmpty { properties["ServiceUUIDs"] = .strings(services.map(\.description)) }
        if let name, !name.isEmpty { properties["LocalName"] = .string(name) }
        if !manufacturerData.isEmpty {
            let data = manufacturerData.map { (DBusValue.uint16($0), DBusValue.variant(.bytes($1))) }
            properties["ManufacturerData"] = .dictionary(key: "q", value: "v", Dictionary(uniqueKeysWithValues: data))
        }
        if hasInterval, let interval {
            properties["MinInterval"] = .uint32(interval.lowerBound.advertisingMilliseconds)
            properties["MaxInterval"] = .uint32(interval.upperBound.advertisingMilliseconds)
        }
        return properties
    }
}

extension Duration {
    /// As bluetoothd takes it: at least 20 ms, at most 10.485 s.
    fileprivate var advertisingMilliseconds: UInt32 {
        let limited = min(max(self, .milliseconds(20)), .milliseconds(10_485))
        return UInt32(limited / .milliseconds(1))
    }
}

extension BlueZName {
    /// The interface of an advertisement, an object of ours.
    static let advertisement = "org.bluez.LEAdvertisement1"
}
