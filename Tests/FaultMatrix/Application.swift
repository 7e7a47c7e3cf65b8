import Foundation
import Synchronization

/// A `flic` that runs as an ordinary user, and what it says.
final class Application: Sendable {
    private let process = Process()
    private let output = Pipe()
    private let error = Pipe()

    /// Starts it.
    init(_ flic: String, _ arguments: [String], chronicle: Chronicle) throws {
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups", flic] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = error
        Self.read(output) { chronicle.output($0) }
        Self.read(error) { chronicle.remark($0) }
        try Machine.run(process)
    }

    private static func read(_ pipe: Pipe, _ line: @escaping @Sendable (String) -> Void) {
        let rest = Mutex<[UInt8]>([])
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                return
            }
            let lines = rest.withLock { rest in
                rest += data
                let end = rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                let lines = rest[..<end].split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
                rest.removeFirst(end)
                return lines
            }
            for text in lines { line(text) }
        }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for its end, which it brings about in the end.
    ///
    /// - Returns: The exit status, or minus the number of the signal that ended it; nil if it had to be killed.
    func end(within limit: Duration) async -> Int32? {
        let end = Chronicle.now + limit
        while process.isRunning && Chronicle.now < end { try? await Task.sleep(for: .milliseconds(10)) }
        guard !process.isRunning else {
            send(SIGKILL)
            return nil
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
}
