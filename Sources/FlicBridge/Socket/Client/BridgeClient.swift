import FlicClient
import FoundationEssentials
import Glibc

/// A connection to a daemon, as our own commands use it. ``SocketServer`` says what can be asked for.
///
/// It is an actor on its loop. It ends when the daemon ends, when ``close()`` is called, and when it is released.
package actor BridgeClient {
    /// A daemon that is known to run has this long to answer.
    package static let usualTime = Duration.seconds(15)
    /// More than this of one line is not believed, in bytes: the state of thousands of buttons.
    private static let longestLine = 1 << 23

    package nonisolated let loop: DispatchLoop
    /// The client runs on the loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Of the socket.
    package nonisolated let path: String
    /// Of the daemon's program; empty before it has said so.
    private(set) package var version = ""

    private typealias Outcome = Result<[UInt8], any Error>

    /// Somebody who waits for an answer.
    private struct Waiter {
        let continuation: CheckedContinuation<Outcome, Never>
        let limit: ScheduledWork
        let onStep: @Sendable (String) -> Void
    }

    private var socket: StreamSocket?
    private var lines = LineBuffer(longestLine: longestLine)
    private var waiters: [RequestID: Waiter] = [:]
    private var lastID = 0
    private let events: AsyncStream<EventRecord>.Continuation
    private let eventStream: AsyncStream<EventRecord>
    /// Why it has ended.
    private var end: SocketError?

    /// Under which the greeting is waited for.
    private static let greeting = RequestID.text("hello")
    /// Events that are kept for who reads them; beyond that the oldest are lost.
    private static let mostEvents = 1 << 14

    private init(path: String, loop: DispatchLoop) {
        self.path = path
        self.loop = loop
        (eventStream, events) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.mostEvents))
    }

    deinit {
        // Those who wait keep the object.
        events.finish()
    }

    /// Connects, and waits for the daemon to introduce itself.
    ///
    /// - Parameters:
    ///   - path: Of the socket.
    ///   - loop: Where the client is to run.
    ///   - time: For all of it.
    /// - Throws: ``SocketError`` `absent` if no daemon runs there, `denied`, `invalidPath`, `timedOut`, `notUnderstood`, `cancelled` or `failed`.
    package static func connect(_ path: String, on loop: DispatchLoop, within time: Duration = .seconds(5)) async throws(SocketError) -> BridgeClient
    {
        let descriptor = try connection(try SocketPlace(path, isShared: false))
        let client = BridgeClient(path: path, loop: loop)
        do {
            try await client.greet(descriptor, within: time)
        } catch {
            await client.close()
            throw error as? SocketError ?? SocketError(.failed, (error as? BridgeRefusal)?.message ?? "\(error)")
        }
        return client
    }

    /// Ends the connection. Who waits is told.
    package func close() { end(SocketError(.ended, "The connection to the daemon was closed.")) }

    // MARK: Requests

    /// Asks for something.
    ///
    /// - Parameters:
    ///   - request: Its identifier is set here.
    ///   - time: For the answer.
    ///   - onStep: Hears how far a pairing has come, on the loop.
    /// - Throws: ``BridgeRefusal`` if the daemon did not do it, else ``SocketError``: `timedOut`, `ended`, `notUnderstood` or `cancelled`.
    package func request<Answer: Decodable & Sendable>(
        _ request: BridgeRequest,
        as answer: Answer.Type = Answer.self,
        within time: Duration = usualTime,
        onStep: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> Answer {
        lastID += 1
        var request = request
        request.id = .number(lastID)
        let line = SocketAnswers.line(request)
        let answered = try await outcome(of: .number(lastID), within: time, onStep: onStep) { $0.send(line) }
        return try Self.decode(Answered<Answer>.self, answered, self).result
    }

    /// Asks for something that has no result.
    package func perform(_ request: BridgeRequest) async throws {
        _ = try await self.request(request, as: SocketAnswers.Nothing.self)
    }

    /// Asks to be told of events.
    ///
    /// - Parameters:
    ///   - buttons: Those whose events are wanted; nil for all.
    ///   - events: Their names; nil for all.
    /// - Returns: How things are, and what happens from then on, until the connection ends. There is one such sequence for a client.
    /// - Throws: As ``request(_:as:within:onStep:)``.
    package func subscribe(buttons: [String]? = nil, events: [String]? = nil) async throws -> (BridgeSnapshot, AsyncStream<EventRecord>) {
        var request = BridgeRequest(.subscribe)
        request.buttons = buttons
        request.events = events
        return (try await self.request(request), eventStream)
    }

    private struct Answered<Answer: Decodable>: Decodable {
        let result: Answer
    }

    /// Waits for what is told under an identifier.
    private func outcome(
        of id: RequestID,
        within time: Duration,
        onStep: @escaping @Sendable (String) -> Void = { _ in },
        _ begin: (isolated BridgeClient) -> Void
    ) async throws -> [UInt8] {
        let path = path
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                if let end { return continuation.resume(returning: .failure(end)) }
                guard !Task.isCancelled else { return continuation.resume(returning: .failure(Self.cancelled)) }
                let limit = loop.schedule(after: time) { [weak self] in
                    self?.assumeIsolated { $0.resume(id, .failure(SocketError(.timedOut, "The daemon at \(path) did not answer in time."))) }
                }
                waiters[id] = Waiter(continuation: continuation, limit: limit, onStep: onStep)
                begin(self)
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.resume(id, .failure(Self.cancelled)) } }
        }.get()
    }

    private static var cancelled: SocketError { SocketError(.cancelled, "The request was cancelled.") }

    private func resume(_ id: RequestID, _ outcome: Outcome) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        waiter.limit.cancel()
        waiter.continuation.resume(returning: outcome)
    }

    private func send(_ line: [UInt8]) {
        if socket?.send(line) != true { end(SocketError(.ended, "The daemon at \(path) does not read.")) }
    }

    // MARK: The connection

    private static func connection(_ place: SocketPlace) throws(SocketError) -> Descriptor {
        let descriptor = try place.makeSocket()
        guard place.withAddress({ Glibc.connect(descriptor.number, $0, $1) }) != 0 else { return descriptor }
        switch errno {
        case ENOENT, ENOTDIR, ECONNREFUSED: throw SocketError(.absent, "No daemon listens at \(place.path).")
        case EAGAIN: throw SocketError(.timedOut, "The daemon at \(place.path) is too busy to be asked.")
        case let number: throw SocketError(errno: number, "The daemon at \(place.path) cannot be asked")
        }
    }

    private func greet(_ descriptor: Descriptor, within time: Duration) async throws {
        let line = try await outcome(of: Self.greeting, within: time) { client in
            client.socket = StreamSocket(
                descriptor,
                on: client.loop,
                mostWaiting: 1 << 20,
                received: { [weak client] bytes in client?.assumeIsolated { $0.receive(bytes) } },
                ended: { [weak client, path] _ in
                    client?.assumeIsolated { $0.end(SocketError(.ended, "The daemon at \(path) has ended the connection.")) }
                }
            )
        }
        let hello = try Self.decode(SocketAnswers.Hello.self, line, self)
        guard hello.hello == SocketAnswers.Hello(version: "").hello, hello.protocol == SocketServer.protocolVersion else {
            throw SocketError(.notUnderstood, "The program at \(path) speaks another protocol.")
        }
        version = hello.version
    }

    private func receive(_ bytes: [UInt8]) {
        lines.add(bytes)
        do {
            while end == nil, let line = try lines.next() { try take(line) }
        } catch {
            end(error as? SocketError ?? Self.notUnderstood(path))
        }
    }

    /// What tells lines apart.
    private struct Head: Decodable {
        var id: RequestID?
        var hello: String?
        var event: String?
        var step: String?
        var error: BridgeRefusal?
    }

    private func take(_ line: [UInt8]) throws {
        let head = try Self.decode(Head.self, line, self)
        if head.hello != nil {
            resume(Self.greeting, .success(line))
        } else if let step = head.step, let id = head.id {
            waiters[id]?.onStep(step)
        } else if head.event != nil {
            events.yield(try Self.decode(EventRecord.self, line, self))
        } else if let error = head.error {
            resume(head.id ?? Self.greeting, .failure(error))
        } else if let id = head.id {
            resume(id, .success(line))
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8], _ client: BridgeClient) throws(SocketError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw notUnderstood(client.path)
        }
    }

    private static func notUnderstood(_ path: String) -> SocketError {
        SocketError(.notUnderstood, "What the program at \(path) says is not understood.")
    }

    private func end(_ error: SocketError) {
        guard end == nil else { return }
        end = error
        socket?.close()
        socket = nil
        for id in waiters.keys { resume(id, .failure(error)) }
        events.finish()
    }
}
