import Fixtures
import FlicClient
import FlicProtocol
import FlicSimulator
import Foundation
import Testing

/// The recorded sessions once more, by way of a trace.
@Suite("Recorded sessions, traced and replayed")
struct ReplayedTranscriptTests {
    @Test("51 recorded sessions replay without difference, and without any of their secrets in the trace", arguments: RecordedSession.all)
    func replay(_ recorded: RecordedSession) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: url) }
        let recorder = try TraceRecorder(creating: url.path, program: "tests 1")
        var session = recorded.makeSession()
        session.observer = recorder.observer(on: 1)
        var actions: [HostSession.Action] = []
        session.start(random: recorded.random, now: .zero, into: &actions)
        var time = Duration.zero
        for step in recorded.steps.dropFirst() {
            guard step.from.string == "button", let frame = step.frame.bytes else { continue }
            time += .milliseconds(10)
            recorder.received(frame, on: 1, at: time)
            session.receive(frame.span, now: time, into: &actions)
        }
        session.close(into: &actions)
        await recorder.finish()

        let data = try Data(contentsOf: url)
        let replay = try SessionReplay(data)
        #expect(replay.differences.map(\.description) == [])
        #expect(replay.sessionCount == 1)
        var decisions = 0
        replay.tellStory { if $0.contains("session 1") { decisions += 1 } }
        #expect(decisions >= 2)

        let text = String(decoding: data, as: UTF8.self)
        var secrets = [recorded.memory?.pairing.key, recorded.sessionKey, recorded.random.privateKey].compactMap { $0 }.map {
            $0.withBytes { Array($0) }
        }
        for case .paired(let button) in actions { secrets.append(button.pairing.key.withBytes { Array($0) }) }
        for secret in secrets where Set(secret).count > 1 {
            #expect(!text.contains(secret.hex) && !text.contains(secret.hex.uppercased()))
            #expect(!text.contains(Data(secret).base64EncodedString().prefix(20)))
        }
    }
}
