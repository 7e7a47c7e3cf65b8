package import GATT

/// What could be seen of the system's Bluetooth at one moment, by somebody who only looks.
package struct BluetoothFacts: Sendable, Equatable {
    /// Why the bus cannot be used; nil if it can.
    package var bus: BusTrouble?
    /// Why bluetoothd cannot be used; nil if it can, or was not asked because there is no bus.
    package var service: ServiceTrouble?
    /// The words of the error behind the trouble, without control characters.
    package var detail = ""
    /// bluetoothd was not running and has been started by the bus, as it is for whoever calls it.
    package var wasStarted = false
    /// All adapters that bluetoothd shows, in natural order.
    package var adapters: [Adapter] = []
    /// The name of the one that would be used first.
    package var chosen: String?
    /// The names of all that would be used, that one first.
    package var usable: [String] = []
    /// Devices that have a link, whoever made it.
    package var links: [Link] = []

    package init() {}

    /// The adapter that would be used first.
    package var adapter: Adapter? { adapters.first { $0.name == chosen } }

    /// An adapter, as bluetoothd shows it.
    package struct Adapter: Sendable, Equatable {
        /// Such as `hci0`.
        package var name: String
        /// Its own address; empty if it has none.
        package var address = ""
        /// It is one of those that were asked for.
        package var isWanted = true
        /// It can make links to Low Energy devices, or does not say what it can.
        package var isLowEnergy = true
        /// It says in which roles it can be. Versions before 5.55 do not.
        package var tellsRoles = true
        /// It lets programs talk to devices (GattManager1), as versions from 5.42 on do.
        package var hasGATT = true
        package var power = Power.on
        /// Somebody listens on it.
        package var isDiscovering = false

        package init(name: String) { self.name = name }
    }

    /// Whether an adapter is on.
    package enum Power: Sendable, Equatable {
        case on
        case off
        /// The kernel keeps it off (rfkill).
        case blocked
        /// Just being switched on or off.
        case changing
    }

    /// A device with a link.
    package struct Link: Sendable, Equatable {
        package var address: BluetoothAddress
        /// Name of the adapter.
        package var adapter: String

        package init(address: BluetoothAddress, adapter: String) {
            self.address = address
            self.adapter = adapter
        }
    }
}
