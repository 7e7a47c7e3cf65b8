import DBus
import GATT

/// What bluetoothd says about a request of a central: the options of ReadValue, WriteValue and AcquireNotify (contract D60).
struct RequestOptions: Equatable {
    /// Object of the central.
    var device: String
    /// Where to begin.
    var offset = 0
    /// ATT MTU of the link; 23 if not told.
    var mtu = 23
    /// Only asks whether a write would be allowed (contract D63).
    var isPreparing = false

    /// Nil if the options are malformed or name no device.
    init?(_ value: DBusValue?) {
        guard let options = value?.namedValues, let device = options["device"]?.path else { return nil }
        self.device = device
        if let offset = options["offset"]?.integer, offset >= 0 { self.offset = offset }
        if let mtu = options["mtu"]?.integer, mtu > 23 { self.mtu = mtu }
        isPreparing = options["prepare-authorize"]?.bool ?? false
    }

    /// The address as bluetoothd spells it in the object's path, for a device that is not in the tree.
    var addressInPath: BluetoothAddress {
        let name = device.split(separator: "/").last ?? ""
        return BluetoothAddress(name.dropFirst("dev_".count).split(separator: "_").joined(separator: ":")) ?? BluetoothAddress(value: 0)
    }
}
