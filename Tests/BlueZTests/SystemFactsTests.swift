import Foundation
import Testing

@testable import BlueZ

@Suite("What the kernel shows")
struct SystemFactsTests {
    /// Looks below a new directory with these files; a path that ends with a slash is a directory.
    private func facts(_ files: [String: String]) throws -> SystemFacts {
        let root = FileManager.default.temporaryDirectory.appending(path: "flic-\(UUID().uuidString)", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in files {
            let file = root.appending(path: path)
            let directory = path.hasSuffix("/") ? file : file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            if !path.hasSuffix("/") { try Data(text.utf8).write(to: file) }
        }
        return SystemFacts(root: root.path)
    }

    @Test("Nothing is shown at all")
    func hidden() throws {
        #expect(try facts(["etc/": ""]) == SystemFacts())
    }

    @Test("No Bluetooth, no adapter, some adapters beside their links")
    func kernel() throws {
        #expect(try facts(["sys/class/net/": ""]).kernel == .missing)
        #expect(try facts(["sys/class/bluetooth/": ""]).kernel == .adapters([]))
        let names = ["hci10", "hci2", "hci2:64", "hci", "hcix", "rfcomm0"]
        #expect(try facts(Dictionary(uniqueKeysWithValues: names.map { ("sys/class/bluetooth/\($0)/", "") })).kernel == .adapters(["hci2", "hci10"]))
    }

    @Test("Switches for Bluetooth; others, and what is no switch, are left out")
    func switches() throws {
        let found = try facts([
            "sys/class/rfkill/rfkill0/type": "wlan\n", "sys/class/rfkill/rfkill0/soft": "1\n",
            "sys/class/rfkill/rfkill1/type": "bluetooth\n", "sys/class/rfkill/rfkill1/name": "hci0\n", "sys/class/rfkill/rfkill1/soft": "1\n",
            "sys/class/rfkill/rfkill1/hard": "0\n",
            "sys/class/rfkill/rfkill2/type": "bluetooth\n", "sys/class/rfkill/rfkill2/name": "tpacpi\u{1B}[2J\n",
            "sys/class/rfkill/rfkill2/hard": "1\n",
            "sys/class/rfkill/rfkill3/type": "bluetooth", "sys/class/rfkill/rfkill3/soft": "2\n", "sys/class/rfkill/rfkill4/": "",
            "sys/class/rfkill/rfkill5/type/": "",
        ]).switches
        #expect(
            found == [
                SystemFacts.Switch(name: "hci0", isSoftBlocked: true), SystemFacts.Switch(name: "tpacpi", isHardBlocked: true),
                SystemFacts.Switch(name: "rfkill3"),
            ]
        )
    }

    @Test("Containers", arguments: [".dockerenv", "run/.containerenv", "run/systemd/container"])
    func container(file: String) throws {
        #expect(try facts([file: ""]).isContainer)
    }

    @Test(
        "AppArmor: only a profile that is enforced counts, not what SELinux has there",
        arguments: [
            ("docker-default (enforce)\n", "docker-default"), ("unconfined\n", nil), ("x (complain)\n", nil),
            ("unconfined_u:unconfined_r:unconfined_t:s0\0", nil), ("", nil),
        ]
    )
    func appArmor(label: String, profile: String?) throws {
        #expect(try facts(["proc/self/attr/current": label]).appArmorProfile == profile)
        #expect(
            try facts(["proc/self/attr/apparmor/current": label, "proc/self/attr/current": "other (enforce)"]).appArmorProfile
                == (profile ?? (label.isEmpty ? "other" : nil))
        )
    }

    @Test("The program", arguments: ["usr/libexec/bluetooth/bluetoothd", "usr/lib/bluetooth/bluetoothd", "usr/sbin/bluetoothd"])
    func daemon(path: String) throws {
        #expect(try facts([path: "#!"]).hasDaemon)
    }
}
