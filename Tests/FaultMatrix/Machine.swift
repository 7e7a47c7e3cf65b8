import Foundation
import Synchronization

/// The virtual machine, and what can be done to it (Tests/BlueZVM/README.md).
enum Machine {
    static let isHere = ProcessInfo.processInfo.environment["FLICKIT_VM"] != nil
    static let radioHosts = "/run/flickit-vm/hosts"

    // MARK: Programs

    static func signalBluetoothd(_ signal: Int32) { self.signal("bluetoothd", signal) }

    static func startBluetoothd() { start("bluetoothd") }

    /// How often bluetoothd has crashed by itself, and was started again.
    static var crashes: Int {
        let lines = try? String(contentsOfFile: "/run/flickit-vm/crashes", encoding: .utf8)
        return lines?.split(separator: "\n").count ?? 0
    }

    private static let bus = "/run/dbus/system_bus_socket"

    static func killBus() {
        signal("dbus", SIGKILL)
        unlink(bus)
    }

    /// Returns when it is there. The daemon has what Foundation waits for, so its start is not waited for.
    static func startBus() async {
        start("dbus")
        for _ in 0..<1000 where access(bus, F_OK) != 0 { try? await Task.sleep(for: .milliseconds(10)) }
    }

    private static func signal(_ name: String, _ signal: Int32) {
        let text = (try? String(contentsOfFile: "/run/flickit-vm/\(name).pid", encoding: .utf8)) ?? ""
        if let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) { kill(process, signal) }
    }

    private static func start(_ name: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/run/flickit-vm/\(name)")
        process.standardInput = FileHandle.nullDevice
        do { try run(process) } catch { say("cannot start \(name): \(error)") }
    }

    private static let starting = Mutex(())

    /// Starts a program, and no other at the same time: that would inherit what Foundation waits for to see the end of the first.
    static func run(_ process: Process) throws {
        try starting.withLock { _ in try process.run() }
    }

    // MARK: Files

    static func radio(_ command: String) { write(command + "\n", to: "/run/flickit-vm/air") }

    /// Blocks an adapter, as `rfkill` does.
    static func block(_ adapter: String, _ isBlocked: Bool) {
        let switches = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/rfkill")) ?? []
        for name in switches {
            let directory = "/sys/class/rfkill/\(name)"
            guard (try? String(contentsOfFile: directory + "/name", encoding: .utf8)) == adapter + "\n" else { continue }
            write(isBlocked ? "1" : "0", to: directory + "/soft")
        }
    }

    /// Has the kernel do to an adapter what it does when the machine goes to sleep, or wakes up.
    static func suspend(_ adapter: String, _ isSuspended: Bool) {
        write(isSuspended ? "Y" : "N", to: "/sys/kernel/debug/bluetooth/\(adapter)/force_suspend")
    }

    private static func write(_ text: String, to path: String) {
        do {
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        } catch {
            say("cannot write to \(path): \(error)")
        }
    }

    // MARK: bluetoothd

    static func setPower(_ adapter: String, _ isOn: Bool) async {
        let property = ["string:org.bluez.Adapter1", "string:Powered", "variant:boolean:\(isOn)"]
        _ = await call("/org/bluez/\(adapter)", "org.freedesktop.DBus.Properties.Set", property)
    }

    static func isTrue(_ property: String, of adapter: String) async -> Bool {
        let name = ["string:org.bluez.Adapter1", "string:\(property)"]
        return await call("/org/bluez/\(adapter)", "org.freedesktop.DBus.Properties.Get", name).contains("boolean true")
    }

    static func address(of adapter: String) async -> String? {
        let name = ["string:org.bluez.Adapter1", "string:Address"]
        let answer = await call("/org/bluez/\(adapter)", "org.freedesktop.DBus.Properties.Get", name)
        return answer.split(separator: "\"").dropFirst().first.map(String.init)
    }

    static func remove(_ address: String, from adapter: String) async {
        let device = "/org/bluez/\(adapter)/dev_\(address.replacingOccurrences(of: ":", with: "_"))"
        _ = await call("/org/bluez/\(adapter)", "org.bluez.Adapter1.RemoveDevice", ["objpath:\(device)"])
    }

    /// - Returns: What dbus-send prints; nothing after an error.
    private static func call(_ path: String, _ method: String, _ arguments: [String]) async -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/dbus-send")
        process.arguments = ["--system", "--print-reply", "--reply-timeout=5000", "--dest=org.bluez", path, method] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                guard (try? run(process)) != nil else { return continuation.resume(returning: "") }
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
