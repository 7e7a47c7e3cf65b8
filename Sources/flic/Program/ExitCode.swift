/// How the program ends, for scripts.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 2
    case bluetoothUnavailable = 3
    case denied = 4
    case noButtonFound = 5
    case refused = 6
    case notPaired = 7
    case timedOut = 8
    case interrupted = 130

    /// For the help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .usage: "the arguments were not understood"
        case .bluetoothUnavailable: "Bluetooth is not available"
        case .denied: "permission denied"
        case .noButtonFound: "no button was found"
        case .refused: "the button refused: not in pairing mode, other brand, too many apps, another device holds it, or wrong firmware"
        case .notPaired: "the button is not paired, or no longer"
        case .timedOut: "the time was over"
        case .interrupted: "interrupted by SIGINT or SIGTERM"
        }
    }
}
