/// How the program ends, for scripts.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case bluetoothUnavailable = 3
    case denied = 4
    case noButtonFound = 5
    case refused = 6
    case notPaired = 7
    case timedOut = 8
}
