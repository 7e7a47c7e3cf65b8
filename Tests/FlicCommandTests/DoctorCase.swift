import BlueZ
import FlicClient
import Testing

@testable import flic

/// A change of a system with which all is well, and what is to be found then: check, id, exit code (nil for a note), words.
struct DoctorCase: Sendable, CustomTestStringConvertible {
    let check: Finding.Check
    let id: String
    let code: ExitCode?
    let words: String
    let change: @Sendable (inout DoctorFacts) -> Void
    var testDescription: String { "\(check.rawValue) \(id): \(words)" }

    init(_ check: Finding.Check, _ id: String, _ code: ExitCode?, _ words: String, _ change: @escaping @Sendable (inout DoctorFacts) -> Void) {
        self.check = check
        self.id = id
        self.code = code
        self.words = words
        self.change = change
    }
}

/// Bluetooth.
extension DoctorCase {
    static let hardware = [
        DoctorCase(.hardware, "noDriver", .bluetoothUnavailable, "modprobe") {
            $0.system.kernel = .missing
            $0.bluetooth = BluetoothFacts()
        },
        DoctorCase(.hardware, "noHardware", .bluetoothUnavailable, "dmesg") {
            $0.system.kernel = .adapters([])
            $0.bluetooth = BluetoothFacts()
        },
        DoctorCase(.hardware, "noHardware", nil, "blocked") {
            $0.system.kernel = .adapters([])
            $0.system.switches = [SystemFacts.Switch(name: "tpacpi_bluetooth_sw", isSoftBlocked: true)]
            $0.bluetooth = BluetoothFacts()
        },
        DoctorCase(.hardware, "unknown", nil, "/sys") {
            $0.system.kernel = .hidden
            $0.bluetooth = BluetoothFacts()
        },
        DoctorCase(.hardware, "ok", nil, "though") { $0.system.kernel = .missing },
        DoctorCase(.blocking, "blockedBySoftware", .bluetoothUnavailable, "rfkill unblock") {
            $0.system.switches[0].isSoftBlocked = true
            $0.bluetooth.adapters[0].power = .blocked
        },
        DoctorCase(.blocking, "blockedByHand", .bluetoothUnavailable, "key") {
            $0.system.switches[0].isSoftBlocked = true
            $0.system.switches[0].isHardBlocked = true
            $0.bluetooth.adapters[0].power = .blocked
        },
        DoctorCase(.blocking, "blockedBySoftware", .bluetoothUnavailable, "tpacpi_bluetooth_sw") {
            $0.system.switches.append(SystemFacts.Switch(name: "tpacpi_bluetooth_sw", isSoftBlocked: true))
            $0.bluetooth.service = .notRunning
            $0.bluetooth.adapters = []
            $0.bluetooth.chosen = nil
        },
        // Another adapter's, or one that plainly has no effect.
        DoctorCase(.blocking, "ok", nil, "No switch") {
            $0.system.switches.append(SystemFacts.Switch(name: "hci1", isSoftBlocked: true))
            $0.bluetooth.adapters[0].power = .off
        },
        DoctorCase(.blocking, "ok", nil, "No switch") { $0.system.switches[0].isSoftBlocked = true },
        DoctorCase(.blocking, "blockedBySoftware", .bluetoothUnavailable, "hci1") {
            $0.adapter = "hci1"
            $0.system.switches.append(SystemFacts.Switch(name: "hci1", isSoftBlocked: true))
            $0.bluetooth.service = .hung
            $0.bluetooth.adapters = []
            $0.bluetooth.chosen = nil
        },
    ]

    private static func bus(_ trouble: BusTrouble, _ change: @escaping @Sendable (inout DoctorFacts) -> Void = { _ in })
        -> @Sendable (inout DoctorFacts) -> Void
    {
        { facts in
            facts.bluetooth = BluetoothFacts()
            facts.bluetooth.bus = trouble
            facts.bluetooth.detail = "the bus said so"
            change(&facts)
        }
    }

    static let buses = [
        DoctorCase(.bus, "busMissing", .bluetoothUnavailable, "systemctl start dbus", bus(.noSocket)),
        DoctorCase(.bus, "busMissing", .bluetoothUnavailable, "-v /run/dbus", bus(.noSocket) { $0.system.isContainer = true }),
        DoctorCase(.bus, "busAddress", .bluetoothUnavailable, "'unix:path=/x'", bus(.noSocket) { $0.busAddress = "unix:path=/x" }),
        DoctorCase(.bus, "busAddress", .bluetoothUnavailable, "DBUS_SYSTEM_BUS_ADDRESS", bus(.invalidAddress) { $0.busAddress = "x" }),
        DoctorCase(.bus, "busAddress", .bluetoothUnavailable, "DBUS_SYSTEM_BUS_ADDRESS", bus(.nobodyListens) { $0.busAddress = "x" }),
        DoctorCase(.bus, "busDead", .bluetoothUnavailable, "systemctl start dbus", bus(.nobodyListens)),
        DoctorCase(.bus, "busDead", .bluetoothUnavailable, "Restart the container", bus(.nobodyListens) { $0.system.isContainer = true }),
        DoctorCase(.bus, "busDenied", .denied, "ls -l", bus(.socketDenied)),
        DoctorCase(.bus, "busDenied", .denied, "label=disable", bus(.socketDenied) { $0.system.isContainer = true }),
        DoctorCase(.bus, "identityRejected", .denied, "--userns=keep-id", bus(.identityRejected)),
        DoctorCase(.bus, "appArmor", .denied, "apparmor=unconfined", bus(.appArmor)), DoctorCase(.bus, "policy", .denied, "system.d", bus(.policy)),
        DoctorCase(.bus, "busFull", .failed, "max_connections_per_user", bus(.full)),
        DoctorCase(.bus, "busSilent", .bluetoothUnavailable, "answer", bus(.silent)),
        DoctorCase(.bus, "busFailed", .bluetoothUnavailable, "the bus said so", bus(.failed)),
    ]

    private static func service(
        _ trouble: ServiceTrouble,
        _ change: @escaping @Sendable (inout DoctorFacts) -> Void = { _ in }
    ) -> @Sendable (inout DoctorFacts) -> Void {
        { facts in
            facts.bluetooth = BluetoothFacts()
            facts.bluetooth.service = trouble
            facts.bluetooth.detail = "bluetoothd said so"
            change(&facts)
        }
    }

    static let services = [
        DoctorCase(.service, "notRunning", .bluetoothUnavailable, "enable --now", service(.notRunning)),
        DoctorCase(.service, "notInstalled", .bluetoothUnavailable, "apt install bluez", service(.notRunning) { $0.system.hasDaemon = false }),
        DoctorCase(.service, "notRunning", .bluetoothUnavailable, "host", service(.notRunning) { $0.system.isContainer = true }),
        DoctorCase(.service, "disabled", .bluetoothUnavailable, "enable --now", service(.disabled)),
        DoctorCase(.service, "masked", .bluetoothUnavailable, "unmask", service(.masked)),
        DoctorCase(.service, "startTimedOut", .bluetoothUnavailable, "no adapter", service(.startTimedOut)),
        DoctorCase(.service, "startFailed", .bluetoothUnavailable, "bluetoothd said so", service(.startFailed)),
        DoctorCase(.service, "hung", .bluetoothUnavailable, "restart bluetooth", service(.hung)),
        DoctorCase(.service, "gone", .bluetoothUnavailable, "crashed", service(.gone)),
        DoctorCase(.service, "appArmor", .denied, "apparmor=", service(.appArmor)),
        DoctorCase(.service, "policy", .denied, "usermod -aG bluetooth", service(.policy)),
        DoctorCase(.service, "tooOld", .bluetoothUnavailable, "5.55", service(.old)),
        DoctorCase(.service, "senseless", .bluetoothUnavailable, "sense", service(.senseless)),
        DoctorCase(.service, "failed", .bluetoothUnavailable, "bluetoothd said so", service(.failed)),
        DoctorCase(.service, "started", nil, "has started it") { $0.bluetooth.wasStarted = true },
        DoctorCase(.confinement, "confined", nil, "docker-default") { $0.system.appArmorProfile = "docker-default" },
    ]

    static let adapters = [
        DoctorCase(.adapter, "noAdapter", .bluetoothUnavailable, "no adapter") {
            $0.bluetooth = BluetoothFacts()
            $0.system.kernel = .adapters([])
        },
        DoctorCase(.adapter, "adapterIgnored", .bluetoothUnavailable, "hci0, but bluetoothd") { $0.bluetooth = BluetoothFacts() },
        DoctorCase(.adapter, "adapterIgnored", .bluetoothUnavailable, "hci1, but bluetoothd") {
            $0.adapter = "hci1"
            $0.system.kernel = .adapters(["hci0", "hci1"])
            $0.bluetooth.adapters[0].isWanted = false
            $0.bluetooth.chosen = nil
        },
        DoctorCase(.adapter, "adapterMissing", .bluetoothUnavailable, "no adapter hci7, only hci0") {
            $0.adapter = "hci7"
            $0.bluetooth.adapters[0].isWanted = false
            $0.bluetooth.chosen = nil
        },
        DoctorCase(.adapter, "adapterMissing", .bluetoothUnavailable, "no adapter 00:AA:01:01:00:07") {
            $0.adapter = "00:AA:01:01:00:07"
            $0.bluetooth.adapters[0].isWanted = false
            $0.bluetooth.chosen = nil
        },
        DoctorCase(.adapter, "notLowEnergy", .bluetoothUnavailable, "hci0 cannot") {
            $0.bluetooth.adapters[0].isLowEnergy = false
            $0.bluetooth.chosen = nil
        },
        DoctorCase(.version, "tooOld", .bluetoothUnavailable, "5.42") { $0.bluetooth.adapters[0].hasGATT = false },
        DoctorCase(.version, "perhapsTooOld", nil, "5.55") { $0.bluetooth.adapters[0].tellsRoles = false },
        DoctorCase(.power, "poweredOff", .bluetoothUnavailable, "bluetoothctl power on") { $0.bluetooth.adapters[0].power = .off },
        DoctorCase(.power, "blocked", .bluetoothUnavailable, "rfkill unblock") { $0.bluetooth.adapters[0].power = .blocked },
        DoctorCase(.power, "changing", .bluetoothUnavailable, "seconds") { $0.bluetooth.adapters[0].power = .changing },
        DoctorCase(.links, "ok", nil, "6 devices are connected to hci0") { $0.connect(6) },
        DoctorCase(.links, "manyLinks", nil, "7 devices") { $0.connect(7) },
    ]
}

extension DoctorFacts {
    /// Devices with links, and one more on another adapter.
    fileprivate mutating func connect(_ count: Int) {
        bluetooth.links = (0...count).map { number in
            BluetoothFacts.Link(address: BluetoothAddress(value: UInt64(number)), adapter: number == 0 ? "hci1" : "hci0")
        }
    }
}
