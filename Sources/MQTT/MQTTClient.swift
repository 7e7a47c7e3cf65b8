package import EventLoops

/// A client of a broker that is always connected, or about to be.
///
/// A connection that is refused or lost is made again, after pauses that grow from one second to a minute and are of different lengths. Each connection
/// is a new session (MQTT 3.1.1, 3.1.2.4): the broker keeps nothing for a client that is away, so that no command comes late, and the subscriptions are made
/// again with each connection. What must not be lost meanwhile waits here (``publish(maxAge:_:)``), not in the library, which knows no age.
///
/// It belongs to its loop: all calls are made there, and so are those of its handler, none of them within a call.
///
/// `@unchecked Sendable`: all of it is used on the loop only.
package final class MQTTClient: @unchecked Sendable {
    /// What is told of a client.
    package enum Notice: Sendable {
        /// There is a connection, and the subscriptions are asked for.
        case connected
        /// There is none any more, or none came about; nil if it was ended on purpose.
        case disconnected(MQTTError?)
        /// Somebody has published something that was subscribed to.
        case received(MQTTMessage)
        /// A message will not be published: a sentence says why.
        case dropped(MQTTMessage, String)
        /// The broker does not allow a subscription.
        case subscriptionRefused
    }

    /// Where the client stands.
    package enum State: Sendable, Equatable {
        /// It was not started, or has been stopped.
        case stopped
        case connecting
        case connected
        /// It waits to try again, or, without MQTT in this build, for nothing any more.
        case waiting(MQTTError)
    }

    /// Pauses between attempts.
    private static let pauses = Duration.seconds(1)...Duration.seconds(60)
    /// A connection that has lasted for so long was not refused in disguise: the next pause is the shortest again.
    private static let goodTime = Duration.seconds(10)
    /// A broker that has not acknowledged a message for so long is not there any more.
    private static let answerTime = Duration.seconds(20)

    private let loop: any EventLoop
    private let open: MQTTOpener
    private let hear: (Notice) -> Void
    private var jitter: Jitter
    private(set) package var state = State.stopped
    private var options: MQTTOptions?
    private var filters: [String] = []
    private var outbox = MQTTOutbox()
    private var connection: (any MQTTConnection)?
    /// Distinguishes connections: the last events of one that was abandoned are not about the next.
    private var number = 0
    private var openedAt = Duration.zero
    private var failures = 0
    /// The next attempt.
    private var attempt: ScheduledWork?
    /// The next look at ages and answers.
    private var watch: ScheduledWork?
    /// The connection is being ended on purpose.
    private var isClosing = false
    /// What follows then; nil if nothing does.
    private var next: (options: MQTTOptions, filters: [String])?
    /// Who waits for that.
    private var stopWaiters: [() -> Void] = []
    private var patience: ScheduledWork?

    /// - Parameters:
    ///   - seed: For the lengths of pauses.
    ///   - open: How connections are made.
    ///   - hear: Hears what happens, on the loop.
    package init(loop: any EventLoop, seed: UInt64, open: @escaping MQTTOpener, hear: @escaping (Notice) -> Void) {
        self.loop = loop
        self.open = open
        self.hear = hear
        jitter = Jitter(seed: seed)
    }

    /// Connects. A client that has been started, or is being stopped, first ends its connection as ``stop(within:_:)`` does; what waits is kept.
    ///
    /// - Parameter filters: What it subscribes to.
    package func start(_ options: MQTTOptions, subscribingTo filters: [String]) {
        next = (options, filters)
        end(within: .seconds(2))
    }

    /// Ends the connection: once the broker has everything, or that takes too long, with a goodbye. Nothing is sent any more; letters that wait are dropped.
    ///
    /// - Parameter done: Called on the loop, at the latest a little more than two seconds after `span`; not within the call.
    package func stop(within span: Duration, _ done: @escaping () -> Void) {
        next = nil
        stopWaiters.append(done)
        end(within: span)
    }

    // MARK: Publishing

    /// Tells how something is now. It is not kept for later: it has no effect without a connection, and is lost with it.
    ///
    /// - Returns: Whether it was taken: there is a connection, and not too much waits.
    @discardableResult
    package func publish(_ message: MQTTMessage) -> Bool {
        guard state == .connected, outbox.add(message) else { return false }
        send()
        return true
    }

    /// Publishes something that must not be lost. It waits for a connection, is sent again where one was lost before the broker had acknowledged it, and
    /// if it is still not there after `maxAge` it is dropped, which is told; nil waits for any time.
    ///
    /// - Parameter make: Makes the message when it is sent; by the time it has waited.
    package func publish(maxAge: Duration?, _ make: @escaping (_ waited: Duration) -> MQTTMessage) {
        guard let surplus = outbox.add(MQTTOutbox.Letter(since: loop.now, maxAge: maxAge, make: make)) else { return send() }
        lose(surplus, because: "more than \(MQTTOutbox.mostLetters) wait")
        send()
    }

    private func send() {
        expire()
        if state == .connected, let connection {
            // An error is the end of the connection, which tells it by itself.
            try? outbox.send(now: loop.now) { message throws(MQTTError) in
                try connection.publish(message)
            } lose: { _, message, error in
                tell(.dropped(message, error.description))
            }
        }
        setWatch()
        if isClosing && outbox.isEmpty { connection?.close() }
    }

    private func expire() {
        for letter in outbox.expire(now: loop.now) { lose(letter, because: "it was too old") }
    }

    private func lose(_ letter: MQTTOutbox.Letter, because reason: String) {
        tell(.dropped(letter.make(loop.now - letter.since), reason))
    }

    /// Not within the call: the one who publishes is not called by it.
    private func tell(_ notice: Notice) {
        loop.execute { [weak self] in self?.hear(notice) }
    }

    /// Looks again when the next letter is too old, or the broker should have answered.
    private func setWatch() {
        watch?.cancel()
        let deadlines = [outbox.nextDeadline, outbox.oldestUnderWay.map { $0 + Self.answerTime }].compactMap { $0 }
        watch = deadlines.min().map { deadline in
            loop.schedule(after: deadline - loop.now) { [weak self] in self?.look() }
        }
    }

    private func look() {
        if let sent = outbox.oldestUnderWay, loop.now >= sent + Self.answerTime, let connection {
            connection.abandon()
            ended(
                MQTTError(.silent, "\(options?.broker ?? "The broker") has not acknowledged a message for \(Self.answerTime.components.seconds) s.")
            )
        }
        send()
    }

    // MARK: Connections

    private func connect() {
        guard let options, connection == nil else { return }
        attempt = nil
        number += 1
        state = .connecting
        connection = open(options) { [weak self, number] event in
            guard let self, self.number == number, connection != nil else { return }
            receive(event)
        }
    }

    private func receive(_ event: MQTTConnectionEvent) {
        switch event {
        case .opened:
            state = .connected
            openedAt = loop.now
            for filter in filters { connection?.subscribe(to: filter) }
            hear(.connected)
            send()
        case .acknowledged(let message):
            outbox.acknowledge(message)
            send()
        case .received(let message): hear(.received(message))
        case .subscriptionRefused: hear(.subscriptionRefused)
        case .ended(let error): ended(error)
        }
    }

    private func ended(_ error: MQTTError?) {
        connection = nil
        outbox.connectionEnded()
        if state == .connected, loop.now - openedAt >= Self.goodTime { failures = 0 }
        guard !isClosing else {
            hear(.disconnected(nil))
            return finishClosing()
        }
        let error = error ?? MQTTError(.lost, "\(options?.broker ?? "The broker") has closed the connection.")
        state = .waiting(error)
        setWatch()
        hear(.disconnected(error))
        guard error.isWorthAnotherAttempt, !isClosing else { return }
        failures += 1
        attempt = loop.schedule(after: jitter.spread(Self.pauses.backOff(after: failures))) { [weak self] in self?.connect() }
    }

    // MARK: The end

    private func end(within span: Duration) {
        guard !isClosing else { return }
        isClosing = true
        attempt?.cancel()
        attempt = nil
        guard state == .connected else {
            connection?.abandon()
            connection = nil
            return loop.execute { [weak self] in self?.finishClosing() }
        }
        patience = loop.schedule(after: span) { [weak self] in self?.connection?.close() }
        loop.execute { [weak self] in self?.send() }
    }

    private func finishClosing() {
        guard isClosing else { return }
        isClosing = false
        patience?.cancel()
        state = .stopped
        if let next {
            (options, filters) = (next.options, next.filters)
            failures = 0
            connect()
        } else {
            for letter in outbox.removeLetters() { lose(letter, because: "the program ends") }
        }
        setWatch()
        let waiters = stopWaiters
        stopWaiters = []
        for waiter in waiters { waiter() }
    }
}
