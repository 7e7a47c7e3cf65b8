package import EventLoops
import FlicClient
package import FoundationEssentials
import Logs
package import MQTT

/// Keeps a broker in step with a bridge, so that Home Assistant, and everybody else there, finds the buttons and hears of presses.
///
/// Presses are messages that are never retained, and wait for the broker where it is away. Everything else tells how something is now: it is retained, and
/// told anew with each connection. What an earlier run, or other settings, left at the broker is found by what is retained there (``Publication``), and
/// removed.
///
/// It is an actor on the loop of its bridge.
package actor HomeAssistant {
    /// How long the broker may take to show what it has retained.
    static let readingTime = Duration.seconds(5)
    /// How long to wait at most after Home Assistant has started: it is busy then, and others wait, too.
    private static let longestDelay = Duration.seconds(3)
    /// How long the broker may take for the last messages.
    private static let closingTime = Duration.seconds(2)
    /// Buttons of earlier runs that are removed, for each connection.
    static let mostStrangers = 1000

    package nonisolated let loop: any EventLoop
    /// It runs on the loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let bridge: Bridge
    let origin: Origin
    let date: @Sendable () -> Date
    private let log: @Sendable (LogLevel, String) -> Void
    private let open: MQTTOpener
    private var jitter: Jitter
    private(set) var configuration: Configuration.MQTT
    private(set) var client: MQTTClient?
    /// Buttons by id.
    var buttons: [String: ButtonInfo] = [:]
    /// Their ids, in the order of pairing.
    var order: [String] = []
    var bluetooth = CentralState.unknown
    /// When something was done with a button last; by id.
    var lastPresses: [String: Date] = [:]
    /// How buttons, and the bridge, are known at the broker; by id.
    var published: [String: Publication] = [:]
    /// What the broker was told in this connection; by topic.
    var told: [String: [UInt8]] = [:]
    /// What the broker had retained has been read, and it has been told everything.
    var isAnnounced = false
    /// The announcement that comes next.
    private var announcement: ScheduledWork?
    var strangers = 0
    var renames = 0
    var nextCorrection = Duration.zero
    private var isStopping = false
    /// Presses that were dropped, because they were too old or too many.
    private(set) package var droppedPresses = 0

    /// - Parameters:
    ///   - version: Of the program.
    ///   - open: How connections are made: ``MQTTClient/opener(on:)``.
    ///   - seed: For the lengths of pauses.
    package init(
        _ bridge: Bridge,
        _ configuration: Configuration.MQTT,
        version: String,
        open: @escaping MQTTOpener,
        seed: UInt64 = .random(in: .min ... .max),
        date: @escaping @Sendable () -> Date = { Date() },
        log: @escaping @Sendable (LogLevel, String) -> Void = StandardLog.write
    ) {
        self.bridge = bridge
        self.configuration = configuration
        self.open = open
        self.date = date
        self.log = log
        loop = bridge.loop
        origin = Origin(swVersion: version)
        jitter = Jitter(seed: seed)
    }

    /// Where the client stands.
    package var connection: MQTTClient.State { client?.state ?? .stopped }

    /// Connects. To be called once the bridge has told its buttons: those that the broker knows and the bridge does not are removed there.
    package func start() {
        guard client == nil, !isStopping else { return }
        client = MQTTClient(loop: loop, seed: UInt64(jitter.wait(upTo: .seconds(1000)) / .milliseconds(1)), open: open) { [weak self] notice in
            self?.assumeIsolated { $0.receive(notice) }
        }
        connect()
    }

    /// Tells that the bridge is gone, and ends the connection; within about four seconds.
    ///
    /// - Parameter isForGood: Whether nothing is to stay at the broker.
    package func stop(isForGood: Bool = false) async {
        isStopping = true
        announcement?.cancel()
        guard let client else { return }
        if isForGood { removeEverything() } else { tell(topics.availability(of: BridgeTopics.bridge), Availability.offline) }
        isAnnounced = false
        await withCheckedContinuation { continuation in
            client.stop(within: Self.closingTime) { continuation.resume() }
        }
    }

    /// Goes on with other settings. What was published by the old ones and does not belong to the new ones is removed, if the broker can be reached.
    package func apply(_ new: Configuration.MQTT) {
        let old = configuration
        guard new != old || connection != .connected else { return }
        let isElsewhere = (old.host, old.port, old.baseTopic, old.clientID) != (new.host, new.port, new.baseTopic, new.clientID)
        if client != nil, isElsewhere { removeEverything() }
        configuration = new
        if client != nil, !isStopping { connect() }
    }

    private func connect() {
        do throws(SecretFile.Problem) {
            var options = try MQTTOptions(configuration)
            let topic = topics.availability(of: BridgeTopics.bridge)
            options.will = .retained(topic, Array(Availability.offline.rawValue.utf8))
            client?.start(options, subscribingTo: topics.filters)
        } catch {
            remark(.problem, "The broker's password: \(error).")
        }
    }

    var topics: BridgeTopics { BridgeTopics(base: configuration.baseTopic, discoveryPrefix: configuration.discoveryPrefix) }

    /// By which this bridge knows what is its own.
    var clientID: String { configuration.clientID ?? MQTTOptions.usualClientID }

    func remark(_ level: LogLevel, _ text: String, of button: ButtonInfo? = nil) {
        log(level, LogArea.mqtt.remark(text, of: button?.serialNumber))
    }

    // MARK: The bridge

    /// Hears what a bridge tells. To be called on its loop.
    package nonisolated func hear(_ notice: BridgeNotice) { assumeIsolated { $0.receive(notice) } }

    private func receive(_ notice: BridgeNotice) {
        switch notice {
        case .added(let info):
            if buttons.updateValue(info, forKey: info.uuid) == nil { order.append(info.uuid) }
            update(info.uuid)
        case .removed(let info):
            buttons[info.uuid] = nil
            order.removeAll { $0 == info.uuid }
            lastPresses[info.uuid] = nil
            if isAnnounced { remove(info.uuid) }
        case .bluetooth(let state):
            bluetooth = state
            if isAnnounced { announce() }
        case .button(let notice, let info):
            buttons[info.uuid] = info
            if case .press(let press) = notice {
                guard let gesture = Gesture(press.kind) else { return }
                publish(gesture, press, of: info)
            }
            update(info.uuid)
        case .changed(let info):
            buttons[info.uuid] = info
            update(info.uuid)
        }
    }

    private func update(_ id: String) {
        if isAnnounced { announce(id) }
    }

    /// Tells what was done with a button.
    private func publish(_ gesture: Gesture, _ press: PressEvent, of info: ButtonInfo) {
        let now = date()
        lastPresses[info.uuid] = PressReport.date(of: press, told: now)
        let maxAge = configuration.maxAge.map { $0 - .seconds(press.age) }
        if let maxAge, maxAge < .zero { return lose(gesture, of: info, because: "it was too old") }
        let topics = topics
        client?.publish(maxAge: maxAge) { waited in
            .event(topics.event(of: info.uuid), MQTTPayload.json(PressReport(gesture, press, date: now, waited: waited), isSnakeCase: true))
        }
        client?.publish(maxAge: maxAge) { _ in .event(topics.action(of: info.uuid), Array(gesture.rawValue.utf8)) }
    }

    private func lose(_ gesture: Gesture, of info: ButtonInfo, because reason: String) {
        droppedPresses += 1
        remark(.problem, "A \(gesture.rawValue) was dropped: \(reason).", of: info)
    }

    // MARK: The client

    private func receive(_ notice: MQTTClient.Notice) {
        switch notice {
        case .connected:
            forget()
            remark(.notice, "Connected with \(configuration.host), port \(configuration.port).")
            // It comes back after everything that is retained.
            tell(topics.availability(of: BridgeTopics.bridge), Availability.online)
            announce(after: Self.readingTime)
        case .disconnected(let error):
            forget()
            if let error { remark(.problem, error.description) }
        case .received(let message): receive(message)
        case .dropped(let message, let reason): dropped(message, reason)
        case .subscriptionRefused:
            remark(
                .problem,
                "\(configuration.host) does not allow a subscription below \(configuration.baseTopic)/ or \(configuration.discoveryPrefix)/: "
                    + "names cannot be changed there, and what earlier runs have left is not removed."
            )
        }
    }

    /// A connection has ended, or begun: nothing is known of the broker.
    private func forget() {
        announcement?.cancel()
        isAnnounced = false
        published = [:]
        told = [:]
        strangers = 0
    }

    private func dropped(_ message: MQTTMessage, _ reason: String) {
        guard let id = order.first(where: { topics.event(of: $0) == message.topic }), let info = buttons[id] else {
            // The action goes with the event.
            if !order.contains(where: { topics.action(of: $0) == message.topic }) {
                remark(.problem, "What was to be published as '\(message.topic)' was dropped: \(reason).")
            }
            return
        }
        droppedPresses += 1
        remark(.problem, "A press was dropped: \(reason).", of: info)
    }

    /// Home Assistant has started.
    func announceAnew() {
        guard isAnnounced else { return }
        announce(after: jitter.wait(upTo: Self.longestDelay))
    }

    private func announce(after delay: Duration) {
        announcement?.cancel()
        announcement = loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { home in
                home.told = home.told.filter { home.isTrigger($0.key) }
                home.announce()
            }
        }
    }

    /// What is retained has been read.
    func finishReading() {
        guard !isAnnounced else { return }
        announcement?.cancel()
        announce()
    }
}
