import BlueZ
import FlicClient
import FlicSimulator
import FoundationEssentials

@testable import flic

/// What tests of `flic doctor` begin with: a system with which all is well.
enum DoctorMaterial {
    static let date = Date(timeIntervalSince1970: 1_767_225_600)

    static var system: SystemFacts {
        var facts = SystemFacts()
        facts.kernel = .adapters(["hci0"])
        facts.switches = [SystemFacts.Switch(name: "hci0")]
        facts.hasDaemon = true
        return facts
    }

    static var bluetooth: BluetoothFacts {
        var facts = BluetoothFacts()
        facts.adapters = [adapter("hci0")]
        facts.chosen = "hci0"
        facts.usable = ["hci0"]
        return facts
    }

    static func adapter(_ name: String) -> BluetoothFacts.Adapter {
        var adapter = BluetoothFacts.Adapter(name: name)
        adapter.address = "00:AA:01:01:00:00"
        return adapter
    }

    static var store: StoreFacts {
        var facts = StoreFacts(directory: URL(filePath: "/home/user/state", directoryHint: .isDirectory))
        facts.freeBytes = 1 << 30
        return facts
    }

    static var facts: DoctorFacts {
        DoctorFacts(system: system, bluetooth: bluetooth, store: .success(store), date: date)
    }

    /// As pairing makes it. Once for all tests, for keys take their time.
    private static let paired = Task {
        try await Stage.play { stage in
            await stage.pair()
            return stage.store.contents[0]
        }
    }

    /// A record of that button; the battery has 3 V since an hour.
    static func record() async throws -> ButtonRecord {
        var record = try await paired.value
        record.batteryLevel = 853
        record.batteryTime = UInt64(date.timeIntervalSince1970) - 3600
        record.isBatteryLow = false
        return record
    }

    static func button(_ record: ButtonRecord) async -> ButtonInfo {
        let flic = Flic(FlicConfiguration(central: AbsentCentral(loop: DispatchLoop()), store: MemoryStore([record])))
        await flic.start()
        return await flic.buttons[0].info
    }
}
