package import EventLoops
import FlicClient
package import FoundationEssentials
import HTTP
import MQTT

/// Everything that hears a bridge, as a configuration says: rules, clients of the socket, a broker, metrics, the service manager and the journal.
///
/// It is an actor on the loop of the bridge. Rules hear of a press first.
package actor Daemon {
    /// What the daemon has of the world.
    package struct World: Sendable {
        /// Of the program.
        package var version: String
        /// The directory of the pairings; nil if they are in no file.
        package var store: String?
        /// The value of a variable.
        package var environment: @Sendable (String) -> String?
        /// The time of day.
        package var date: @Sendable () -> Date
        /// Whether something of this level and area is to be told.
        package var shows: @Sendable (LogLevel, LogArea) -> Bool
        package var log: @Sendable (LogLevel, String) -> Void
        /// Why Bluetooth is not available, where that is known: a sentence.
        package var problem: @Sendable () async -> String?

        package init(
            version: String,
            store: String?,
            environment: @escaping @Sendable (String) -> String?,
            date: @escaping @Sendable () -> Date,
            shows: @escaping @Sendable (LogLevel, LogArea) -> Bool,
            log: @escaping @Sendable (LogLevel, String) -> Void,
            problem: @escaping @Sendable () async -> String?
        ) {
            self.version = version
            self.store = store
            self.environment = environment
            self.date = date
            self.shows = shows
            self.log = log
            self.problem = problem
        }
    }

    /// What this build cannot do.
    package static var refusals: ConfigurationFile.Refusals {
        ConfigurationFile.Refusals(
            mqtt: MQTTClient.isAvailable ? nil : MQTTError.unavailable.description,
            webhooks: HTTPClient.isAvailable ? nil : HTTPClient.refusal
        )
    }

    package nonisolated let loop: DispatchLoop
    /// The daemon runs on the loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let bridge: Bridge
    private let world: World
    private var configuration: Configuration
    private let http: HTTPClient
    private let webhooks: WebhookRunner
    private let rules: RuleRunner
    private let server: SocketServer
    private let metrics: BridgeMetrics
    private let metricsServer: MetricsServer
    private let journal: JournalOutlet
    private let notifier: ServiceNotifier
    private var homeAssistant: HomeAssistant?
    private var bluetooth = CentralState.unknown
    /// The buttons have been told.
    private var hasBegun = false

    /// - Parameters:
    ///   - bridge: One that has not been started.
    ///   - loop: That of the bridge.
    package init(_ bridge: Bridge, on loop: DispatchLoop, _ configuration: Configuration, _ world: World) {
        precondition(bridge.loop === loop, "the daemon has to be on the loop of its bridge")
        self.bridge = bridge
        self.loop = loop
        self.configuration = configuration
        self.world = world
        http = HTTPClient(loop: loop)
        webhooks = WebhookRunner(loop: loop, client: http, log: world.log)
        let rules = RuleRunner(
            configuration.rules,
            loop: loop,
            programs: ProcessRunner(loop: loop),
            webhooks: webhooks,
            environment: world.environment,
            date: world.date,
            log: world.log
        )
        self.rules = rules
        let metrics = BridgeMetrics(
            loop: loop,
            version: world.version,
            sources: [{ rules.assumeIsolated { $0.counters.metrics } }],
            date: world.date
        )
        self.metrics = metrics
        metricsServer = MetricsServer(loop: loop, text: { metrics.assumeIsolated { $0.text } }, log: world.log)
        var facts = SocketServer.Facts(version: world.version, store: world.store)
        facts.problem = world.problem
        facts.metrics = { await metrics.text }
        facts.rules = { await rules.counters.byName }
        server = SocketServer(bridge, on: loop, facts: facts, date: world.date, log: world.log)
        journal = JournalOutlet(
            loop: loop,
            identifier: "flic",
            journal: StandardLog.isJournal(standardError: world.environment("JOURNAL_STREAM")) ? JournalOutlet.journal : nil,
            shows: world.shows,
            log: world.log
        )
        notifier = ServiceNotifier(loop: loop, environment: world.environment, log: world.log)
    }

    // MARK: Life

    /// Begins: binds the socket, reads the store, connects the buttons, and tells the service manager.
    ///
    /// - Throws: ``SocketError`` if the socket cannot be had; then nothing has begun.
    package func start() async throws(SocketError) {
        let bound: BoundSocket
        if let inherited = try BoundSocket(inherited: world.environment) {
            bound = inherited
        } else {
            bound = try BoundSocket(SocketPlace(configured: configuration.socket?.path, environment: world.environment))
        }
        await bridge.add { [weak self] notice in self?.assumeIsolated { $0.hear(notice) } }
        await serveMetrics()
        await bridge.start()
        hasBegun = true
        await server.start(bound)
        connectBroker()
        await notifier.ready(status)
    }

    /// Goes on with another configuration.
    package func apply(_ new: Configuration) async {
        await notifier.reloading()
        let old = configuration
        configuration = new
        if (old.adapter, old.store, old.socket) != (new.adapter, new.store, new.socket) {
            world.log(.notice, LogArea.daemon.remark("the adapter, the store and the socket stay as they are until the daemon is started anew"))
        }
        await rules.apply(new.rules)
        await serveMetrics()
        connectBroker()
        world.log(.notice, LogArea.daemon.remark("the configuration was read anew: \(summary)"))
        await notifier.ready(status)
    }

    /// Ends everything, in good order and within some seconds: clients, programs, links.
    package func stop() async {
        await notifier.stopping()
        await server.stop()
        await metricsServer.stop()
        await rules.stop()
        await webhooks.stop()
        await http.stop()
        hasBegun = false
        await homeAssistant?.stop()
        await bridge.stop()
    }

    /// What it does, in a few words.
    package var summary: String {
        let broker = configuration.mqtt.map { ", broker \($0.host)" } ?? ""
        let count = configuration.rules.count
        return "\(count == 1 ? "1 rule" : "\(count) rules")\(broker)"
    }

    private var status: String {
        let buttons = bridge.assumeIsolated { $0.buttons }
        return "\(buttons.count { $0.isReady }) of \(buttons.count) buttons ready, Bluetooth \(bluetooth.name)"
    }

    // MARK: What is told

    private func hear(_ notice: BridgeNotice) {
        rules.hear(notice)
        server.assumeIsolated { $0.hear(notice) }
        homeAssistant?.hear(notice)
        metrics.hear(notice)
        journal.hear(notice)
        if case .bluetooth(let state) = notice {
            bluetooth = state
            if homeAssistant == nil { connectBroker() }  // the store may have been missing
        }
        if notice.changesStatus {
            let status = status
            notifier.assumeIsolated { $0.tell(status) }
        }
    }

    // MARK: Parts that come and go

    private func serveMetrics() async {
        do throws(MetricsServer.Problem) {
            try await metricsServer.serve(at: configuration.metrics?.port)
        } catch {
            world.log(.problem, LogArea.daemon.remark(error.description))
        }
    }

    /// Not before it is known which buttons there are: all others would be removed at the broker.
    private func connectBroker() {
        guard hasBegun, bridge.assumeIsolated({ $0.hasStore }) else { return }
        switch (homeAssistant, configuration.mqtt) {
        case (nil, nil): break
        case (let client?, let wanted?): client.assumeIsolated { $0.apply(wanted) }
        case (let client?, nil):
            homeAssistant = nil
            Task(executorPreference: loop) { await client.stop(isForGood: true) }
        case (nil, let wanted?):
            let client = HomeAssistant(
                bridge,
                wanted,
                version: world.version,
                open: MQTTClient.opener(on: loop),
                date: world.date,
                log: world.log
            )
            homeAssistant = client
            for info in bridge.assumeIsolated({ $0.buttons }) { client.hear(.added(info)) }
            if bluetooth != .unknown { client.hear(.bluetooth(bluetooth)) }
            client.assumeIsolated { $0.start() }
        }
    }
}

extension BridgeNotice {
    /// Whether there are other buttons, or they are in another state.
    fileprivate var changesStatus: Bool {
        switch self {
        case .added, .removed, .bluetooth, .button(.ready, _), .button(.notReady, _), .button(.disconnected, _): true
        case .button, .changed: false
        }
    }
}

extension [(rule: String, counters: RuleCounters)] {
    /// For clients of the socket.
    fileprivate var byName: [String: [String: Int]] {
        Dictionary(map { ($0.rule, ["fired": $0.counters.fired, "skipped": $0.counters.skipped, "failed": $0.counters.failed]) }) { first, _ in first
        }
    }

    /// For monitoring.
    fileprivate var metrics: [MetricFamily] {
        let members: [(name: String, help: String, value: (RuleCounters) -> Int)] = [
            ("fired", "How often a rule fired.", \.fired),
            ("skipped", "Actions of a rule that were left out.", \.skipped),
            ("failed", "Actions of a rule without success.", \.failed),
        ]
        return members.map { member in
            let samples = map { MetricFamily.Sample(Double(member.value($0.counters)), suffix: "_total", labels: [.init("rule", $0.rule)]) }
            return MetricFamily("flickit_rule_\(member.name)", .counter, help: member.help, samples: samples)
        }
    }
}
