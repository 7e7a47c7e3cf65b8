import FlicClient
import FlicSimulator
import FoundationEssentials
import Glibc

/// What the program has of the world. Tests give it another one.
struct ProgramContext: Sendable {
    /// Where transports run and times are measured.
    var loop: any EventLoop
    var output: Output
    /// The time of day.
    var date: @Sendable () -> Date = { Date() }
    /// The value of a variable.
    var environment: @Sendable (String) -> String? = { ProcessInfo.processInfo.environment[$0] }
    /// An element for each wish that the program end.
    var interrupts: @Sendable () -> AsyncStream<Void>
    /// An element for each wish that a configuration be read anew.
    var reloads: @Sendable () -> AsyncStream<Void> = { AsyncStream { _ in } }
    /// What is typed.
    var input: Input
    var makeTransport: @Sendable (TransportRequest) async throws -> Transport
    var makeBroadcast:
        @Sendable (TransportRequest, _ design: ButtonDesign, _ tell: @escaping @Sendable (BroadcastNotice) -> Void) async throws -> Broadcast
    /// A store in this directory; nil stands for the usual one.
    var makeStore: @Sendable (URL?, @escaping @Sendable (LogLevel, String) -> Void) throws -> any PairingStore
    var examiner = Examiner()
    /// Where daemons may be found.
    var sockets: @Sendable () -> [String] = { [] }
    /// Ends the program at once, whatever still hangs.
    var quit: @Sendable (ExitCode) -> Void = { exit($0.rawValue) }
}

/// What is asked of a way to reach buttons, or to be one.
struct TransportRequest: Sendable {
    /// Where it is to run.
    let loop: any EventLoop
    /// Name or address of the adapter; nil for the usual one.
    let adapter: String?
    /// Where its remarks go.
    let log: @Sendable (LogLevel, String) -> Void
}

/// A way to reach buttons.
struct Transport: Sendable {
    let central: any Central
    /// What it knows about why Bluetooth is not available: a sentence.
    var problem: @Sendable () async -> String? = { nil }
}

/// A simulated button on the air.
struct Broadcast: Sendable {
    let button: SimulatedButton
    /// Takes it off the air.
    let end: @Sendable () async -> Void
}

/// What happens around a simulated button on the air.
enum BroadcastNotice: Sendable {
    /// The state of Bluetooth, and why it is that, where that is known.
    case state(CentralState, problem: String?)
    /// A central has connected.
    case connected(BluetoothAddress)
    /// It has gone.
    case disconnected
    /// The button could not be put on the air.
    case failed(String)
}

/// What is typed.
struct Input: Sendable {
    enum Element: Sendable {
        case line(String)
        /// From a terminal, at once.
        case key(Character)
    }

    var isTerminal = false
    /// Elements from now on, until the input ends.
    let elements: @Sendable () -> AsyncStream<Element>
}
