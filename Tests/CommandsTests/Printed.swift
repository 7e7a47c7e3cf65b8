import Commands
import Synchronization

/// What has been printed.
final class Printed: Sendable {
    private let texts = Mutex<(results: [String], errors: [String])>(([], []))

    var output: Output {
        Output(
            print: { text in self.texts.withLock { $0.results.append(text) } },
            printError: { text in self.texts.withLock { $0.errors.append(text) } }
        )
    }

    var results: [String] { texts.withLock { $0.results } }
    var errors: [String] { texts.withLock { $0.errors } }
}
