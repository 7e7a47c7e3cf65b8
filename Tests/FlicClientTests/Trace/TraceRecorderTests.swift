import FlicClient
import FlicProtocol
import FlicSimulator
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FlicClient

@Suite("Recording")
struct TraceRecorderTests {
    @Test("A trace tells everything: links, frames in both directions, sessions, decisions, and what was told")
    func story() async throws {
        let (lines, _) = try await Recording.story()
        #expect(lines[0] == #"{"format":"flickit-trace","names":"masked","program":"tests 1","version":1}"#)
        let records = try TraceReader(Data((lines.joined(separator: "\n") + "\n").utf8)).records.map(\.record)
        #expect(records.count == lines.count - 1)
        let kinds = Set(records.map(\.what))
        #expect(kinds == [.adapter, .discovery, .open, .connected, .ready, .received, .sent, .closed, .session, .told, .close])
        let actions = records.flatMap { $0.actions ?? [] }
        for name in ["send", "paired", "verified", "event", "progress", "queueFinished", "battery", "nameChanged", "renameConfirmed"] {
            #expect(actions.contains { $0.action == name }, "\(name)")
        }
        // What a session decides to send is what goes out.
        let decided = actions.filter { $0.action == "send" }.map(\.frame)
        let sent = records.filter { $0.what == .sent }.map(\.frame)
        #expect(decided.count > 15 && decided == sent)
        let presses = records.compactMap(\.notice).filter { $0.notice == "press" }.compactMap(\.kind)
        #expect(presses == ["down", "up", "click", "down", "up", "click", "down", "up", "click", "down", "hold", "up"])
        #expect(records.map(\.ms) == records.map(\.ms).sorted())
    }

    @Test("No secret is in a trace: pairing, session keys; and no name", arguments: [23, 140])
    func secrets(mtu: Int) async throws {
        let (lines, record) = try await Recording.story(mtu: mtu)
        let text = lines.joined(separator: "\n")
        #expect(try Self.keys(of: lines, record.pairing).count == 1, "the session after the lost link")
        for secret in [record.pairing.key] + (try Self.keys(of: lines, record.pairing)) {
            #expect(Self.forms(of: secret.withBytes { Array($0) }).allSatisfy { !text.contains($0) })
        }
        for name in ["Küche", "Mädchenzimmer", "Hauptschlafzimmer"] {
            #expect(Self.forms(of: Array(name.utf8)).allSatisfy { !text.contains($0) }, "\(name)")
            // Nor the end of a name that was cut into fragments.
            #expect(Self.forms(of: Array(name.utf8.suffix(5))).allSatisfy { !text.contains($0) }, "\(name)")
        }
        #expect(text.contains("\"masked\":true") && text.contains("\"bytes\":6") && text.contains("\"bytes\":14"))
    }

    /// The session keys of the Quick Verifies in a trace.
    static func keys(of lines: [String], _ pairing: Pairing) throws -> [SecretBytes] {
        let records = try TraceReader(Data((lines.joined(separator: "\n") + "\n").utf8)).records.map(\.record)
        var request: QuickVerifyRequest?
        return records.compactMap { record in
            guard let frame = record.frameBytes else { return nil }
            let body = Array(frame.dropFirst())
            if record.what == .sent { request = QuickVerifyRequest(body: body.span) ?? request }
            guard record.what == .received, let asked = request, let answer = QuickVerifyResponse(body: body.span), answer.tmpID == asked.tmpID
            else { return nil }
            return ChaskeyLTS.quickVerifyKey(pairing: pairing, clientRandom: asked.clientRandom, flags: 0, buttonRandom: answer.buttonRandom)
        }
    }

    /// As bytes could show in a text.
    static func forms(of bytes: [UInt8]) -> [String] {
        let base64 = (0..<3).flatMap { shift -> [String] in
            // With other bytes in front; what depends on those is left out.
            let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString().dropFirst(shift == 0 ? 0 : shift + 1)
            return [String(text.prefix { $0 != "=" }.dropLast())]
        }
        let hexadecimal = Hexadecimal.text(bytes)
        let list = "[" + bytes.map(String.init).joined(separator: ",") + "]"
        return [hexadecimal, hexadecimal.uppercased(), list, String(decoding: bytes, as: UTF8.self)] + base64
    }

    @Test("The file is private, and none is overwritten")
    func file() async throws {
        let recording = try Recording()
        var status = stat()
        #expect(stat(recording.url.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        do {
            _ = try TraceRecorder(creating: recording.url.path)
            Issue.record("overwritten")
        } catch {
            #expect(error.code == .exists && error.description.contains(recording.url.path))
        }
        #expect { try TraceRecorder(creating: "/nowhere/trace.jsonl") } throws: { ($0 as? TraceError)?.code == .failed }
        let text = try await recording.lines
        #expect(text.count == 1)
    }

    @Test("A full file ends with a record that says so; the program goes on")
    func full() async throws {
        let recording = try Recording(limit: 2000)
        for number in 0..<100 { recording.recorder.note(.write(1, [UInt8](repeating: UInt8(number), count: 20)), at: .seconds(number)) }
        let lines = try await recording.lines
        #expect(lines.joined(separator: "\n").utf8.count <= 2000 && lines.count > 10)
        #expect(lines.last?.contains(#""what":"full""#) == true)
        #expect(recording.remarks.all.map(\.0) == [.notice])
        let replay = try await recording.replay()
        #expect(replay.isFull && !replay.isCut && replay.differences.isEmpty)
    }

    @Test("A full disk ends the recording with one remark, and leaves whole lines", arguments: [1, 2, 3])
    func fullDisk(call: Int) async throws {
        let left = Mutex(call + 1)  // the first one is that of the first line
        var calls = SystemCalls()
        calls.largestWrite = 50
        calls.failure = { name in
            guard name == "pwrite" else { return nil }
            return left.withLock { left in
                left -= 1
                return left <= 0 ? ENOSPC : nil
            }
        }
        // The first line goes through in two pieces.
        left.withLock { $0 += 1 }
        let recording = try Recording(calls: calls)
        for number in 0..<100 { recording.recorder.note(.write(1, [1, 2, 3]), at: .seconds(number)) }
        let data = try await recording.data
        #expect(data.last == UInt8(ascii: "\n"))
        #expect(recording.remarks.all.count == 1 && recording.remarks.problems.count == 1)
        #expect(recording.remarks.problems.first?.contains("No space left on device") == true)
        #expect(try !SessionReplay(data).isCut)
    }

    @Test("Records are in the order in which things happened, from wherever they are noted")
    func order() async throws {
        let recording = try Recording()
        for number in 1...20_000 { recording.recorder.note(.write(UInt64(number), [1]), at: .milliseconds(number)) }
        let records = try TraceReader(try await recording.data).records.map(\.record)
        #expect(records.map(\.link) == (1...20_000).map { UInt64($0) })
    }

    @Test("Killed while it writes, at any byte: at most the last line is lost")
    func cut() async throws {
        let (lines, _) = try await Recording.story()
        let whole = Array((lines.joined(separator: "\n") + "\n").utf8)
        let header = lines[0].utf8.count + 1
        for end in stride(from: header, to: whole.count, by: 97) {
            let replay = try SessionReplay(Data(whole[..<end]))
            #expect(replay.differences.isEmpty)
            #expect(replay.isCut == (whole[end - 1] != UInt8(ascii: "\n")))
        }
    }

    @Test("Lines are in the file soon after, without the recording being ended")
    func soon() async throws {
        let recording = try Recording()
        recording.recorder.note(.write(1, [1]), at: .zero)
        let clock = ContinuousClock()
        let start = clock.now
        while try Data(contentsOf: recording.url).split(separator: 10).count < 2 {
            try #require(start.duration(to: clock.now) < .seconds(20))
            await Task.yield()
        }
    }
}
