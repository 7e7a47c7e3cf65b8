import FlicSimulator
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import FlicBridge

/// A simulated button, a bridge and its socket: a real one, on virtual time.
struct SocketScene: Sendable {
    let clock: VirtualLoop
    let loop: DispatchLoop
    let air: SimulatedAir
    let button: SimulatedButton
    let flic: Flic
    let bridge: Bridge
    let server: SocketServer
    let path: String
    let remarks: Remarks

    static let date = Date(timeIntervalSince1970: 1_767_225_600.5)

    /// Runs `body` in a new scene whose server has been started.
    static func play<Result: Sendable>(
        facts: SocketServer.Facts = SocketServer.Facts(version: "1.2.3"),
        _ body: @escaping @Sendable (SocketScene) async throws -> Result
    ) async throws -> Result {
        let clock = VirtualLoop(label: "test", patience: .seconds(30))
        let directory = try TemporaryDirectory()
        return try await clock.run(timeLimit: .seconds(24 * 3600)) {
            let loop = clock.makeLoop()
            let air = SimulatedAir(loop: loop)
            let button = SimulatedButton(seed: 1, loop: loop)
            await air.place(button)
            var configuration = FlicConfiguration(
                central: SimulatedCentral(air: air),
                store: MemoryStore(),
                trustingTestRoot: TestRoot.publicKey
            )
            configuration.machineIdentity = "machine"
            configuration.date = { date }
            let flic = Flic(configuration)
            let bridge = Bridge(flic)
            let remarks = Remarks()
            let server = SocketServer(bridge, on: loop, facts: facts, date: { date }, log: remarks.add)
            let path = directory.path + "/flickit.sock"
            await bridge.add { notice in server.assumeIsolated { $0.hear(notice) } }
            await bridge.start()
            await server.start(try BoundSocket(try SocketPlace(path, isShared: false)))
            let scene = SocketScene(
                clock: clock,
                loop: loop,
                air: air,
                button: button,
                flic: flic,
                bridge: bridge,
                server: server,
                path: path,
                remarks: remarks
            )
            await scene.pass(.seconds(1))  // Bluetooth is ready
            do {
                let result = try await body(scene)
                await server.stop()
                await bridge.stop()
                return result
            } catch {
                await server.stop()
                await bridge.stop()
                throw error
            }
        }
    }

    func pass(_ time: Duration = .milliseconds(1)) async { await clock.pause(for: time) }

    /// A client that has read the greeting.
    func client() async throws -> RawClient {
        let client = try RawClient(path, on: clock.makeLoop())
        await client.open()
        await pass()
        #expect(await client.take() == [#"{"hello":"flickit","protocol":1,"version":"1.2.3"}"#])
        return client
    }

    /// What a client is told after this line; time for requests to be carried out.
    func ask(_ client: RawClient, _ line: String, _ time: Duration = .milliseconds(1)) async -> [String] {
        await client.send(line)
        await pass(time)
        return await client.take()
    }

    /// The refusal of this line.
    func refusal(_ client: RawClient, _ line: String) async throws -> BridgeRefusal {
        let lines = await ask(client, line)
        #expect(lines.count == 1)
        return try #require(try Line(lines.first).error)
    }

    /// Pairs with the button, which is ready then.
    func pair(name: String? = nil) async throws -> ButtonInfo {
        await button.enterPublicMode()
        let info = try await bridge.pair(name: name)
        await pass(.seconds(2))
        return info
    }
}

/// What was logged.
final class Remarks: Sendable {
    private let texts = Mutex<[String]>([])

    @Sendable func add(_ level: LogLevel, _ text: String) { texts.withLock { $0.append("\(level) \(text)") } }

    var all: [String] { texts.withLock { $0 } }
}

/// A directory with a short path, which is removed with the object.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/flickit.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
