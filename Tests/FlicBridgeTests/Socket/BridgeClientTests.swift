import FlicSimulator
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import FlicBridge

@Suite("The daemon's client")
struct BridgeClientTests {
    private func connect(_ scene: SocketScene) async throws -> BridgeClient {
        try await BridgeClient.connect(scene.path, on: scene.clock.makeLoop())
    }

    @Test("It asks, is refused, and is told of events until the daemon ends")
    func talk() async throws {
        try await SocketScene.play { scene in
            let client = try await connect(scene)
            #expect(await client.version == "1.2.3")
            try await client.perform(BridgeRequest(.ping))
            await #expect(throws: BridgeRefusal(.unknownButton, "No button 'Hall' is paired.")) {
                _ = try await client.request(BridgeRequest(.forget, button: "Hall"), as: ButtonFacts.self)
            }
            _ = try await scene.pair(name: "Hall")
            let (snapshot, events) = try await client.subscribe(buttons: ["hall"], events: ["click", "hold"])
            #expect(snapshot.buttons.map(\.facts.name) == ["Hall"])
            await scene.button.click()
            await scene.pass(.seconds(1))
            await scene.button.hold()
            await scene.pass(.seconds(3))
            let list: [ButtonStatus] = try await client.request(BridgeRequest(.list))
            #expect(list.first?.presses == 2)
            await scene.server.stop()
            var told: [String] = []
            for await event in events { told.append("\(event.name ?? "") \(event.event)") }
            #expect(told == ["Hall click", "Hall hold"])
            await #expect(throws: SocketError(.ended, "The daemon at \(scene.path) has ended the connection.")) {
                try await client.perform(BridgeRequest(.ping))
            }
        }
    }

    @Test("Two clients pair and hear of it, each as it has asked")
    func two() async throws {
        try await SocketScene.play { scene in
            let (first, second) = (try await connect(scene), try await connect(scene))
            let (_, events) = try await second.subscribe(events: ["added"])
            await scene.button.enterPublicMode()
            let steps = Mutex<[String]>([])
            var request = BridgeRequest(.pair)
            request.name = "Hall"
            let status: ButtonStatus = try await first.request(request) { step in steps.withLock { $0.append(step) } }
            #expect(status.facts.name == "Hall")
            #expect(steps.withLock { $0 } == ["discovered", "connected", "verified"])
            let added = await events.first { _ in true }
            #expect(added?.event == "added" && added?.button == status.facts.button)
        }
    }

    @Test("A wait for an answer ends: by the answer, by time, with the task, with the client")
    func waits() async throws {
        try await SocketScene.play { scene in
            let client = try await connect(scene)
            let start = scene.clock.now
            await #expect { try await client.request(BridgeRequest(.pair), as: ButtonStatus.self, within: .seconds(7)) } throws: {
                ($0 as? SocketError)?.code == .timedOut
            }
            #expect((.seconds(7) ... .seconds(7.1)).contains(scene.clock.now - start))
            // The late answer is for nobody.
            await scene.pass(.seconds(60))
            try await client.perform(BridgeRequest(.ping))

            for ends in [true, false] {
                let task = Task(executorPreference: scene.clock) { try await client.request(BridgeRequest(.pair), as: ButtonStatus.self) }
                await scene.pass(.seconds(1))
                if ends { task.cancel() } else { await client.close() }
                let error = await #expect(throws: SocketError.self) { _ = try await task.value }
                #expect(error?.code == (ends ? .cancelled : .ended))
                await scene.pass(.seconds(60))
            }
            #expect(await scene.server.clients.isEmpty)
        }
    }

    @Test("Where no daemon is, or none that lives, it says so")
    func absent() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/flickit.sock"
        func code(_ path: String) async -> SocketError.Code? {
            do throws(SocketError) {
                _ = try await BridgeClient.connect(path, on: DispatchLoop())
                return nil
            } catch {
                return error.code
            }
        }
        #expect(await code(path) == .absent)
        #expect(await code(path + "/x") == .absent)
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #expect(try SocketPlace(path, isShared: false).withAddress { bind(dead, $0, $1) } == 0)
        #expect(await code(path) == .absent)
        close(dead)
        #expect(await code(String(repeating: "x", count: 200)) == .invalidPath)
    }

    /// Something that listens at a daemon's path, and says this to everybody.
    private func meet(_ greeting: [UInt8]?, _ body: @escaping @Sendable (VirtualLoop, String, String) async throws -> Void) async throws {
        let clock = VirtualLoop(label: "test", patience: .seconds(30))
        let directory = try TemporaryDirectory()
        try await clock.run {
            let path = directory.path + "/flickit.sock"
            let bound = try BoundSocket(try SocketPlace(path, isShared: false))
            let loop = clock.makeLoop()
            let sockets = Mutex<[StreamSocket]>([])
            let acceptor = Acceptor(
                bound.descriptor,
                on: loop,
                accepted: { descriptor in
                    guard let greeting else { return }
                    let socket = StreamSocket(descriptor, on: loop, mostWaiting: 1 << 20, received: { _ in }, ended: { _ in })
                    socket.send(greeting)
                    sockets.withLock { $0.append(socket) }
                },
                failed: { _ in }
            )
            do throws(SocketError) {
                let client = try await BridgeClient.connect(path, on: clock.makeLoop())
                try? await body(clock, "connected", "")
                await client.close()
            } catch {
                try await body(clock, error.code.rawValue, error.description)
            }
            acceptor.close()
        }
    }

    @Test("A program that says nothing, or hangs up, or speaks another language is no daemon")
    func strangers() async throws {
        let hello = #"{"hello":"flickit","version":"1","protocol":"#
        try await meet(Array((hello + "1}\n").utf8)) { _, outcome, _ in #expect(outcome == "connected") }
        try await meet(nil) { _, outcome, _ in #expect(outcome == "ended") }
        try await meet([]) { clock, outcome, _ in
            #expect(outcome == "timedOut")
            #expect((.seconds(5) ... .seconds(5.1)).contains(clock.now))
        }
        for text in ["SSH-2.0\n", "{}\n{\"id\":1}\n{\"event\":7}\n", hello + "2}\n", "{\"hello\":\"x\",\"version\":\"1\",\"protocol\":1}\n", "[]\n"] {
            try await meet(Array(text.utf8)) { _, outcome, _ in #expect(outcome == "notUnderstood", "\(text)") }
        }
        let refusal = #"{"error":{"reason":"tooManyClients","message":"64 clients are served already."}}"# + "\n"
        try await meet(Array(refusal.utf8)) { _, outcome, message in
            #expect(outcome == "failed" && message == "64 clients are served already.")
        }
    }

    @Test("Whatever a program says that is no daemon, it does no harm", arguments: 1...40 as ClosedRange<UInt64>)
    func garbage(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var bytes = Array((#"{"hello":"flickit","version":"1","protocol":1}"# + "\n").utf8)
        if seed.isMultiple(of: 2) { bytes = [] }
        for _ in 0..<200 {
            let words = [
                "{", "}", "\"id\":1", "\"event\":\"click\"", "\"result\":{}", ":", ",", "\n", "\u{0}", "[", "1e99", "\"error\":{\"reason\":\"x\"}",
            ]
            bytes += Array(words.randomElement(using: &random)!.utf8)
        }
        try await meet(bytes) { _, outcome, _ in #expect(["connected", "ended", "timedOut", "notUnderstood", "failed"].contains(outcome)) }
    }
}
