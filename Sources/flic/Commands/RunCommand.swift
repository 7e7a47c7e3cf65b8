import FlicBridge
import FoundationEssentials

/// `flic run`: the daemon.
///
/// JSON, one line: ``EventRecord`` with `event` (`running`), `date` and `message`.
enum RunCommand {
    private static let config = Option(
        name: "--config",
        value: "FILE",
        choices: .files,
        summary: "Read this configuration, not that of the usual place."
    )

    static let command = Command(
        name: "run",
        summary: "Keep buttons connected, and do what the configuration says: the daemon.",
        discussion: """
            Keeps all paired buttons connected, and runs programs, calls web hooks and tells a broker and the clients of its socket what is
            done with them, as the configuration says. It waits for Bluetooth if that is not available. Other commands do their work through
            it while it runs.

            The configuration is config.json in $CONFIGURATION_DIRECTORY, or else flickit/config.json in $XDG_CONFIG_HOME or ~/.config, or
            /etc/flickit/config.json. Without one there are no rules. 'flic rules check' tells what is wrong with it, and 'flic rules test'
            what a press would do. --adapter and --store count more than what it says.

            SIGHUP has it read the configuration anew; if that is wrong it says so and goes on as before. SIGTERM and SIGINT end it in good
            order, with exit code 0.

            With --json: one object with the members event ("running"), date and message (what it does, in a few words), once it has begun.
            """,
        options: [config, Invocation.record],
        runsUntilInterrupted: true,
        run: run
    )

    private static func run(_ original: Invocation) async throws {
        let path = original.arguments.value(config) ?? ConfigurationFile.usualPath(environment: original.context.environment)
        let configuration = try path.map { path throws(Failure) in try firstConfiguration(path, original) } ?? Configuration()
        let invocation = Invocation(original, usual: configuration)
        let daemon = try await makeDaemon(configuration, invocation)
        try await daemon.start()
        do {
            try tell(await daemon.summary, invocation)
            for await _ in invocation.context.reloads() {
                if let path { await reload(daemon, path, invocation) }
            }
            try await untilCancelled()
        } catch {
            await daemon.stop()
            throw error
        }
    }

    private static func makeDaemon(_ configuration: Configuration, _ invocation: Invocation) async throws -> Daemon {
        guard let loop = invocation.loop as? DispatchLoop else { throw Failure(.failed, "failed", "The daemon needs a loop that watches sockets.") }
        let store = try invocation.store()
        let hub = try await invocation.makeHub(store)
        let world = Daemon.World(
            version: FlicProgram.version,
            store: (store as? FileStore)?.directory.path(),
            environment: invocation.context.environment,
            date: invocation.context.date,
            shows: invocation.shows,
            log: invocation.log,
            problem: hub.transport.problem
        )
        return Daemon(Bridge(hub.flic), on: loop, configuration, world)
    }

    private static func tell(_ summary: String, _ invocation: Invocation) throws {
        guard invocation.isJSON else { return invocation.remark("Running: \(summary).") }
        var record = EventRecord("running")
        record.tell(invocation.context.date())
        record.message = summary
        try invocation.printJSON(record)
    }

    private static func firstConfiguration(_ path: String, _ invocation: Invocation) throws(Failure) -> Configuration {
        do throws(ConfigurationError) {
            return try read(path, invocation)
        } catch {
            for line in error.lines { invocation.log(.problem, LogArea.daemon.remark(line)) }
            throw Failure(error)
        }
    }

    private static func reload(_ daemon: Daemon, _ path: String, _ invocation: Invocation) async {
        do throws(ConfigurationError) {
            await daemon.apply(try read(path, invocation))
        } catch {
            for line in error.lines { invocation.log(.problem, LogArea.daemon.remark(line)) }
            invocation.log(.problem, LogArea.daemon.remark("the configuration stays as it was"))
        }
    }

    private static func read(_ path: String, _ invocation: Invocation) throws(ConfigurationError) -> Configuration {
        let contents = try ConfigurationFile(path: path, refusals: Daemon.refusals).read()
        for warning in contents.warnings { invocation.log(.notice, LogArea.daemon.remark("\(warning)")) }
        return contents.configuration
    }
}
