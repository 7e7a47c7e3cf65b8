package import EventLoops
package import HTTP
package import Logs

/// Carries out web hooks.
///
/// Requests of one hook are sent one after the other, in the order of the calls: what cannot be delivered yet keeps those behind it waiting until it is, or
/// is given up. So many may wait, and no more. Hooks do not wait for each other.
///
/// It is an actor on its loop.
package actor WebhookRunner: WebhookSender {
    /// Requests that wait behind one of the same hook.
    package static let mostWaiting = 32

    /// The requests of a hook, one of which is being sent.
    private struct Line {
        let hook: Configuration.Webhook
        /// The waits of those behind it.
        var waiting: [Int] = []
    }

    private let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let client: any HTTPSending
    private let random: @Sendable (ClosedRange<Double>) -> Double
    private let log: @Sendable (LogLevel, String) -> Void
    private var lines: [Line] = []
    /// Who waits for a turn or for the end of a pause.
    private var waits: [Int: CheckedContinuation<Bool, Never>] = [:]
    private var lastWait = 0
    private var isStopped = false

    /// - Parameters:
    ///   - random: A number of this range. Tests know it beforehand.
    ///   - log: Hears of tries that failed. What becomes of a request is up to the caller to tell.
    package init(
        loop: any EventLoop,
        client: any HTTPSending,
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) },
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.loop = loop
        self.client = client
        self.random = random
        self.log = log
    }

    package func send(_ hook: Configuration.Webhook, for event: EventRecord) async -> WebhookOutcome {
        let origin = HTTPOrigin(hook.url).map { "\($0)" } ?? "the server"
        if let problem = hook.problem { return .failed(problem) }
        guard !isStopped else { return .dropped("\(origin): the program ends") }
        // When it happened.
        let moment = loop.now - .seconds(event.age ?? 0)
        if let index = lines.firstIndex(where: { $0.hook == hook }) {
            lines[index].waiting.removeAll { waits[$0] == nil }  // cancelled
            guard lines[index].waiting.count < Self.mostWaiting else { return .dropped("\(origin): \(Self.mostWaiting) others wait already") }
            guard await wait({ lines[index].waiting.append($0) }) else {
                return .dropped("\(origin): \(isStopped ? "the program ends" : "cancelled")")
            }
        } else {
            lines.append(Line(hook: hook))
        }
        defer { passTurn(of: hook) }
        return await carryOut(hook, event, origin, since: moment)
    }

    private func carryOut(_ hook: Configuration.Webhook, _ event: EventRecord, _ origin: String, since moment: Duration) async -> WebhookOutcome {
        let retries = WebhookRetries(tries: hook.tries, maxAge: hook.maxAge)
        if let maxAge = hook.maxAge, loop.now - moment > maxAge { return .dropped("\(origin): the event is too old") }
        var number = 1
        while true {
            let token: BearerToken?
            do throws(SecretFile.Problem) {
                token = if let file = hook.tokenFile { try BearerToken(file: file) } else { nil }
            } catch {
                return .failed("\(origin): \(error)")
            }
            let result = await answer(to: hook.request(for: event, token: token?.text), hook.timeout)
            switch retries.step(after: result, number: number, age: loop.now - moment, stretch: random(0.75...1.25)) {
            case .delivered: return .delivered
            case .failed(let reason): return .failed("\(origin): \(reason)")
            case .again(let pause):
                log(.debug, "webhook \(origin): try \(number) of \(hook.tries) failed: \(Self.text(result)); another one follows")
                guard await self.pause(for: pause) else {
                    return .failed("\(origin): given up, as \(isStopped ? "the program ends" : "it was cancelled")")
                }
                number += 1
            }
        }
    }

    private func answer(to request: HTTPRequest, _ timeout: Duration) async -> Result<HTTPAnswer, HTTPError> {
        do throws(HTTPError) {
            return .success(try await client.send(request, timeout: timeout))
        } catch {
            return .failure(error)
        }
    }

    private static func text(_ result: Result<HTTPAnswer, HTTPError>) -> String {
        switch result {
        case .success(let answer): "answered \(answer.status)"
        case .failure(let error): error.description
        }
    }

    /// The next one of the hook, if there is one.
    private func passTurn(of hook: Configuration.Webhook) {
        guard let index = lines.firstIndex(where: { $0.hook == hook }) else { return }
        while !lines[index].waiting.isEmpty {
            if end(lines[index].waiting.removeFirst(), true) { return }  // else it was cancelled
        }
        lines.remove(at: index)
    }

    /// No hook is begun any more, none that failed is tried again, and those that wait are dropped. What is just being sent has until its time-out.
    package func stop() {
        isStopped = true
        for number in waits.keys.sorted() { end(number, false) }
    }

    // MARK: Waiting

    /// - Returns: Whether it came to its end.
    private func pause(for time: Duration) async -> Bool {
        await wait { number in
            loop.schedule(after: time) { [weak self] in _ = self?.assumeIsolated { $0.end(number, true) } }
        }
    }

    /// Waits until ``end(_:_:)`` is called with the number that `begin` is given, or the task is cancelled.
    ///
    /// - Returns: What `end` is told; false if the task was cancelled or the runner is stopped.
    private func wait(_ begin: (Int) -> Void) async -> Bool {
        lastWait += 1
        let number = lastWait
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isStopped, !Task.isCancelled else { return continuation.resume(returning: false) }
                waits[number] = continuation
                begin(number)
            }
        } onCancel: {
            loop.execute { [weak self] in _ = self?.assumeIsolated { $0.end(number, false) } }
        }
    }

    /// - Returns: Whether somebody waited.
    @discardableResult
    private func end(_ number: Int, _ isDone: Bool) -> Bool {
        guard let continuation = waits.removeValue(forKey: number) else { return false }
        continuation.resume(returning: isDone)
        return true
    }
}
