/// Runs programs.
package protocol ProgramRunner: Sendable {
    /// Runs a program to its end. When the task is cancelled the program is told to end, which is waited for, but not for long.
    ///
    /// - Parameter output: Hears what it says, a line at a time; not after the function has returned.
    func run(_ launch: ProgramLaunch, output: @escaping @Sendable (String) -> Void) async -> ProgramOutcome
}

/// A program to be run, and all that it is given.
package struct ProgramLaunch: Sendable, Equatable {
    /// An absolute path, and arguments.
    package var command: [String]
    /// All variables.
    package var environment: [String: String]
    /// What it can read from its standard input: 4 KiB at most.
    package var input: [UInt8]
    /// It is ended if it still runs after this time.
    package var timeout: Duration

    package init(command: [String], environment: [String: String] = [:], input: [UInt8] = [], timeout: Duration = .seconds(10)) {
        self.command = command
        self.environment = environment
        self.input = input
        self.timeout = timeout
    }
}

/// How a program has ended.
package enum ProgramOutcome: Sendable, Equatable {
    /// With this code.
    case exited(Int32)
    /// By this signal, which was not sent from here.
    case signalled(Int32)
    /// Its time was over, and it was ended.
    case timedOut
    /// It was ended because the task was cancelled.
    case ended
    /// It could not be started, and why.
    case notStarted(String)
    /// It does not end, even when killed: it hangs in the kernel. It is no longer waited for.
    case stuck
    /// It has ended, but the system does not tell how.
    case lost
}

extension ProgramOutcome: CustomStringConvertible {
    /// For logs.
    package var description: String {
        switch self {
        case .exited(let code): "exit code \(code)"
        case .signalled(let number): "ended by signal \(number)"
        case .timedOut: "not done in time, and ended"
        case .ended: "ended"
        case .notStarted(let reason): "not started: \(reason)"
        case .stuck: "does not end, even when killed"
        case .lost: "has ended, nobody knows how"
        }
    }
}
