import Fixtures
import FlicClient
import FlicSimulator
import Foundation
import Testing

@testable import flic

/// All that the program writes, wherever it does, at its most talkative.
@Suite("Secrets: nothing but the store has them")
struct SecretsTests {
    @Test("Pairing, verifying, listening, recording, listing, exporting: no byte of a key in output, logs, traces and archives")
    func commands() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        @Sendable func path(_ name: String) -> String { directory.appending(path: name).path }
        try Data("correct horse\n".utf8).write(to: URL(filePath: path("passphrase")))
        let (written, key) = try await Stage.play { stage in
            var runs: [Run] = []
            await stage.button.enterPublicMode()
            runs.append(await stage.run("pair", "--verbose", "--json", "--record", path("pair.jsonl")))
            await stage.pass(.seconds(31))
            let interrupts = AsyncStream<Void>.makeStream()
            async let listening = stage.run("listen", "--verbose", "--json", "--record", path("listen.jsonl"), interrupts: interrupts.stream)
            await stage.button.click()
            await stage.pass(.seconds(10))
            await stage.air.loseLink(to: stage.button.address)
            await stage.button.doubleClick()
            await stage.pass(.seconds(10))
            interrupts.continuation.yield()
            runs.append(await listening)
            for arguments in [
                ["list"], ["status"], ["doctor"], ["battery"], ["export", "--output", path("archive"), "--passphrase-file", path("passphrase")],
            ] {
                runs.append(await stage.run(arguments + ["--verbose"]))
            }
            // The pairing goes wrong, and that is looked into.
            await stage.button.setFaults { $0.deniesPairings = true }
            await stage.button.click()
            runs.append(await stage.run("listen", "--verbose", "--seconds", "30", "--record", path("denied.jsonl")))
            let lines = runs.flatMap { $0.results + $0.errors }
            #expect(runs[0].code == .done && runs[1].results.contains { $0.contains("doubleClick") })
            return (Data(lines.joined(separator: "\n").utf8), try #require(stage.store.contents.first).secretBytes)
        }
        #expect(key.count == 16)
        #expect(written.count > 2000)
        var places = ["the output": written]
        for name in ["pair.jsonl", "listen.jsonl", "denied.jsonl", "archive"] {
            let file = try Data(contentsOf: URL(filePath: path(name)))
            #expect(file.count > 300, "\(name)")
            places[name] = file
        }
        for (place, bytes) in places { #expect(SecretSearch.find(key, in: bytes) == [], "in \(place)") }
    }

    @Test("A plain export has it, which shows that the search finds it")
    func plain() async throws {
        let (text, key) = try await Stage.play { stage in
            await stage.pair()
            let run = await stage.run("export", "--plain")
            return (run.results.joined(separator: "\n"), try #require(stage.store.contents.first).secretBytes)
        }
        #expect(SecretSearch.find(key, in: Data(text.utf8)) == ["hexadecimal"])
    }
}

extension ButtonRecord {
    /// The 16 bytes of the key, without the public number of the pairing.
    fileprivate var secretBytes: [UInt8] { pairing.key.withBytes { Array($0) } }
}
