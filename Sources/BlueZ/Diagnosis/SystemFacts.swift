import FoundationEssentials
import Glibc

/// What the kernel shows to everybody, and where this program runs.
package struct SystemFacts: Sendable, Equatable {
    /// A switch of rfkill for Bluetooth.
    package struct Switch: Sendable, Equatable {
        /// That of its adapter, such as `hci0`, or of a part of the machine that turns Bluetooth off as a whole.
        package var name: String
        /// Programs can unblock it.
        package var isSoftBlocked: Bool
        /// Only a hand can.
        package var isHardBlocked: Bool

        package init(name: String, isSoftBlocked: Bool = false, isHardBlocked: Bool = false) {
            self.name = name
            self.isSoftBlocked = isSoftBlocked
            self.isHardBlocked = isHardBlocked
        }
    }

    /// What the kernel knows of Bluetooth.
    package enum Kernel: Sendable, Equatable {
        /// It does not show devices here.
        case hidden
        /// It has no Bluetooth, or has not loaded it.
        case missing
        /// It has these adapters, in natural order.
        case adapters([String])
    }

    package var kernel = Kernel.hidden
    package var switches: [Switch] = []
    /// This is a container.
    package var isContainer = false
    /// The AppArmor profile that this program is held to; nil if none is enforced.
    package var appArmorProfile: String?
    /// The program bluetoothd is installed here.
    package var hasDaemon = false

    package init() {}

    /// Looks.
    ///
    /// - Parameter root: The directory above `sys`, `proc` and `usr`.
    package init(root: String) {
        let classes = root + "/sys/class"
        if Self.exists(classes) {
            let names = Self.names(in: classes + "/bluetooth")
            // Links are there as well, such as hci0:64.
            kernel = names.map { .adapters($0.filter(Self.isAdapter).sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }) } ?? .missing
        }
        switches = (Self.names(in: classes + "/rfkill") ?? []).sorted().compactMap { name in
            let directory = "\(classes)/rfkill/\(name)"
            guard Self.text(directory + "/type") == "bluetooth" else { return nil }
            return Switch(
                name: Self.text(directory + "/name") ?? name,
                isSoftBlocked: Self.text(directory + "/soft") == "1",
                isHardBlocked: Self.text(directory + "/hard") == "1"
            )
        }
        // Docker and Podman leave these; systemd-nspawn and LXC tell their programs.
        isContainer = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"].contains { Self.exists(root + $0) }
        let label = Self.text(root + "/proc/self/attr/apparmor/current") ?? Self.text(root + "/proc/self/attr/current")
        appArmorProfile = label.flatMap { $0.hasSuffix(" (enforce)") ? String($0.dropLast(" (enforce)".count)) : nil }
        hasDaemon = ["/usr/libexec/bluetooth", "/usr/lib/bluetooth", "/usr/sbin", "/usr/libexec"].contains { Self.exists("\(root)\($0)/bluetoothd") }
    }

    private static func isAdapter(_ name: String) -> Bool { name.hasPrefix("hci") && UInt(name.dropFirst(3)) != nil }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// - Returns: nil if there is no such directory.
    private static func names(in directory: String) -> [String]? { try? FileManager.default.contentsOfDirectory(atPath: directory) }

    /// The first line, as far as it is one that a person can read; nil if there is none.
    private static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let line = bytes[0..<count].prefix { $0 >= 0x20 && $0 < 0x7F }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
