import FoundationEssentials
import Glibc

/// Standard output and standard error, a line at a time.
enum Terminal {
    /// Colour goes to terminals only, and not against the will of the user (no-color.org).
    static let hasColour: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }()

    enum Style: String {
        case plain = ""
        case dim = "2"
        case bold = "1"
        case good = "32"
        case bad = "31"
    }

    static func styled(_ text: String, _ style: Style) -> String {
        hasColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    static func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    static func printError(_ line: String) { write("flic: \(line)\n", to: STDERR_FILENO) }

    /// Ends the program quietly when nobody reads any more.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR && errno != EAGAIN {
                exit(ExitCode.failed.rawValue)
            }
        }
    }
}
