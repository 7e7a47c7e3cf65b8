import DBus

/// The names of org.bluez, as in its documentation.
enum BlueZName {
    static let service = "org.bluez"

    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"

    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
    static let peer = "org.freedesktop.DBus.Peer"

    /// What the tree keeps; everything else is of no interest here.
    static let kept: Set = [adapter, device, gattService, characteristic, gattManager, advertisingManager]

    /// What logind says before the computer goes to sleep (true) and when it is awake again (false).
    static let sleep = MatchRule(sender: "org.freedesktop.login1", interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep")
}
