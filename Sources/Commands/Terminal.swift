import FoundationEssentials
import Glibc
import Synchronization

/// Standard output and standard error.
package enum Terminal {
    package static let output: Output = {
        var output = Output(
            hasColour: hasColour,
            print: { write($0 + "\n", to: STDOUT_FILENO) },
            printError: { write($0 + "\n", to: STDERR_FILENO) }
        )
        if isatty(STDERR_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" {
            output.showStatus = { write("\r\($0)\u{1B}[K", to: STDERR_FILENO) }
        }
        return output
    }()

    /// Colour goes to terminals only, and not against the will of the user (no-color.org).
    private static var hasColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes bytes to standard output.
    @Sendable
    package static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    private static let isBroken = Atomic(false)

    private static func write(_ text: String, to descriptor: Int32) { write(Array(text.utf8), to: descriptor) }

    /// When nobody reads any more, the program is told to end as if interrupted, so that nothing is left connected.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var bytes = bytes[...]
        while !bytes.isEmpty && !isBroken.load(ordering: .relaxed) {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR && errno != EAGAIN {
                if !isBroken.exchange(true, ordering: .relaxed) { kill(getpid(), SIGTERM) }
            }
        }
    }
}
