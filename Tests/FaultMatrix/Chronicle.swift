import Foundation
import Synchronization

/// What happened in a round, and when: for those who wait for something, for the judge, and for whoever looks for the cause of a failure.
final class Chronicle: Sendable {
    /// A line of `flic listen --json`.
    struct Told: Decodable {
        let event: String
        let count: UInt32?
        let queued: Bool?
        let state: String?
        let reason: String?
    }

    /// Something that was told, and when.
    struct Item {
        let at: Duration
        let told: Told
    }

    private struct Content {
        var items: [Item] = []
        var lines: [String] = []
        var notices: [(at: Duration, name: String)] = []
        /// What makes no sense.
        var oddities: [String] = []
    }

    private let content = Mutex(Content())
    private static let start = ContinuousClock.now

    /// Time since the program began.
    static var now: Duration { start.duration(to: .now) }

    func clear() { content.withLock { $0 = Content() } }

    /// What the matrix itself does or finds.
    func note(_ text: String) { write("matrix", text) }

    /// Something that the button noticed.
    func notice(_ name: String) {
        write("button", name)
        content.withLock { $0.notices.append((Self.now, name)) }
    }

    /// A line of the application's standard output.
    func output(_ line: String) {
        write("output", line)
        let told = try? JSONDecoder().decode(Told.self, from: Data(line.utf8))
        content.withLock { content in
            if let told { content.items.append(Item(at: Self.now, told: told)) } else { content.oddities.append("not JSON: \(line)") }
        }
    }

    /// A line of its standard error.
    func remark(_ line: String) { write("error", line) }

    private func write(_ source: String, _ text: String) {
        let time = String(format: "%9.3f", Self.now / .seconds(1))
        content.withLock { $0.lines.append("\(time) \(source.padding(toLength: 6, withPad: " ", startingAt: 0)) \(text)") }
    }

    var items: [Item] { content.withLock { $0.items } }
    var lines: [String] { content.withLock { $0.lines } }
    var oddities: [String] { content.withLock { $0.oddities } }

    func noticed(_ name: String, since time: Duration) -> Bool { content.withLock { $0.notices.contains { $0.name == name && $0.at >= time } } }

    /// Waits until something is so.
    ///
    /// - Returns: false if it was not within that time.
    func until(within limit: Duration, _ condition: () async -> Bool) async -> Bool {
        let end = Self.now + limit
        while Self.now < end {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return await condition()
    }
}
