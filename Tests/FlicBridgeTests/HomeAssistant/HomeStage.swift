import Fixtures
import FlicBridge
import FlicSimulator
import Foundation
import Logs
import MQTT
import Synchronization

/// A scene with a broker that is kept in step with the bridge.
struct HomeStage: Sendable {
    let scene: Scene
    let broker: ScriptedBroker
    let home: HomeAssistant
    let remarks: HomeRemarks

    static let midnight = Date(timeIntervalSince1970: 1_767_225_600)

    /// Settings for the broker of a test.
    static func configuration(_ discovery: Configuration.MQTT.Discovery = .device, maxAge: Duration? = nil) -> Configuration.MQTT {
        Configuration.MQTT(host: "broker", clientID: "flickit-test", discovery: discovery, maxAge: maxAge)
    }

    /// Runs `body` with a paired button and a connection.
    static func play(
        _ configuration: Configuration.MQTT = configuration(),
        name: String? = "Hall",
        before: @escaping @Sendable (ScriptedBroker, ButtonInfo) -> Void = { _, _ in },
        _ body: @escaping @Sendable (HomeStage, String) async throws -> Void
    ) async throws {
        try await Scene.play { scene in
            let info = try await scene.pair(name: name)
            await scene.pass(.seconds(35))  // the end of pairing mode
            let broker = ScriptedBroker(loop: scene.loop)
            before(broker, info)
            let stage = await HomeStage(scene, scene.bridge, broker, configuration)
            await stage.home.start()
            await stage.pass(.seconds(1))
            try await body(stage, info.uuid)
        }
    }

    init(_ scene: Scene, _ bridge: Bridge, _ broker: ScriptedBroker, _ configuration: Configuration.MQTT) async {
        self.scene = scene
        self.broker = broker
        let (loop, remarks) = (scene.loop, HomeRemarks())
        self.remarks = remarks
        let home = HomeAssistant(
            bridge,
            configuration,
            version: "1.2.3",
            open: broker.opener,
            seed: 1,
            date: { Self.midnight.addingTimeInterval(loop.now / .seconds(1)) },
            log: { remarks.note($0, $1) }
        )
        self.home = home
        await bridge.add { home.hear($0) }
    }

    func pass(_ time: Duration) async { await scene.loop.pause(for: time) }

    /// What the broker keeps, as a document; null if it is none.
    func document(_ topic: String) -> JSONValue { Self.document(broker.retained[topic] ?? []) }

    static func document(_ payload: [UInt8]) -> JSONValue { (try? JSONDecoder().decode(JSONValue.self, from: Data(payload))) ?? .null }

    /// What the broker keeps, as a text; nil if it keeps nothing there.
    func text(_ topic: String) -> String? { broker.retained[topic].map { String(decoding: $0, as: UTF8.self) } }

    /// The presses that were published since the last look at what was.
    func presses(_ id: String) -> [JSONValue] {
        broker.take().filter { $0.topic == "flickit/\(id)/event" }.map { Self.document($0.payload) }
    }
}

/// Remarks of the library.
final class HomeRemarks: Sendable {
    private let lines = Mutex<[(LogLevel, String)]>([])

    func note(_ level: LogLevel, _ text: String) { lines.withLock { $0.append((level, text)) } }

    var problems: [String] { lines.withLock { $0 }.filter { $0.0 == .problem }.map(\.1) }
}
