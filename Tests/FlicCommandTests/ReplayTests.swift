import FlicClient
import FlicSimulator
import Foundation
import Testing

@testable import flic

@Suite("flic replay, and --record")
struct ReplayTests {
    /// A path at which there is nothing yet, and nothing afterwards.
    private static func withFile(_ body: (String) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url.path)
    }

    @Test("What was recorded while pairing and listening is told, and replayed without difference")
    func recordAndReplay() async throws {
        try await Self.withFile { pairing in
            try await Self.withFile { listening in
                try await Stage.play { stage in
                    await stage.button.enterPublicMode()
                    #expect(await stage.run("pair", "--name", "Hall", "--record", pairing).code == .done)
                    await stage.pass(.seconds(31))
                    async let listen = stage.run("listen", "--seconds", "20", "--record", listening)
                    await stage.pass(.seconds(1))
                    await stage.button.click()
                    await stage.pass(.seconds(5))
                    await stage.button.hold()
                    #expect(await listen.code == .done)
                }
                let story = try await Stage.play { stage in await stage.run("replay", pairing) }
                #expect(story.code == .done && story.errors.isEmpty)
                #expect(story.results.first == "Recorded by flic \(FlicProgram.version).")
                #expect(story.results.last == "1 sessions replayed, 0 differences.")
                #expect(story.results.contains { $0.contains("starts: pairs") } && !story.results.contains { $0.contains("Hall") })
                let quiet = try await Stage.play { stage in await stage.run("replay", "--quiet", listening) }
                #expect(quiet.results == ["1 sessions replayed, 0 differences."])
                let json = try await Stage.play { stage in await stage.run("replay", "--json", listening) }
                let summary = try #require(try json.objects.first)
                #expect(try json.objects.count == 1 && summary.event == "replayed" && summary.numbers["sessions"] == 1)
                #expect(summary.names == ["event", "program", "sessions", "differences", "cut", "full"])
            }
        }
    }

    @Test("A difference: exit code 1, its line, and what it is")
    func difference() async throws {
        try await Self.withFile { path in
            try await Stage.play { stage in
                await stage.button.enterPublicMode()
                #expect(await stage.run("pair", "--record", path).code == .done)
            }
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let changed = text.replacing(#"{"action":"verified"}"#, with: #"{"action":"unpaired"}"#, maxReplacements: 1)
            let line = try #require(changed.split(separator: "\n").firstIndex { $0.contains(#"{"action":"unpaired"}"#) }) + 1
            try Data(changed.utf8).write(to: URL(filePath: path))
            let run = try await Stage.play { stage in await stage.run("replay", "--quiet", path) }
            #expect(run.code == .failed)
            #expect(run.results.first == "Difference: Line \(line), session 1, receive: recorded unpaired, replayed verified")
            #expect(run.results.count == 2 && run.errors == ["flic: This program decides otherwise than the one that recorded the trace."])
            let json = try await Stage.play { stage in await stage.run("replay", "--json", path) }
            #expect(try json.objects.map(\.event) == ["difference", "replayed", "failed"])
            #expect(try json.objects.first?.numbers["line"] == Double(line))
        }
    }

    @Test("A file that is there is not overwritten; one that is no trace, or missing, is told as such")
    func files() async throws {
        try await Self.withFile { path in
            try Data("mine".utf8).write(to: URL(filePath: path))
            let record = try await Stage.play { stage in await stage.run("pair", "--record", path) }
            #expect(record.code == .failed && record.errors.last?.hasSuffix("File exists; name another file.") == true)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
            let replay = try await Stage.play { stage in await stage.run("replay", path) }
            #expect(replay.code == .failed && replay.errors == ["flic: Line 1: this is not the beginning of a trace."])
        }
        let missing = try await Stage.play { stage in await stage.run("replay", "/nowhere/trace.jsonl") }
        #expect(missing.code == .failed && missing.errors.count == 1)
    }
}
