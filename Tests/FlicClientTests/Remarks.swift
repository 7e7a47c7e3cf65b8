import FlicClient
import Synchronization

/// Remarks of the library, for tests.
final class Remarks: Sendable {
    private let lines = Mutex<[(LogLevel, String)]>([])

    func note(_ level: LogLevel, _ text: String) { lines.withLock { $0.append((level, text)) } }

    var all: [(LogLevel, String)] { lines.withLock { $0 } }

    var notices: [String] { lines.withLock { $0 }.filter { $0.0 == .notice }.map(\.1) }

    var problems: [String] { lines.withLock { $0 }.filter { $0.0 == .problem }.map(\.1) }
}
