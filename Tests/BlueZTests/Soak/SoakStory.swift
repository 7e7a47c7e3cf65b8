import FlicSimulator
import Synchronization

/// The latest of what was going on, for those who look into a failure.
final class SoakStory: Sendable {
    private static let limit = 80

    private let clock: VirtualLoop
    private let lines = Mutex<[String]>([])

    init(_ clock: VirtualLoop) { self.clock = clock }

    func note(_ line: @autoclosure () -> String) {
        let text = "\(clock.now / .seconds(1)) s: \(line())"
        lines.withLock { lines in
            lines.append(text)
            if lines.count > 2 * Self.limit { lines.removeFirst(Self.limit) }
        }
    }

    var text: String { lines.withLock { $0.suffix(Self.limit).joined(separator: "\n") } }
}
