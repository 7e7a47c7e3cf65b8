import EventLoops
import FlicSimulator
import Synchronization
import Testing

@testable import MQTT

@Suite("MQTT client: connections, what waits, and what is dropped")
struct MQTTClientTests {
    /// What a client has told, as short texts.
    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])

        func hear(_ notice: MQTTClient.Notice) {
            let line =
                switch notice {
                case .connected: "connected"
                case .disconnected(let error): "disconnected \(error?.code.rawValue ?? "-")"
                case .received(let message): "\(message.topic) \(String(decoding: message.payload, as: UTF8.self))"
                case .dropped(let message, let reason): "dropped \(message.topic): \(reason)"
                case .subscriptionRefused: "refused"
                }
            lines.withLock { $0.append(line) }
        }

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private struct Stage {
        let loop: VirtualLoop
        let broker: ScriptedBroker
        let client: MQTTClient
        let told: Told

        func start(_ filters: [String] = []) { client.start(MQTTOptions(host: "broker", clientID: "test"), subscribingTo: filters) }
        func pass(_ time: Duration) async { await loop.pause(for: time) }
        func stop() async {
            await withCheckedContinuation { continuation in client.stop(within: .seconds(2)) { continuation.resume() } }
        }
        /// Topics and payloads of what the broker was given.
        func taken() -> [String] { broker.take().map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" } }

        func letter(_ topic: String, maxAge: Duration? = nil) {
            client.publish(maxAge: maxAge) { waited in
                MQTTMessage(topic: topic, payload: Array("\(waited / .seconds(1))".utf8), quality: .atLeastOnce, isRetained: false)
            }
        }

        func note(_ topic: String, _ text: String) -> Bool {
            client.publish(MQTTMessage(topic: topic, payload: Array(text.utf8), quality: .atLeastOnce, isRetained: true))
        }
    }

    private func play(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let loop = VirtualLoop()
        try await loop.run {
            let broker = ScriptedBroker(loop: loop)
            let told = Told()
            let client = MQTTClient(loop: loop, seed: 1, open: broker.opener) { told.hear($0) }
            try await body(Stage(loop: loop, broker: broker, client: client, told: told))
        }
    }

    @Test("Attempts come with pauses that double up to a minute, each within a quarter of that")
    func pauses() async throws {
        try await play { stage in
            stage.broker.refusal = MQTTError(.unreachable, "nobody there")
            stage.start()
            await stage.pass(.seconds(400))
            let attempts = stage.broker.attempts
            let pauses = zip(attempts.dropFirst(), attempts).map { ($0 - $1) / .seconds(1) }
            #expect(pauses.count > 8)
            for (pause, expected) in zip(pauses, [1.0, 2, 4, 8, 16, 32, 60, 60]) {
                #expect(pause > expected * 0.74 && pause < expected * 1.27)
            }
            #expect(stage.client.state == .waiting(MQTTError(.unreachable, "nobody there")))
            stage.broker.refusal = nil
            await stage.pass(.seconds(80))
            #expect(stage.client.state == .connected)
        }
    }

    @Test("A connection that is refused right after it was accepted does not shorten the pauses; one that lasted does")
    func pausesAfterSuccess() async throws {
        try await play { stage in
            stage.start()
            for (number, pause) in [2, 3, 6, 11].enumerated() {
                await stage.pass(.milliseconds(20))
                #expect(stage.client.state == .connected)
                stage.broker.cut()
                await stage.pass(.milliseconds(1300))
                #expect((stage.client.state == .connected) == (number == 0))
                await stage.pass(.seconds(pause) - .milliseconds(1300))
            }
            #expect(stage.broker.attempts.count == 5)
            await stage.pass(.seconds(20))
            stage.broker.cut()
            await stage.pass(.milliseconds(1300))
            #expect(stage.client.state == .connected)
        }
    }

    @Test("What must not be lost waits for a connection in its order; what tells of now does not")
    func waiting() async throws {
        try await play { stage in
            stage.letter("a")
            stage.letter("b")
            #expect(!stage.note("now", "0"))
            await stage.pass(.seconds(3))
            stage.start()
            await stage.pass(.seconds(1))
            #expect(stage.note("now", "1"))
            await stage.pass(.seconds(1))
            #expect(stage.taken() == ["a 3.005", "b 3.005", "now 1"])
        }
    }

    @Test("What waits too long is dropped when it is too old, and that is told then")
    func ages() async throws {
        try await play { stage in
            stage.letter("old", maxAge: .seconds(10))
            stage.letter("patient", maxAge: .seconds(30))
            await stage.pass(.milliseconds(9_900))
            #expect(stage.told.take() == [])
            await stage.pass(.milliseconds(200))
            #expect(stage.told.take() == ["dropped old: it was too old"])
            stage.start()
            await stage.pass(.seconds(1))
            #expect(stage.taken().map { $0.prefix(7) } == ["patient"])
        }
    }

    @Test("Of too many that wait the oldest goes, and that is told")
    func tooMany() async throws {
        try await play { stage in
            for number in 0..<1002 { stage.letter("\(number)") }
            await stage.pass(.seconds(1))
            #expect(stage.told.take() == ["dropped 0: more than 1000 wait", "dropped 1: more than 1000 wait"])
            stage.start()
            await stage.pass(.seconds(10))
            #expect(stage.taken().map { $0.prefix { $0 != " " } } == (2..<1002).map { "\($0)" })
        }
    }

    @Test("What was not acknowledged when the connection was lost is sent again; what was is not")
    func again() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            stage.letter("first")
            await stage.pass(.seconds(1))
            stage.broker.acknowledges = false
            stage.letter("second")
            stage.letter("third")
            _ = stage.note("now", "1")
            await stage.pass(.seconds(1))
            stage.broker.acknowledges = true
            _ = stage.broker.take()
            stage.broker.cut()
            stage.letter("fourth")
            await stage.pass(.seconds(3))
            #expect(stage.taken().map { $0.prefix { $0 != " " } } == ["second", "third", "fourth"])
        }
    }

    @Test("What is sent again goes before what has waited behind it")
    func againInOrder() async throws {
        try await play { stage in
            stage.broker.acknowledges = false
            stage.start()
            await stage.pass(.seconds(1))
            for number in 1...20 { stage.letter("\(number)") }
            await stage.pass(.seconds(1))
            #expect(stage.taken().count == 16)
            stage.broker.acknowledges = true
            stage.broker.cut()
            await stage.pass(.seconds(5))
            #expect(stage.broker.take().map(\.topic) == (1...20).map { "\($0)" })
            await stage.stop()
        }
    }

    @Test("At most 16 messages are under way, and letters pass notes")
    func window() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            stage.broker.acknowledges = false
            for number in 0..<20 { _ = stage.note("note\(number)", "x") }
            await stage.pass(.seconds(1))
            #expect(stage.taken().count == 16)
            stage.letter("letter")
            _ = stage.note("note18", "y")
            stage.broker.acknowledges = true
            stage.broker.cut()
            await stage.pass(.seconds(2))
            for number in 0..<20 { _ = stage.note("note\(number)", "x") }
            _ = stage.note("note19", "newer")
            stage.letter("letter2")
            await stage.pass(.seconds(1))
            let taken = stage.taken()
            #expect(taken.first?.hasPrefix("letter ") == true && taken.firstIndex { $0.hasPrefix("letter2") } == 17)
            #expect(taken.last == "note19 newer" && taken.count == 22)
        }
    }

    @Test("A broker that does not acknowledge within 20 s is not there")
    func silence() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            stage.broker.acknowledges = false
            stage.letter("a")
            await stage.pass(.milliseconds(19_900))
            #expect(stage.told.take() == ["connected"])
            stage.broker.acknowledges = true
            await stage.pass(.milliseconds(200))
            #expect(stage.told.take() == ["disconnected silent"])
            await stage.pass(.seconds(2))
            #expect(stage.taken().count == 2 && stage.broker.attempts.count == 2)
        }
    }

    @Test("Subscriptions are made again with each connection")
    func subscriptions() async throws {
        try await play { stage in
            stage.broker.forbidden = ["b/+"]
            stage.start(["a/+", "b/+"])
            for text in ["1", "2"] {
                await stage.pass(.seconds(1))
                stage.broker.publish("a/x", text)
                stage.broker.publish("b/x", text)
                await stage.pass(.seconds(1))
                #expect(stage.told.take().suffix(3) == ["connected", "refused", "a/x \(text)"])
                stage.broker.cut()
                await stage.pass(.seconds(2))
            }
        }
    }

    @Test("A message of no use is dropped, and the others go on")
    func invalid() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            stage.letter("a/+")
            stage.letter("b")
            await stage.pass(.seconds(1))
            #expect(stage.told.take() == ["connected", "dropped a/+: a topic with a wildcard"])
            #expect(stage.taken() == ["b 0.0"])
        }
    }

    @Test("Stopping sends what waits, says goodbye, and ends also where nobody answers")
    func stopping() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            for number in 0..<40 { stage.letter("\(number)") }
            let begin = stage.loop.now
            await stage.stop()
            #expect(stage.taken().count == 40 && stage.loop.now - begin < .seconds(1) && stage.broker.connections == 0)
            #expect(stage.client.state == .stopped)
            stage.broker.isSilent = true
            stage.start()
            await stage.pass(.seconds(1))
            stage.letter("late")
            await stage.stop()
            await stage.pass(.seconds(1))
            #expect(stage.told.take() == ["connected", "disconnected -", "dropped late: the program ends"])
            #expect(stage.client.state == .stopped)
        }
    }

    @Test("Stopping does not wait longer than it may for a broker that does not acknowledge")
    func stoppingInTime() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            stage.broker.acknowledges = false
            stage.letter("a")
            let begin = stage.loop.now
            await stage.stop()
            #expect(stage.loop.now - begin < .milliseconds(2100))
            await stage.pass(.seconds(100))
            #expect(stage.broker.attempts.count == 1)
        }
    }

    @Test("Starting anew ends the old connection in good order and keeps what waits")
    func startingAnew() async throws {
        try await play { stage in
            stage.start()
            await stage.pass(.seconds(1))
            stage.broker.acknowledges = false
            stage.letter("a")
            await stage.pass(.seconds(1))
            stage.client.start(MQTTOptions(host: "other", clientID: "test"), subscribingTo: [])
            stage.broker.acknowledges = true
            await stage.pass(.seconds(5))
            #expect(stage.broker.options.map(\.host) == ["broker", "other"] && stage.broker.connections == 1)
            #expect(stage.taken().map { $0.prefix(1) } == ["a", "a"])
            #expect(stage.told.take() == ["connected", "disconnected -", "connected"])
        }
    }

    @Test("A build without MQTT says so, once")
    func absent() async throws {
        try await play { stage in
            stage.broker.refusal = .unavailable
            stage.start()
            await stage.pass(.seconds(1000))
            #expect(stage.broker.attempts.count == 1 && stage.told.take() == ["disconnected unavailable"])
            #expect(MQTTError.unavailable.description == "This build cannot do MQTT: build with '--traits MQTT' (Debian: libmosquitto-dev).")
        }
    }
}
