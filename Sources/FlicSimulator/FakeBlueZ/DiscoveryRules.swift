import DBus
import GATT

/// What one client said that it wants to discover (SetDiscoveryFilter).
struct DiscoveryRules: Sendable {
    private var services: Set<BluetoothUUID> = []
    private var weakest: Int?
    private var pattern: String?
    /// Data that have not changed are to be reported all the same.
    private(set) var repeatsData = false

    /// - Throws: InvalidArguments for an unknown key or a value of the wrong kind.
    init(_ argument: DBusValue?) throws(DBusError) {
        guard let values = argument?.namedValues else { throw .invalidArguments }
        for (key, value) in values {
            switch key {
            case "UUIDs":
                guard let texts = value.stringArray else { throw .invalidArguments }
                let parsed = texts.map { BluetoothUUID($0) }
                guard !parsed.contains(nil) else { throw .invalidArguments }
                services = Set(parsed.compactMap(\.self))
            case "RSSI":
                guard case .int16(let rssi) = value else { throw .invalidArguments }
                weakest = Int(rssi)
            case "Pathloss":
                guard case .uint16 = value else { throw .invalidArguments }
            case "Transport":
                guard let transport = value.string, ["auto", "bredr", "le"].contains(transport) else { throw .invalidArguments }
            case "DuplicateData":
                guard let isOn = value.bool else { throw .invalidArguments }
                repeatsData = isOn
            case "Discoverable":
                guard value.bool != nil else { throw .invalidArguments }
            case "Pattern":
                guard let text = value.string else { throw .invalidArguments }
                pattern = text
            default: throw .invalidArguments
            }
        }
    }

    func admit(_ advertisement: Advertisement, rssi: Int) -> Bool {
        if !services.isEmpty && services.isDisjoint(with: advertisement.services) { return false }
        if let weakest, rssi < weakest { return false }
        guard let pattern else { return true }
        return advertisement.address.description.hasPrefix(pattern) || advertisement.name?.hasPrefix(pattern) ?? false
    }
}

extension DBusError {
    fileprivate static var invalidArguments: DBusError { .bluez("InvalidArguments", "Invalid arguments in method call") }

    /// An error of bluetoothd.
    static func bluez(_ name: String, _ message: String) -> DBusError { DBusError(name: "org.bluez.Error." + name, message: message) }

    /// The error that bluetoothd gives for most things; its text says which.
    static func failed(_ message: String) -> DBusError { .bluez("Failed", message) }
}
