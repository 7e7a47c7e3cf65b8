import BlueZ
import FlicClient
import FoundationEssentials

@testable import flic

/// The store, and the buttons in it.
extension DoctorCase {
    private static func store(_ change: @escaping @Sendable (inout StoreFacts) -> Void) -> @Sendable (inout DoctorFacts) -> Void {
        { facts in
            var store = DoctorMaterial.store
            change(&store)
            facts.store = .success(store)
        }
    }

    static let stores = [
        DoctorCase(.store, "nothingPaired", nil, "flic pair", store { _ in }),
        DoctorCase(.store, "nothingPaired", nil, "/home/user/state", store { $0.contents = .records([]) }),
        DoctorCase(.store, "damaged", nil, "0 buttons", store { $0.contents = .damaged(copy: []) }),
        DoctorCase(.store, "damaged", .failed, "flic import", store { $0.contents = .damaged(copy: nil) }),
        DoctorCase(.store, "storeTooNew", .failed, "newer version", store { $0.contents = .newerVersion }),
        DoctorCase(.store, "unreadable", .denied, "chown", store { $0.contents = .unreadable(PairingStoreError(.denied, "It may not be read.")) }),
        DoctorCase(
            .store,
            "unreadable",
            .failed,
            "It may not be read",
            store { $0.contents = .unreadable(PairingStoreError(.failed, "It may not be read.")) }
        ),
        DoctorCase(
            .store,
            "notWritable",
            .denied,
            "It may not be written",
            store { $0.obstacle = PairingStoreError(.denied, "It may not be written.") }
        ),
        DoctorCase(.store, "inUse", nil, "flic (process 4711)", store { $0.holder = StoreFacts.Holder(process: 4711, name: "flic") }),
        DoctorCase(.store, "inUse", nil, "another program (process 4711)", store { $0.holder = StoreFacts.Holder(process: 4711, name: "") }),
        DoctorCase(.store, "foreign", nil, "/home/user/state/buttons.json", store { $0.foreign = ["/home/user/state/buttons.json"] }),
        DoctorCase(.store, "exposed", nil, "chmod go-rwx '/home/user/state/buttons.json'", store { $0.exposed = ["/home/user/state/buttons.json"] }),
        DoctorCase(.store, "diskAlmostFull", nil, "1024 KiB", store { $0.freeBytes = 1 << 20 }),
        DoctorCase(.store, "diskFull", .failed, "0 KiB", store { $0.freeBytes = 0 }),
        DoctorCase(.store, "storeUnknown", .failed, "HOME") { $0.store = .failure(PairingStoreError(.failed, "Nobody says where.")) },
    ]

    private static func hearing(_ change: @escaping @Sendable (inout DoctorFacts.Voice?, inout DoctorFacts) -> Void)
        -> @Sendable (inout DoctorFacts) -> Void
    {
        { facts in
            var voice: DoctorFacts.Voice? = DoctorFacts.Voice(rssi: -60)
            change(&voice, &facts)
            facts.hearing?.buttons[facts.buttons[0].address] = voice
        }
    }

    private static func link(_ adapter: String, _ holder: String? = nil) -> @Sendable (inout DoctorFacts) -> Void {
        { facts in
            facts.bluetooth.links = [BluetoothFacts.Link(address: facts.buttons[0].address, adapter: adapter)]
            facts.hearing = nil
            guard let holder else { return }
            var store = DoctorMaterial.store
            store.holder = StoreFacts.Holder(process: 7, name: holder)
            facts.store = .success(store)
        }
    }

    static let buttons = [
        DoctorCase(.reach, "ok", nil, "Heard at -60 dBm", hearing { _, _ in }),
        DoctorCase(.reach, "ok", nil, "Heard.", hearing { voice, _ in voice?.rssi = nil }),
        DoctorCase(.reach, "weakSignal", nil, "-86 dBm", hearing { voice, _ in voice?.rssi = -86 }),
        DoctorCase(.reach, "ok", nil, "-85 dBm", hearing { voice, _ in voice?.rssi = -85 }),
        DoctorCase(.reach, "connectedElsewhere", .refused, "phone", hearing { voice, _ in voice?.isConnectedElsewhere = true }),
        DoctorCase(.reach, "silent", nil, "a press makes it heard", hearing { voice, _ in voice = nil }),
        DoctorCase(.reach, "sharedLink", nil, "bluetoothctl disconnect", link("hci0")),
        DoctorCase(.reach, "ok", nil, "flic has", link("hci0", "flic")),
        DoctorCase(.reach, "otherAdapter", .refused, "--adapter hci1", link("hci1")),
        DoctorCase(.reach, "otherAdapter", .refused, "hci1", link("hci1", "flic")),
        DoctorCase(.reach, "sharedLink", nil, "shared") {
            link("hci1")(&$0)
            $0.bluetooth.usable.append("hci1")
        },
        DoctorCase(.reach, "skipped", nil, "void") { $0.buttons[0].isUnpaired = true },
        DoctorCase(.pairing, "unpaired", .notPaired, "flic forget") { $0.buttons[0].isUnpaired = true },
        DoctorCase(.pairing, "ok", nil, "Paired") { _ in },
        DoctorCase(.battery, "ok", nil, "3.0 V, today") { _ in },
        DoctorCase(.battery, "batteryUnknown", nil, "connected") { $0.buttons[0].battery = nil },
        DoctorCase(.battery, "batteryOldNews", nil, "31 days ago") { $0.date += 31 * 86_400 },
        DoctorCase(.battery, "ok", nil, "30 days ago") { $0.date += 30 * 86_400 },
        // A clock that was set back.
        DoctorCase(.battery, "ok", nil, "today") { $0.date -= 1e9 },
        DoctorCase(.radio, "ok", nil, "3 devices") { _ in },
        DoctorCase(.radio, "nothingHeard", nil, "within 15 s") {
            $0.hearing?.deviceCount = 0
            $0.bluetooth.adapters[0].isDiscovering = true
        },
        DoctorCase(.radio, "deaf", .bluetoothUnavailable, "does not listen") { $0.hearing?.deviceCount = 0 },
    ]
}
