import Foundation
import MQTT
import Synchronization
import Testing

/// A mosquitto of one's own, on a port of the loopback address.
final class Mosquitto {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// nil where there is none.
    private static let program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether tests with it can run; says so where they cannot.
    static let isThere: Bool = {
        if MQTTClient.isAvailable, program != nil { return true }
        print("skipped: tests with a real broker (they need the trait MQTT and the program mosquitto)")
        return false
    }()

    let port: UInt16
    let directory: URL
    private var process: Process?

    /// - Parameter settings: Lines of its configuration, by the directory that it has for itself.
    init(_ settings: (URL) throws -> [String] = { _ in ["allow_anonymous true"] }) throws {
        port = try Self.freePort()
        directory = FileManager.default.temporaryDirectory.appending(path: "flickit-mosquitto-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let lines = ["user root", "persistence false", "log_dest stderr", "listener \(port) 127.0.0.1"] + (try settings(directory))
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: directory.appending(path: "conf"))
        try start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0 }
        }
        guard isBound else { throw Failure(description: "no port") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Starts it, again at the same port, and waits until it listens.
    func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.program ?? "")
        process.arguments = ["-c", directory.appending(path: "conf").path]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        var text = ""
        while !text.contains(" running") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "mosquitto has ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        output.fileHandleForReading.readabilityHandler = { handle in  // so that it never waits for a reader
            if handle.availableData.isEmpty { handle.readabilityHandler = nil }
        }
    }

    /// Ends it as the power does.
    func kill() {
        guard let process else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }

    /// Runs a program to its end.
    static func run(_ program: String, _ arguments: String..., in directory: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = directory
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "\(program) \(arguments) failed: \(process.terminationStatus)") }
    }

    /// Whether a program can be found.
    static func has(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }
}
