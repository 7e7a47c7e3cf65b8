import FoundationEssentials
import Glibc

/// What the program does when a rule runs it: it prints the counter of the event, and when its `main` began.
enum Stamp {
    private static let argument = "stamp"

    /// The command that a rule runs.
    static var command: [String] {
        get throws {
            guard let path = realpath("/proc/self/exe", nil) else { throw Invocation.Failure("The path of this program is not known.") }
            defer { free(path) }
            return [String(cString: path), argument]
        }
    }

    /// - Parameter arguments: With the name of the program.
    static func isAskedFor(_ arguments: [String]) -> Bool { arguments.count == 2 && arguments[1] == argument }

    static func print() {
        let time = MonotonicTime.now
        Swift.print("\(ProcessInfo.processInfo.environment["FLICKIT_COUNT"] ?? "") \(time)")
    }

    /// The time in a line that was printed for an event; nil if it was for another one.
    static func time(in line: String, count: String) -> UInt64? {
        let words = line.split(separator: " ")
        return words.count == 2 && words[0] == count ? UInt64(words[1]) : nil
    }
}
