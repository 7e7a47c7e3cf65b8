import FlicClient
import FlicSimulator
import Foundation

@testable import FlicClient

/// A recording in a file that goes away with it.
final class Recording: Sendable {
    let recorder: TraceRecorder
    let remarks = Remarks()
    let url = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID()).jsonl")

    init(limit: Int = TraceRecorder.usualLimit, calls: SystemCalls = SystemCalls()) throws {
        recorder = try TraceRecorder(creating: url.path, program: "tests 1", limit: limit, log: remarks.note, calls: calls)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Ends the recording.
    var data: Data {
        get async throws {
            await recorder.finish()
            return try Data(contentsOf: url)
        }
    }

    var lines: [String] { get async throws { String(decoding: try await data, as: UTF8.self).split(separator: "\n").map(String.init) } }

    func replay() async throws -> SessionReplay { try SessionReplay(try await data) }

    /// The recording of an application with a button: paired, named, pressed, lost, renamed by another app, and pressed again.
    ///
    /// - Returns: Its lines, and what the application had stored.
    static func story(mtu: Int = 140, nickname: String = "Küche") async throws -> (lines: [String], record: ButtonRecord) {
        let recording = try Recording()
        let loop = VirtualLoop(patience: .seconds(30))
        let record = try await loop.run {
            let air = SimulatedAir(loop: loop, mtu: mtu)
            let button = SimulatedButton(seed: 3, loop: loop)
            await air.place(button)
            let store = MemoryStore()
            let flic = Scene.application(on: air, store: store) { $0.recorder = recording.recorder }
            await flic.start()
            await button.setName("Mädchenzimmer")
            await button.enterPublicMode()
            let paired = try await flic.pair()
            await paired.setNickname(nickname)
            await button.click()
            await loop.pause(for: .seconds(5))
            await air.loseLink(to: button.address)
            await button.doubleClick()
            await loop.pause(for: .seconds(10))
            await button.setName("Hauptschlafzimmer")
            await loop.pause(for: .seconds(5))
            await button.hold()
            await loop.pause(for: .seconds(5))
            await flic.stop()
            return store.contents[0]
        }
        return (try await recording.lines, record)
    }
}
