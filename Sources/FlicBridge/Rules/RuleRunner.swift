package import EventLoops
import FlicClient
package import FoundationEssentials
package import Logs

/// Carries out the rules of a configuration: an outlet of a ``Bridge``.
///
/// Each rule is asked about each press, in the order of the file; none stops another. What rules do is done beside each other; only the programs of one
/// rule are run as it says (``Configuration/Exec/Concurrency``), and no more than ``mostPrograms`` at the same time. What has to wait for that does so
/// in the order of the presses.
///
/// It is an actor on the loop of the bridge.
package actor RuleRunner {
    /// Programs at the same time.
    package static let mostPrograms = 16
    /// Web hooks of a rule that have not been answered.
    package static let mostHooks = 64
    /// How long ``stop()`` waits: longer than a program can take to be ended.
    private static let longestEnd = Duration.seconds(5)

    /// What the daemon has of its own and may pass on to programs.
    package typealias Environment = @Sendable (String) -> String?

    private let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let programs: any ProgramRunner
    private let webhooks: any WebhookSender
    private let environment: Environment
    private let date: @Sendable () -> Date
    private let log: @Sendable (LogLevel, String) -> Void

    private var lanes: [RuleLane] = []
    private var programCount = 0
    private var jobCount = 0
    /// What is being done. Also of rules that are gone.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var programTasks: [ObjectIdentifier: Int] = [:]
    private var lastTask = 0
    private var isStopped = false
    private var idleHandlers: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - loop: That of the bridge.
    ///   - programs: Runs the programs of rules.
    ///   - webhooks: Sends their web hooks.
    ///   - environment: The value of a variable of the daemon.
    ///   - date: The time of day.
    package init(
        _ rules: [Configuration.Rule],
        loop: any EventLoop,
        programs: any ProgramRunner,
        webhooks: any WebhookSender,
        environment: @escaping Environment,
        date: @escaping @Sendable () -> Date = { Date() },
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.loop = loop
        self.programs = programs
        self.webhooks = webhooks
        self.environment = environment
        self.date = date
        self.log = log
        lanes = rules.map { RuleLane($0) }
    }

    /// Hears what happens. Called on the loop.
    package nonisolated func hear(_ notice: BridgeNotice) { assumeIsolated { $0.receive(notice) } }

    /// Goes on with these rules. One that was there before, as it is now, keeps its programs and its memory; a changed one keeps its counters. What runs
    /// for a rule that is gone comes to its end, but what waits for it is left out.
    package func apply(_ rules: [Configuration.Rule]) {
        var old = lanes
        lanes = rules.map { rule in
            if let index = old.firstIndex(where: { $0.rule == rule }) { return old.remove(at: index) }
            return RuleLane(rule, counters: old.first { $0.rule.name == rule.name }?.counters ?? RuleCounters())
        }
        for lane in old { leaveOut(lane.drop(), of: lane, "its rule is gone") }
    }

    /// Ends all that runs, and waits for it, but not for long. Nothing is heard any more.
    package func stop() async {
        isStopped = true
        for lane in lanes { _ = lane.drop() }
        for task in tasks.values { task.cancel() }
        let limit = loop.schedule(after: Self.longestEnd) { [weak self] in self?.assumeIsolated { $0.tellIdle() } }
        await withCheckedContinuation { continuation in
            idleHandlers.append(continuation)
            if tasks.isEmpty { tellIdle() }
        }
        limit.cancel()
    }

    /// What has become of each rule, in the order of the file.
    package var counters: [(rule: String, counters: RuleCounters)] { lanes.map { ($0.rule.name, $0.counters) } }

    /// How many programs and web hooks are under way.
    package var runningCount: Int { tasks.count }

    // MARK: Presses

    private func receive(_ notice: BridgeNotice) {
        guard !isStopped else { return }
        switch notice {
        case .button(.press(let press), let info): decide(press, info)
        case .removed(let info): for lane in lanes { lane.matcher.forget(info.identifier) }
        case .added, .bluetooth, .button, .changed: break
        }
    }

    private func decide(_ press: PressEvent, _ info: ButtonInfo) {
        let subject = RuleSubject(press, of: info)
        let now = loop.now
        let firing = lanes.filter { $0.matcher.verdict(on: subject, now: now) == .fires }
        guard !firing.isEmpty else { return }
        let record = record(press, info)
        for lane in firing {
            lane.matcher.note(subject, now: now)
            lane.counters.fired += 1
            remark(.debug, "fires: \(record.event) of \(info.title)", lane)
            if let exec = lane.rule.exec { admit(record, exec, lane, now) }
            if let webhook = lane.rule.webhook { send(record, webhook, lane) }
        }
    }

    private func record(_ press: PressEvent, _ info: ButtonInfo) -> EventRecord {
        var record = EventRecord(press)
        record.tell(info)
        record.tell(date())
        if let battery = info.battery { record.tell(battery) }
        return record
    }

    // MARK: Programs

    private func admit(_ record: EventRecord, _ exec: Configuration.Exec, _ lane: RuleLane, _ now: Duration) {
        jobCount += 1
        let due = lane.rule.maxAge.map { now + $0 - .seconds(record.age ?? 0) }
        let job = RuleLane.Job(record: record, number: jobCount, due: due)
        switch lane.admit(job, for: exec, hasRoom: programCount < Self.mostPrograms) {
        case .waits: break
        case .replaces(let count): leaveOut(count, of: lane, "a later press takes its place", .debug)
        case .busy: leaveOut(1, of: lane, lane.isRunning ? "its program still runs" : "\(Self.mostPrograms) programs run already")
        case .full: leaveOut(1, of: lane, "\(RuleLane.mostWaiting) presses wait already")
        }
        if exec.concurrency == .restart, let number = programTasks[ObjectIdentifier(lane)] { tasks[number]?.cancel() }
        startPrograms()
    }

    /// Starts what can be.
    private func startPrograms() {
        while programCount < Self.mostPrograms {
            let ready = lanes.filter { !$0.isRunning && !$0.waiting.isEmpty }
            guard let lane = ready.min(by: { $0.waiting[0].number < $1.waiting[0].number }), let job = lane.takeNext() else { return }
            if let due = job.due, due < loop.now {
                leaveOut(1, of: lane, "it waited for too long")
            } else if let exec = lane.rule.exec {
                start(exec, job, lane)
            }
        }
    }

    private func start(_ exec: Configuration.Exec, _ job: RuleLane.Job, _ lane: RuleLane) {
        let launch = ProgramLaunch(
            command: exec.command,
            environment: ProgramEnvironment.variables(of: job.record, configured: exec.environment, own: environment),
            input: job.record.jsonLine,
            timeout: exec.timeout
        )
        programCount += 1
        lane.isRunning = true
        let says = { @Sendable [log, rule = lane.rule.name] (line: String) in log(.notice, LogArea.rules.remark(line, of: rule)) }
        programTasks[ObjectIdentifier(lane)] = begin { runner in
            let outcome = await runner.programs.run(launch, output: says)
            runner.programCount -= 1
            lane.isRunning = false
            runner.programTasks[ObjectIdentifier(lane)] = nil
            runner.note(outcome, of: exec, lane)
            runner.startPrograms()
        }
    }

    private func note(_ outcome: ProgramOutcome, of exec: Configuration.Exec, _ lane: RuleLane) {
        switch outcome {
        case .exited(0): remark(.debug, "\(exec.command[0]): done", lane)
        case .ended: remark(.debug, "\(exec.command[0]): \(outcome), \(isStopped ? "as the daemon stops" : "as it starts anew")", lane)
        case .exited, .signalled, .timedOut, .notStarted, .stuck, .lost:
            lane.counters.failed += 1
            remark(.problem, "\(exec.command[0]): \(outcome)", lane)
        }
    }

    // MARK: Web hooks

    private func send(_ record: EventRecord, _ webhook: Configuration.Webhook, _ lane: RuleLane) {
        guard lane.hookCount < Self.mostHooks else { return leaveOut(1, of: lane, "\(Self.mostHooks) web hooks are under way already") }
        lane.hookCount += 1
        _ = begin { runner in
            let outcome = await runner.webhooks.send(webhook, for: record)
            lane.hookCount -= 1
            runner.note(outcome, lane)
        }
    }

    private func note(_ outcome: WebhookOutcome, _ lane: RuleLane) {
        switch outcome {
        case .delivered: remark(.debug, "web hook: delivered", lane)
        case .dropped(let reason): leaveOut(1, of: lane, "web hook: \(reason)")
        case .failed(let reason):
            lane.counters.failed += 1
            remark(.problem, "web hook: \(reason)", lane)
        }
    }

    // MARK: What is under way

    /// Begins what takes time. The preference keeps it on the loop throughout: without it, every wait would resume by way of the global pool.
    ///
    /// - Returns: The number of the task.
    private func begin(_ body: @escaping @Sendable (isolated RuleRunner) async -> Void) -> Int {
        lastTask += 1
        let number = lastTask
        tasks[number] = Task(executorPreference: loop) {
            await body(self)
            await self.end(number)
        }
        return number
    }

    private func end(_ number: Int) {
        tasks[number] = nil
        if tasks.isEmpty { tellIdle() }
    }

    private func tellIdle() {
        for handler in idleHandlers { handler.resume() }
        idleHandlers = []
    }

    private func leaveOut(_ count: Int, of lane: RuleLane, _ reason: String, _ level: LogLevel = .notice) {
        guard count > 0 else { return }
        lane.counters.skipped += count
        remark(level, "left out: \(reason)", lane)
    }

    private func remark(_ level: LogLevel, _ text: String, _ lane: RuleLane) { log(level, LogArea.rules.remark(text, of: lane.rule.name)) }
}
