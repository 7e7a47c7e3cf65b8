import FlicClient
import FlicSimulator
import Foundation

/// What tests of stores need.
enum StoreMaterial {
    /// Records as a real pairing makes them.
    static func records(_ count: Int) async throws -> [ButtonRecord] {
        var records: [ButtonRecord] = []
        for seed in 1...count {
            let made = try await Scene.run(seed: UInt64(seed)) { scene in
                let button = try await scene.pair()
                await button.setNickname("Button \(seed)")
                await scene.pass(.seconds(1))
                return scene.store.contents
            }
            records += made
        }
        return records
    }

    static func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())/state", directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }
        try await body(directory)
    }
}
