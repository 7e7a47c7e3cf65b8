import FlicClient
package import FoundationEssentials
import Glibc

/// The socket of a daemon: any number of programs, in any language, that hear of buttons and ask for something.
///
/// Both sides write lines: JSON objects in UTF-8, each ended by `\n`. A client connects to the Unix stream socket and reads
///
/// ```
/// {"hello":"flickit","protocol":1,"version":"0.1.0"}
/// ```
///
/// Within a protocol number, answers and events may get further members and there may be further events: a client has to pass over what it does not
/// know.
///
/// **Requests** are objects with the member `request`, and `id` if the client wants to tell answers apart: a text of at most 128 bytes, or a whole
/// number. They are answered in their order, but for `pair`, which is answered when it is over. An answer is `{"id":…,"result":…}` or
/// `{"id":…,"error":{"reason":…,"message":…}}`: `reason` is one word, a ``FlicError/Code`` or a ``BridgeRefusal/Reason``. Members that a request does not
/// have are refused. A button is named by its nickname, serial number, address, uuid or identifier, or how one of these begins, in either case of
/// letters. Times are in seconds.
///
/// | request | members | result |
/// | --- | --- | --- |
/// | `ping` | | `{}` |
/// | `status` | | a ``BridgeStatus`` |
/// | `list` | | an array of ``ButtonStatus``, in the order of pairing |
/// | `subscribe` | `buttons`, `events` (arrays; all if left out) | `bluetooth`, `buttons`: as they are before the first event. Replaces an earlier one |
/// | `unsubscribe` | | `{}`: no more events |
/// | `pair` | `name`, `timeout` (1 to 3600, 30 if left out) | the ``ButtonStatus`` of the new button |
/// | `cancel` | | `{}`: the pairing of this client ends, which answers with the error `cancelled` |
/// | `rename` | `button`, `name` ("" for none; 23 bytes at most are kept) | the ``ButtonStatus`` |
/// | `forget` | `button` | the ``ButtonStatus`` as it was |
/// | `mode` | `button`, `mode` (`click`, `hold`, `double`, `all`), `doubleClickTime`, `holdTime` (0.1 to 10), `tripleClick` (true, false) | the ``ButtonStatus`` |
/// | `latency` | `button`, `latency` (`normal`, `low`) | the ``ButtonStatus`` |
/// | `queue` | `button`, `policy` (a ``QueuePolicy``; the daemon's if left out) | the ``ButtonStatus`` |
/// | `autoDisconnect` | `button`, `seconds` (40 to 510; never if left out) | the ``ButtonStatus`` |
/// | `connect`, `disconnect` | `button` | the ``ButtonStatus``: the wish is noted, events tell what comes of it |
/// | `metrics` | | a text in the OpenMetrics format |
///
/// **Events** are objects with the member `event`:
///
/// | event | members |
/// | --- | --- |
/// | `down`, `up`, `click`, … (``EventFilter/names``) | those of an ``EventRecord``: `date`, `button`, `uuid`, `name`, … |
/// | `bluetooth` | `date`, `state` |
/// | `added`, `changed`, `removed` | those of a ``ButtonStatus`` |
/// | `pairing` | `id` of the request, `step`: `discovered`, `connected`, `verified`, `verificationFailed`. Needs no subscription |
/// | `lagged` | `count`: so many events were left out here, because the client did not read |
///
/// **Limits.** A line has at most 64 KiB, and up to 64 clients are served. While 128 KiB wait for a client its requests are not read, and its events are
/// left out and counted; at 10,000 the connection is cut off. A client that ends, or shuts down its side of the connection, has its pairing cancelled;
/// after a shut-down the requests before it are still answered, as far as the client reads the answers within five seconds.
///
/// The server is an actor on the loop of its bridge.
package actor SocketServer {
    static let protocolVersion = 1
    static let longestLine = 1 << 16
    static let mostClients = 64
    static let mostWaiting = 1 << 17
    /// Events that a client may miss.
    static let mostLeftOut = 10_000
    /// For a client that has said all to read its answers.
    static let leavingTime = Duration.seconds(5)

    /// What the daemon knows beside its buttons.
    package struct Facts: Sendable {
        /// Of the program.
        package var version: String
        /// The directory of the pairings.
        package var store: String?
        /// Why Bluetooth is not available, where that is known: a sentence.
        package var problem: @Sendable () async -> String? = { nil }
        /// In the OpenMetrics format; nil if there are none.
        package var metrics: (@Sendable () async -> String)?
        /// Counters of each rule, by its name; nil if there are no rules.
        package var rules: (@Sendable () async -> [String: [String: Int]])?

        package init(version: String, store: String? = nil) {
            self.version = version
            self.store = store
        }
    }

    /// A client.
    struct Client {
        let socket: StreamSocket
        var lines = LineBuffer(longestLine: SocketServer.longestLine)
        /// Nil without a subscription.
        var filter: EventFilter?
        /// Events that were left out since the last one.
        var leftOut = 0
        /// A request is being carried out.
        var isBusy = false
        /// Bytes wait, and what comes after them is registered.
        var waitsForRoom = false
        /// It sends nothing more.
        var hasFinished = false
        var pairing: Pairing?
    }

    /// A pairing that a client has asked for.
    struct Pairing {
        let task: Task<Void, Never>
        let limit: ScheduledWork
    }

    package nonisolated let loop: DispatchLoop
    /// The server runs on the loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let bridge: Bridge
    let facts: Facts
    private let date: @Sendable () -> Date
    private let log: @Sendable (LogLevel, String) -> Void
    private var bound: BoundSocket?
    private var acceptor: Acceptor?
    var clients: [Int: Client] = [:]
    private var lastClient = 0
    var histories: [UUID: ButtonHistory] = [:]
    let started: Duration

    /// - Parameters:
    ///   - bridge: Its loop has to be `loop`; the server is to be told all that it tells (``hear(_:)``).
    ///   - date: Now.
    ///   - log: Where remarks go, on the loop.
    package init(
        _ bridge: Bridge,
        on loop: DispatchLoop,
        facts: Facts,
        date: @escaping @Sendable () -> Date = { Date() },
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        precondition(bridge.loop === loop, "the server has to be on the loop of its bridge")
        self.bridge = bridge
        self.loop = loop
        self.facts = facts
        self.date = date
        self.log = { log($0, LogArea.socket.remark($1)) }
        started = loop.now
    }

    /// Begins to accept clients.
    package func start(_ bound: BoundSocket) {
        self.bound = bound
        acceptor = Acceptor(
            bound.descriptor,
            on: loop,
            accepted: { [weak self] descriptor in self?.assumeIsolated { $0.accept(descriptor) } },
            failed: { [log] number in log(.problem, "no more clients can be accepted: \(String(errno: number))") }
        )
    }

    /// Ends all connections and removes the socket.
    package func stop() {
        acceptor?.close()
        acceptor = nil
        for number in clients.keys { cut(number) }
        bound = nil
    }

    // MARK: Clients

    private func accept(_ descriptor: Descriptor) {
        lastClient += 1
        let number = lastClient
        let socket = StreamSocket(
            descriptor,
            on: loop,
            mostWaiting: Self.mostWaiting,
            received: { [weak self] bytes in self?.assumeIsolated { $0.receive(bytes, from: number) } },
            ended: { [weak self] end in self?.assumeIsolated { $0.ended(end, number) } }
        )
        guard clients.count < Self.mostClients else {
            log(.problem, "a client is turned away: \(Self.mostClients) are served already")
            let refusal = BridgeRefusal(.tooManyClients, "\(Self.mostClients) clients are served already.")
            socket.send(SocketAnswers.line(SocketAnswers.Refusal(error: refusal)))
            return  // with it the connection ends
        }
        clients[number] = Client(socket: socket)
        send(SocketAnswers.Hello(version: facts.version), to: number)
    }

    private func receive(_ bytes: [UInt8], from number: Int) {
        clients[number]?.lines.add(bytes)
        process(number)
    }

    private func ended(_ end: StreamSocket.End, _ number: Int) {
        switch end {
        case .gone: cut(number)
        case .finished:
            clients[number]?.hasFinished = true
            cancelPairing(of: number)
            process(number)
        }
    }

    /// Ends a connection at once.
    func cut(_ number: Int) {
        cancelPairing(of: number)
        clients.removeValue(forKey: number)?.socket.close()
    }

    /// Takes the next requests, as long as there are any and there is room for their answers.
    func process(_ number: Int) {
        do throws(LineBuffer.TooLong) {
            while let client = clients[number], !client.isBusy, client.socket.isOpen {
                guard client.socket.hasRoom else { return waitForRoom(number) }
                if let line = try clients[number]?.lines.next() {
                    if !line.allSatisfy(\.isBlank) { take(line, of: number) }
                } else if client.hasFinished {
                    // The last line may have no end.
                    guard let line = clients[number]?.lines.takeRest(), !line.allSatisfy(\.isBlank) else { return leave(number) }
                    take(line, of: number)
                } else {
                    client.socket.isPaused = false
                    return
                }
            }
            if let client = clients[number], client.lines.count > Self.longestLine { client.socket.isPaused = true }
        } catch {
            let refusal = BridgeRefusal(.tooLong, "A line must not be longer than \(Self.longestLine) bytes.")
            send(SocketAnswers.Refusal(error: refusal), to: number)
            cut(number)
        }
    }

    /// Goes on when the client has read what waits for it.
    private func waitForRoom(_ number: Int) {
        guard let client = clients[number], !client.waitsForRoom else { return }
        clients[number]?.waitsForRoom = true
        client.socket.isPaused = true
        client.socket.whenSent { [weak self] in self?.assumeIsolated { $0.hasRoom(number) } }
    }

    private func hasRoom(_ number: Int) {
        guard let client = clients[number] else { return }
        clients[number]?.waitsForRoom = false
        clients[number]?.leftOut = 0
        if client.leftOut > 0 {
            var record = EventRecord("lagged")
            record.count = UInt32(client.leftOut)
            send(record, to: number)
        }
        process(number)
    }

    /// All is said and answered.
    private func leave(_ number: Int) {
        guard let socket = clients[number]?.socket else { return }
        let limit = loop.schedule(after: Self.leavingTime) { [weak self] in self?.assumeIsolated { $0.cut(number) } }
        socket.whenSent { [weak self] in
            limit.cancel()
            self?.assumeIsolated { $0.cut(number) }
        }
    }

    /// Sends an answer. It is never left out: where there is no room the connection ends.
    func send(_ answer: some Encodable, to number: Int) {
        guard let client = clients[number] else { return }
        if !client.socket.send(SocketAnswers.line(answer)) { cut(number) }
    }

    // MARK: Events

    /// Tells the clients what the bridge tells. Called on the loop.
    package func hear(_ notice: BridgeNotice) {
        switch notice {
        case .added(let info): tell(ButtonStatus(info, histories[info.identifier], event: "added"), "added", info.identifier)
        case .changed(let info): tell(ButtonStatus(info, histories[info.identifier], event: "changed"), "changed", info.identifier)
        case .removed(let info):
            tell(ButtonStatus(info, histories.removeValue(forKey: info.identifier), event: "removed"), "removed", info.identifier)
        case .bluetooth(let state): tell(EventRecord(state))
        case .button(let notice, let info):
            if let history = ButtonHistory(notice, after: histories[info.identifier], date: date()) { histories[info.identifier] = history }
            guard var record = EventRecord(notice) else { return }
            record.tell(info)
            tell(record, of: info.identifier)
        }
    }

    private func tell(_ record: EventRecord, of button: UUID? = nil) {
        var record = record
        record.tell(date())
        tell(record, record.event, button)
    }

    private func tell(_ value: some Encodable, _ event: String, _ button: UUID?) {
        var line: [UInt8]?  // made once, if anybody is interested
        for (number, client) in clients where client.filter?.admits(event, of: button) == true {
            if client.leftOut > 0 || !client.socket.hasRoom {
                leaveOut(number)
            } else {
                let bytes = line ?? SocketAnswers.line(value)
                line = bytes
                client.socket.send(bytes)
            }
        }
    }

    private func leaveOut(_ number: Int) {
        clients[number]?.leftOut += 1
        guard let client = clients[number], client.leftOut < Self.mostLeftOut else {
            log(.problem, "a client is cut off: it does not read")
            return cut(number)
        }
        waitForRoom(number)
    }
}

extension UInt8 {
    /// Of a line that says nothing.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r") }
}

extension String {
    fileprivate init(errno number: Int32) { self.init(cString: strerror(number)) }
}
