import CProcesses
@preconcurrency import Dispatch
import EventLoops
import Glibc

/// One run of a program.
///
/// `@unchecked Sendable`: all of it is used on the loop only.
final class ChildProcess: @unchecked Sendable {
    /// Between SIGTERM and SIGKILL.
    static let grace = Duration.seconds(2)
    /// How long a killed process is waited for.
    private static let lastWait = Duration.seconds(1)
    /// How often something is looked at that nothing tells of.
    private static let pause = Duration.milliseconds(50)
    /// Bytes that are read at a time, before others on the loop have their turn.
    private static let mostAtOnce = 65_536

    private let launch: ProgramLaunch
    private let loop: DispatchLoop
    private let started: () -> Void
    private let output: (String) -> Void
    private let openProcess: (pid_t) -> Int32
    private var ended: ((ProgramOutcome) -> Void)?

    /// 0 before it is started.
    private var process: pid_t = 0
    private var isReaped = false
    /// Why it is to end; nil as long as it is not.
    private var cause: ProgramOutcome?
    private var isKilled = false
    private var timer: ScheduledWork?
    private var exitReadiness: Readiness?
    private var outputReadiness: Readiness?
    private var reading: Descriptor?
    private var lines = OutputLines()

    /// - Parameters:
    ///   - openProcess: Opens the descriptor of a process.
    ///   - started: Hears that the program has been executed.
    ///   - output: Hears what it says, a line at a time.
    init(
        _ launch: ProgramLaunch,
        on loop: DispatchLoop,
        openProcess: @escaping (pid_t) -> Int32 = { process_descriptor($0) },
        started: @escaping () -> Void = {},
        output: @escaping (String) -> Void
    ) {
        self.launch = launch
        self.loop = loop
        self.openProcess = openProcess
        self.started = started
        self.output = output
    }

    /// Starts the program.
    ///
    /// - Parameter ended: Called once.
    func start(_ ended: @escaping (ProgramOutcome) -> Void) {
        guard cause == nil else { return ended(.ended) }
        self.ended = ended
        do throws(ProgramSpawn.Problem) {
            let spawned = try ProgramSpawn.start(launch)
            started()
            process = spawned.process
            read(spawned.output)
            watch()
            timer = loop.schedule(after: launch.timeout) { self.end(because: .timedOut) }
        } catch {
            finish(.notStarted(error.text))
        }
    }

    /// Tells the program to end, in good order if it can.
    func end() { end(because: .ended) }

    private func end(because cause: ProgramOutcome) {
        guard self.cause == nil else { return }
        self.cause = cause
        // Without a process, or with one whose end is known, there is nobody to be told.
        guard process > 0, !isReaped else { return }
        kill(-process, SIGTERM)
        timer?.cancel()
        timer = loop.schedule(after: Self.grace) { self.killGroup() }
    }

    private func killGroup() {
        isKilled = true
        kill(-process, SIGKILL)
        timer = loop.schedule(after: Self.lastWait) { self.finish(self.isReaped ? self.cause ?? .ended : .stuck) }
    }

    // MARK: Its end

    private func watch() {
        let number = openProcess(process)
        guard number >= 0 else { return look() }
        exitReadiness = Readiness(.reading, of: Descriptor(number), on: loop) {
            self.reap()
            self.exitReadiness?.arm()
        }
    }

    /// Where the kernel has no descriptor for a process, or none is left.
    private func look() {
        reap()
        if !isReaped { loop.schedule(after: Self.pause) { self.look() } }
    }

    private func reap() {
        guard !isReaped else { return }
        var status: Int32 = 0
        let result = waitpid(process, &status, WNOHANG)
        guard result != 0, result > 0 || errno != EINTR else { return }
        isReaped = true
        exitReadiness?.cancel()
        exitReadiness = nil
        if cause != nil { return waitForGroup() }
        finish(result > 0 ? Self.outcome(status) : .lost)
    }

    /// Those that a program has started, and that were told to end with it, have the same time for it. As long as one of them is there, no other group
    /// gets the number.
    private func waitForGroup() {
        guard ended != nil else { return }
        guard kill(-process, 0) == 0 else { return finish(cause ?? .ended) }
        loop.schedule(after: Self.pause) { self.waitForGroup() }
    }

    private static func outcome(_ status: Int32) -> ProgramOutcome {
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
    }

    private func finish(_ outcome: ProgramOutcome) {
        guard let ended else { return }
        self.ended = nil
        timer?.cancel()
        timer = nil
        // What was said before the end is there already. Others may hold the pipe open for as long as they like.
        readOnce()
        for line in lines.rest() { output(line) }
        closeOutput()
        ended(outcome)
    }

    // MARK: Its output

    private func read(_ descriptor: Descriptor) {
        reading = descriptor
        outputReadiness = Readiness(.reading, of: descriptor, on: loop) {
            self.readOnce()
            self.outputReadiness?.arm()
        }
    }

    private func readOnce() {
        guard let reading else { return }
        let count = withUnsafeTemporaryAllocation(byteCount: Self.mostAtOnce, alignment: 1) { buffer in
            let count = Glibc.read(reading.number, buffer.baseAddress, buffer.count)
            if count > 0 { for line in lines.take(buffer.prefix(count)) { output(line) } }
            return count
        }
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { closeOutput() }
    }

    private func closeOutput() {
        outputReadiness?.cancel()
        outputReadiness = nil
        reading = nil
    }
}
