import DBus
import GATT

/// What bluetoothd says about a request of a central: the options of ReadValue, WriteValue and AcquireNotify (contract D60).
struct RequestOptions: Equatable {
    /// Object of the central.
    var device: String
    /// Where to begin; not negative.
    var offset = 0
    /// ATT MTU of the link, 23 to 65,535; 23 if not told.
    var mtu = 23
    /// Only asks whether a write would be allowed (contract D63).
    var isPreparing = false

    /// Nil if the options name no device, or one that is known here is of a wrong type. Others may come with newer versions of bluetoothd.
    init?(_ value: DBusValue?) {
        guard let options = value?.namedValues, let device = options["device"]?.path else { return nil }
        self.device = device
        if let value = options["offset"] {
            guard let offset = value.integer, offset >= 0 else { return nil }
            self.offset = offset
        }
        if let value = options["mtu"] {
            guard let mtu = value.integer else { return nil }
            self.mtu = min(max(mtu, 23), Int(UInt16.max))
        }
        if let value = options["prepare-authorize"] {
            guard let isPreparing = value.bool else { return nil }
            self.isPreparing = isPreparing
        }
    }

    /// The address as bluetoothd spells it in the object's path, for a device that is not in the tree; nil if it does not.
    var addressInPath: BluetoothAddress? {
        let name = device.split(separator: "/").last ?? ""
        guard name.hasPrefix("dev_") else { return nil }
        return BluetoothAddress(name.dropFirst("dev_".count).split(separator: "_", omittingEmptySubsequences: false).joined(separator: ":"))
    }
}
