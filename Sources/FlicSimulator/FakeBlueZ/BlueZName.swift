/// Names on the bus.
enum BlueZName {
    static let service = "org.bluez"
    static let root = "/org/bluez"

    static let adapter = "org.bluez.Adapter1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let agentManager = "org.bluez.AgentManager1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"

    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"

    /// An interface's last word, for people: `Device1`.
    static func short(_ interface: String) -> String {
        interface.split(separator: ".").last.map(String.init) ?? interface
    }
}
