import EventLoops
import FlicBridge
import FlicSimulator
import FoundationEssentials
import Glibc
import HTTP
import Synchronization
import Testing

@Suite("Web hooks: tries, order and bounds, on virtual time")
struct WebhookRunnerTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        @Sendable func write(_ level: LogLevel, _ text: String) { lines.withLock { $0.append("\(level) \(text)") } }
    }

    private struct Stage: Sendable {
        let loop: VirtualLoop
        let server: ScriptedServer
        let runner: WebhookRunner
        let log = Log()

        init(_ loop: VirtualLoop, takes: Duration = .zero, _ script: [Result<HTTPAnswer, HTTPError>] = []) {
            self.loop = loop
            server = ScriptedServer(loop: loop, takes: takes, script)
            runner = WebhookRunner(loop: loop, client: server, random: { _ in 1 }, log: log.write)
        }

        /// Begins to send, and is in the line when this returns.
        func begin(_ hook: Configuration.Webhook, _ count: UInt32, age: Int? = nil) async -> Task<WebhookOutcome, Never> {
            let record = WebhookRunnerTests.record(count, age: age)
            let task = Task(executorPreference: loop) { await runner.send(hook, for: record) }
            await loop.pause(for: .zero)
            return task
        }

        func send(_ hook: Configuration.Webhook, age: Int? = nil) async -> WebhookOutcome {
            await runner.send(hook, for: WebhookRunnerTests.record(1, age: age))
        }
    }

    private static func record(_ count: UInt32, age: Int? = nil) -> EventRecord {
        var record = EventRecord("click")
        record.uuid = "0f3c"
        record.count = count
        record.age = age
        return record
    }

    private func play(
        takes: Duration = .zero,
        _ script: [Result<HTTPAnswer, HTTPError>] = [],
        _ body: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let loop = VirtualLoop()
        try await loop.run(timeLimit: .seconds(24 * 3600)) { try await body(Stage(loop, takes: takes, script)) }
    }

    private let hook = Configuration.Webhook(url: "https://ha.local:8123/api/webhook/secret?key=secret", tries: 4)

    @Test("What fails is tried again after growing pauses, with the same key, until it is delivered")
    func retries() async throws {
        let hook = hook
        try await play([ScriptedServer.status(500), .failure(HTTPError(.refused)), ScriptedServer.status(204)]) { stage in
            #expect(await stage.send(hook) == .delivered)
            #expect(await stage.server.times == [0, 0.5, 1.5].map { .seconds($0) })
            #expect(await stage.server.events == ["0f3c-1-click", "0f3c-1-click", "0f3c-1-click"])
            #expect(
                stage.log.all == [
                    "debug webhook https://ha.local:8123: try 1 of 4 failed: answered 500; another one follows",
                    "debug webhook https://ha.local:8123: try 2 of 4 failed: the connection was refused; another one follows",
                ]
            )
        }
    }

    @Test("What is refused is not tried again; what is said of it has no secrets")
    func refused() async throws {
        let hook = hook
        try await play([ScriptedServer.status(404)]) { stage in
            #expect(await stage.send(hook) == .failed("https://ha.local:8123: answered 404"))
            #expect(await stage.server.times.count == 1)
        }
        try await play([ScriptedServer.status(500), ScriptedServer.status(500), ScriptedServer.status(500), ScriptedServer.status(500)]) { stage in
            #expect(await stage.send(hook) == .failed("https://ha.local:8123: answered 500, 4 times tried"))
            #expect(await stage.server.times.count == 4)
            #expect(stage.log.all.allSatisfy { !$0.contains("secret") })
        }
    }

    @Test("A server that does not answer is given its time for each try")
    func timeouts() async throws {
        let hook = Configuration.Webhook(url: "https://ha.local/", timeout: .seconds(5), tries: 2)
        try await play(takes: .seconds(100)) { stage in
            #expect(await stage.send(hook) == .failed("https://ha.local: no answer in time, 2 times tried"))
            #expect(await stage.server.times == [0, 5.5].map { .seconds($0) })
            #expect(stage.loop.now == .milliseconds(10_500))
        }
    }

    @Test("What is too old is not sent, and not tried again")
    func age() async throws {
        let hook = Configuration.Webhook(url: "https://ha.local/", tries: 10, maxAge: .seconds(60))
        try await play { stage in
            #expect(await stage.send(hook, age: 61) == .dropped("https://ha.local: the event is too old"))
            #expect(await stage.server.times.isEmpty)
            #expect(await stage.send(hook, age: 60) == .delivered)
        }
        try await play([ScriptedServer.status(500), ScriptedServer.status(500)]) { stage in
            #expect(await stage.send(hook, age: 59) == .failed("https://ha.local: answered 500, and another try would come too late"))
            #expect(await stage.server.times == [0, 0.5].map { .seconds($0) })
        }
    }

    @Test("Requests of a hook keep their order, one at a time; other hooks do not wait")
    func order() async throws {
        let hook = hook
        try await play(takes: .seconds(1), [ScriptedServer.status(500)]) { stage in
            var tasks: [Task<WebhookOutcome, Never>] = []
            for count in 1...5 { tasks.append(await stage.begin(hook, UInt32(count))) }
            let other = Configuration.Webhook(url: "https://other.local/")
            #expect(await stage.begin(other, 9).value == .delivered)
            #expect(stage.loop.now == .seconds(1))
            for task in tasks { #expect(await task.value == .delivered) }
            #expect(await stage.server.events == [1, 9, 1, 2, 3, 4, 5].map { "0f3c-\($0)-click" })
            #expect(await stage.server.mostPresent == 2)
            #expect(stage.loop.now == .milliseconds(6500))
        }
    }

    @Test("So many wait, and no more; what waits too long is dropped")
    func overflow() async throws {
        let hook = Configuration.Webhook(url: "https://ha.local/", timeout: .seconds(3600), tries: 1, maxAge: .seconds(10))
        try await play(takes: .seconds(3)) { stage in
            var tasks: [Task<WebhookOutcome, Never>] = []
            for count in 0...WebhookRunner.mostWaiting { tasks.append(await stage.begin(hook, UInt32(count))) }
            #expect(await stage.send(hook) == .dropped("https://ha.local: \(WebhookRunner.mostWaiting) others wait already"))
            var outcomes: [WebhookOutcome] = []
            for task in tasks { outcomes.append(await task.value) }
            #expect(outcomes.prefix(4).allSatisfy { $0 == .delivered })
            #expect(outcomes.dropFirst(4).allSatisfy { $0 == .dropped("https://ha.local: the event is too old") })
            #expect(await stage.server.times == [0, 3, 6, 9].map { .seconds($0) })
            // The line is gone.
            #expect(await stage.send(hook) == .delivered)
        }
    }

    @Test("A task that is cancelled gives up, whether it waits, pauses or sends; those behind it go on")
    func cancelled() async throws {
        let hook = hook
        try await play(takes: .seconds(1), [ScriptedServer.status(500)]) { stage in
            let pausing = await stage.begin(hook, 1)
            let waiting = await stage.begin(hook, 2)
            let behind = await stage.begin(hook, 3)
            await stage.loop.pause(for: .milliseconds(1200))
            waiting.cancel()
            pausing.cancel()
            #expect(await waiting.value == .dropped("https://ha.local:8123: cancelled"))
            #expect(await pausing.value == .failed("https://ha.local:8123: given up, as it was cancelled"))
            await stage.loop.pause(for: .milliseconds(500))
            behind.cancel()
            #expect(await behind.value == .failed("https://ha.local:8123: cancelled"))
            #expect(await stage.server.events == ["0f3c-1-click", "0f3c-3-click"])
            #expect(await stage.send(hook) == .delivered)
        }
    }

    @Test("Those that were cancelled leave room for others")
    func cancelledRoom() async throws {
        let hook = hook
        try await play(takes: .seconds(1)) { stage in
            _ = await stage.begin(hook, 0)
            var tasks: [Task<WebhookOutcome, Never>] = []
            for count in 1...WebhookRunner.mostWaiting { tasks.append(await stage.begin(hook, UInt32(count))) }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.value }
            #expect(await stage.send(hook) == .delivered)
        }
    }

    @Test("At the end nothing is begun or tried again")
    func stop() async throws {
        let hook = hook
        try await play(takes: .seconds(1), [ScriptedServer.status(500)]) { stage in
            let first = await stage.begin(hook, 1)
            let second = await stage.begin(hook, 2)
            await stage.loop.pause(for: .milliseconds(500))
            await stage.runner.stop()
            #expect(await second.value == .dropped("https://ha.local:8123: the program ends"))
            #expect(await first.value == .failed("https://ha.local:8123: given up, as the program ends"))
            #expect(await stage.send(hook) == .dropped("https://ha.local:8123: the program ends"))
            #expect(await stage.server.times.count == 1 && stage.loop.now == .seconds(1))
        }
    }

    @Test("A hook that must not be is not sent, however it came here")
    func insecure() async throws {
        try await play { stage in
            let hook = Configuration.Webhook(url: "http://ha.local/secret")
            let outcome = await stage.send(hook)
            #expect(outcome == .failed("the URL is neither https nor of this computer: what is sent could be read on the way"))
            #expect(await stage.server.times.isEmpty)
        }
    }

    @Test("The token is read for each try")
    func token() async throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/flickit-hook-\(UUID().uuidString)"
        defer { unlink(path) }
        let hook = Configuration.Webhook(url: "https://ha.local/", tokenFile: path, tries: 4)
        try await play([ScriptedServer.status(500), ScriptedServer.status(503)]) { stage in
            #expect(await stage.send(hook) == .failed("https://ha.local: \(path) cannot be read: No such file or directory"))
            try Data("first".utf8).write(to: URL(filePath: path))
            chmod(path, 0o600)
            let task = await stage.begin(hook, 1)
            try Data("second".utf8).write(to: URL(filePath: path))
            #expect(await task.value == .delivered)
            let tokens = await stage.server.arrivals.map { $0.request.headers.first { $0.name == "Authorization" }?.value }
            #expect(tokens == ["Bearer first", "Bearer second", "Bearer second"])
            #expect(stage.log.all.allSatisfy { !$0.contains("first") && !$0.contains("second") })
        }
    }
}
