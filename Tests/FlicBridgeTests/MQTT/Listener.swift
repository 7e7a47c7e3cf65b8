import EventLoops
import MQTT
import Synchronization

/// A client of a real broker that remembers what it hears.
final class Listener: Sendable {
    struct Heard {
        var messages: [MQTTMessage] = []
        var connections = 0
        var errors: [MQTTError] = []
    }

    /// What was heard, and who waits for more.
    private final class Ear: Sendable {
        struct State {
            var heard = Heard()
            var waiters: [(isOver: @Sendable (Heard) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
        }

        let state = Mutex(State())

        func hear(_ notice: MQTTClient.Notice) {
            let done = state.withLock { state in
                switch notice {
                case .connected: state.heard.connections += 1
                case .disconnected(let error): state.heard.errors += error.map { [$0] } ?? []
                case .received(let message): state.heard.messages.append(message)
                case .dropped, .subscriptionRefused: break
                }
                let heard = state.heard
                let done = state.waiters.filter { $0.isOver(heard) }
                state.waiters.removeAll { $0.isOver(heard) }
                return done
            }
            for waiter in done { waiter.continuation.resume() }
        }
    }

    private let loop: DispatchLoop
    private let ear = Ear()
    private let client: MQTTClient

    init(_ options: MQTTOptions, subscribingTo filters: [String] = [], on loop: DispatchLoop = DispatchLoop(label: "listener")) {
        self.loop = loop
        client = MQTTClient(loop: loop, seed: 1, open: MQTTClient.opener(on: loop)) { [ear] in ear.hear($0) }
        start(options, subscribingTo: filters)
    }

    /// Connects, anew if need be.
    func start(_ options: MQTTOptions, subscribingTo filters: [String]) {
        loop.execute { [client] in client.start(options, subscribingTo: filters) }
    }

    func publish(_ topic: String, _ text: String, isRetained: Bool = false) {
        loop.execute { [client] in
            client.publish(maxAge: nil) { _ in MQTTMessage(topic: topic, payload: Array(text.utf8), quality: .atLeastOnce, isRetained: isRetained) }
        }
    }

    func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute { [client] in client.stop(within: .seconds(2)) { continuation.resume() } }
        }
    }

    var heard: Heard { ear.state.withLock { $0.heard } }

    /// Waits until something is so.
    func wait(until isOver: @escaping @Sendable (Heard) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOverNow = ear.state.withLock { state in
                if isOver(state.heard) { return true }
                state.waiters.append((isOver, continuation))
                return false
            }
            if isOverNow { continuation.resume() }
        }
    }

    /// Waits until everything is here that the broker had when this was called.
    func catchUp() async {
        let mark = "flickit-test/\(UInt64.random(in: .min ... .max))"
        publish(mark, "mark")
        await wait { $0.messages.contains { $0.topic == mark } }
    }
}
