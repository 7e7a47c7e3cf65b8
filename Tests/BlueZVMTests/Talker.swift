import Foundation

@testable import FaultMatrix

/// A program that is spoken to by lines, and killed when nobody has it any more.
///
/// `@unchecked Sendable`: after the start only its descriptors are used, and its number.
final class Talker: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()

    /// - Parameter heard: Takes what it says, in pieces as they come, on a thread of its own; nil at the end.
    init(_ program: String, _ arguments: [String] = [], heard: @escaping @Sendable (Data?) -> Void) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = input
        process.standardOutput = output
        try Machine.run(process)
        Thread.detachNewThread {
            while case let piece = output.fileHandleForReading.availableData, !piece.isEmpty { heard(piece) }
            heard(nil)
        }
    }

    deinit { end() }

    func say(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    func end() { kill(process.processIdentifier, SIGKILL) }
}
