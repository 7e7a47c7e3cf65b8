import Commands

/// How the program ends, for scripts. Codes that `flic` has as well mean the same there.
enum ExitCode: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 2
    case bluetoothUnavailable = 3
    case denied = 4
    case nothingFound = 5
    case interrupted = 130

    /// For the help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .usage: "the arguments were not understood"
        case .bluetoothUnavailable: "Bluetooth is not available"
        case .denied: "permission denied"
        case .nothingFound: "no device was found"
        case .interrupted: "interrupted by SIGINT or SIGTERM"
        }
    }
}
