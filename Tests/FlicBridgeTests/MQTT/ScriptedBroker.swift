import EventLoops
import MQTT

/// A broker on the loop of a test, with faults to choose from.
///
/// `@unchecked Sendable`: all of it is used on the loop only.
final class ScriptedBroker: @unchecked Sendable {
    let loop: any EventLoop
    /// Why connections are refused; nil if they are not.
    var refusal: MQTTError?
    /// Whether it answers nothing at all.
    var isSilent = false
    /// Whether it acknowledges what it gets.
    var acknowledges = true
    /// Subscriptions that it does not allow.
    var forbidden: Set<String> = []
    /// What is kept.
    var retained: [String: [UInt8]] = [:]
    /// What was published, by whomever.
    private var published: [MQTTMessage] = []
    /// The times at which somebody wanted to connect.
    private(set) var attempts: [Duration] = []
    private(set) var options: [MQTTOptions] = []
    private var sessions: [ScriptedSession] = []

    init(loop: any EventLoop) { self.loop = loop }

    var opener: MQTTOpener {
        { options, hear in
            self.attempts.append(self.loop.now)
            self.options.append(options)
            let session = ScriptedSession(self, options, hear)
            self.sessions.append(session)
            self.later {
                if self.isSilent { return }
                if let refusal = self.refusal { session.end(refusal) } else { session.open() }
            }
            return session
        }
    }

    /// How long everything takes.
    func later(_ work: @escaping @Sendable () -> Void) { loop.schedule(after: .milliseconds(5), work) }

    var connections: Int { sessions.count { $0.isOpen } }

    /// Everybody's connection breaks, and the wills are published.
    func cut(losing reason: MQTTError = MQTTError(.lost, "cut")) {
        for session in sessions where session.isOpen {
            session.end(reason)
            if let will = session.options.will { accept(will) }
        }
        sessions = []
    }

    func left(_ session: ScriptedSession) { sessions.removeAll { $0 === session } }

    /// Somebody publishes something.
    func publish(_ topic: String, _ text: String, isRetained: Bool = false) { publish(topic, Array(text.utf8), isRetained: isRetained) }

    func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
        accept(MQTTMessage(topic: topic, payload: payload, quality: .atLeastOnce, isRetained: isRetained))
    }

    func accept(_ message: MQTTMessage) {
        published.append(message)
        if message.isRetained { retained[message.topic] = message.payload.isEmpty ? nil : message.payload }
        for session in sessions { session.deliver(message, isRetained: false) }
    }

    /// What was published since the last call.
    func take() -> [MQTTMessage] {
        defer { published = [] }
        return published
    }

    static func matches(_ topic: String, _ filter: String) -> Bool {
        let (levels, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }
}

/// A connection with it.
final class ScriptedSession: MQTTConnection, @unchecked Sendable {
    let options: MQTTOptions
    private let broker: ScriptedBroker
    private var hear: ((MQTTConnectionEvent) -> Void)?
    private var filters: [String] = []
    private var number: Int32 = 0
    private(set) var isOpen = false

    init(_ broker: ScriptedBroker, _ options: MQTTOptions, _ hear: @escaping (MQTTConnectionEvent) -> Void) {
        self.broker = broker
        self.options = options
        self.hear = hear
    }

    func open() {
        guard let hear else { return }
        isOpen = true
        hear(.opened)
    }

    func publish(_ message: MQTTMessage) throws(MQTTError) -> Int32 {
        guard isOpen else { throw MQTTError(.lost, "not connected") }
        guard !message.topic.contains("+") else { throw MQTTError(.invalid, "a topic with a wildcard") }
        number += 1
        broker.later { [self, number] in
            guard isOpen else { return }
            broker.accept(message)
            if broker.acknowledges { hear?(.acknowledged(number)) }
        }
        return number
    }

    func subscribe(to filter: String) {
        broker.later { [self] in
            guard !broker.forbidden.contains(filter) else { return hear?(.subscriptionRefused) ?? () }
            filters.append(filter)
            for (topic, payload) in broker.retained.sorted(by: { $0.key < $1.key }) where ScriptedBroker.matches(topic, filter) {
                deliver(MQTTMessage(topic: topic, payload: payload, quality: .atMostOnce, isRetained: true), isRetained: true)
            }
        }
    }

    func deliver(_ message: MQTTMessage, isRetained: Bool) {
        guard isOpen, filters.contains(where: { ScriptedBroker.matches(message.topic, $0) }) else { return }
        let copy = MQTTMessage(topic: message.topic, payload: message.payload, quality: .atMostOnce, isRetained: isRetained)
        broker.later { [self] in hear?(.received(copy)) }
    }

    func close() {
        broker.later { [self] in
            isOpen = false
            broker.left(self)
            end(nil)
        }
    }

    func abandon() {
        hear = nil
        if isOpen, let will = options.will { broker.accept(will) }
        isOpen = false
        broker.left(self)
    }

    func end(_ error: MQTTError?) {
        let hear = hear
        self.hear = nil
        isOpen = false
        hear?(.ended(error))
    }
}
