import EventLoops
import FlicBridge
import FlicSimulator
import Logs
import Synchronization

/// Programs that run until a test ends them.
actor ScriptedPrograms: ProgramRunner {
    private struct State {
        var launches: [ProgramLaunch] = []
        var running: [Int: CheckedContinuation<ProgramOutcome, Never>] = [:]
        var cancelled: [Int] = []
    }

    private let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let state = Mutex(State())
    /// Whether programs end when they are told to.
    private let isObedient: Bool

    init(loop: any EventLoop, isObedient: Bool) {
        self.loop = loop
        self.isObedient = isObedient
    }

    func run(_ launch: ProgramLaunch, output: @escaping @Sendable (String) -> Void) async -> ProgramOutcome {
        let number = state.withLock { state in
            state.launches.append(launch)
            return state.launches.count - 1
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.running[number] = continuation }
                output("runs")
            }
        } onCancel: {
            state.withLock { $0.cancelled.append(number) }
            if isObedient { end(number, .ended) }
        }
    }

    /// Ends the program that was started as the n-th, from 0.
    nonisolated func end(_ number: Int, _ outcome: ProgramOutcome = .exited(0)) {
        state.withLock { $0.running.removeValue(forKey: number) }?.resume(returning: outcome)
    }

    nonisolated var launches: [ProgramLaunch] { state.withLock { $0.launches } }
    /// First arguments, in the order in which they were started.
    nonisolated var started: [String] { launches.map { $0.command.last ?? "" } }
    /// Counters of the presses for which they were started.
    nonisolated var counts: [String] { launches.map { $0.environment["FLICKIT_COUNT"] ?? "" } }
    nonisolated var running: [Int] { state.withLock { $0.running.keys.sorted() } }
    nonisolated var cancelled: [Int] { state.withLock { $0.cancelled } }
}

/// Web hooks that a test answers beforehand.
actor ScriptedWebhooks: WebhookSender {
    private let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let state = Mutex<[(url: String, event: EventRecord)]>([])
    /// nil: there is none until the task is cancelled.
    private let outcome: WebhookOutcome?

    init(_ outcome: WebhookOutcome? = .delivered, loop: any EventLoop) {
        self.outcome = outcome
        self.loop = loop
    }

    func send(_ hook: Configuration.Webhook, for event: EventRecord) async -> WebhookOutcome {
        state.withLock { $0.append((hook.url, event)) }
        if let outcome { return outcome }
        for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
        return .dropped("cancelled")
    }

    nonisolated var sent: [(url: String, event: EventRecord)] { state.withLock { $0 } }
}

/// RuleRemarks, each with its level.
final class RuleRemarks: Sendable {
    private let lines = Mutex<[(level: LogLevel, text: String)]>([])

    @Sendable func log(_ level: LogLevel, _ text: String) { lines.withLock { $0.append((level, text)) } }

    func texts(_ level: LogLevel) -> [String] { lines.withLock { $0.filter { $0.level == level }.map(\.text) } }
}

extension RuleRunner {
    /// As the bridge tells it.
    func tell(_ notice: BridgeNotice) { hear(notice) }

    /// Presses, whose counters are from 1.
    func press(_ info: ButtonInfo, _ kind: PressEvent.Kind = .click, count: Int = 1) {
        for number in 1...count { hear(.button(.press(PressEvent(kind: kind, eventCount: UInt32(number))), info)) }
    }
}
