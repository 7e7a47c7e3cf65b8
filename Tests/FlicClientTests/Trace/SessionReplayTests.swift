import Fixtures
import FlicClient
import FlicProtocol
import FlicSimulator
import Foundation
import Testing

@testable import FlicClient

/// ``Scene`` replays every scene of these tests; here is what a replay finds.
@Suite("Replay")
struct SessionReplayTests {
    private static func replay(_ lines: [String]) throws -> SessionReplay {
        try SessionReplay(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test("A story replays without difference, at every MTU", arguments: [23, 30, 60, 140])
    func same(mtu: Int) async throws {
        let (lines, _) = try await Recording.story(mtu: mtu)
        let replay = try Self.replay(lines)
        #expect(replay.differences.map(\.description) == [])
        #expect(replay.sessionCount == 2 && replay.program == "tests 1" && !replay.isCut && !replay.isFull)
        var story: [String] = []
        replay.tellStory { story.append($0) }
        #expect(story.count == lines.count - 1)
        for part in ["starts: pairs", "starts: verifies a pairing", "← ButtonEventNotification", "press: click", "closed: timeout"] {
            #expect(story.contains { $0.contains(part) }, "\(part)")
        }
    }

    @Test("A pairing that is gone, or not, is proven anew", arguments: [true, false])
    func unpaired(isGone: Bool) async throws {
        // The scene itself is replayed; this is only about what is in it.
        let unpaired = try await Scene.run { scene in
            let button = try await scene.pair()
            if isGone { await scene.button.removePairings() } else { await scene.button.setFaults { $0.deniesPairings = true } }
            await scene.air.loseLink(to: scene.button.address)
            await scene.button.click()
            await scene.pass(.seconds(10))
            return button.info.isUnpaired
        }
        #expect(unpaired == isGone)
    }

    /// Where in a trace a byte is changed, and what has to be said of it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Finds the line.
        let isMeant: @Sendable (TraceRecord) -> Bool
        /// Hexadecimal digit of the frame.
        let digit: Int
        /// The difference shows in a later line than the change.
        var isLater = true
        let text: String
    }

    private static func receives(_ opcode: UInt8) -> @Sendable (TraceRecord) -> Bool {
        { $0.what == .received && $0.frameBytes?.dropFirst().first == opcode }
    }

    private static let changes = [
        Change(testDescription: "clock of an event", isMeant: receives(ButtonEventNotification.opcode), digit: 12, text: "event (code 1"),
        Change(testDescription: "counter of an event", isMeant: receives(ButtonEventNotification.opcode), digit: 4, text: "recorded event"),
        Change(testDescription: "a battery sample", isMeant: receives(GetBatteryLevelResponse.opcode), digit: 4, text: "battery (battery"),
        Change(testDescription: "an opcode", isMeant: receives(GetFirmwareVersionResponse.opcode), digit: 3, text: "firmwareVersion (firmware 10)"),
        Change(testDescription: "the certificate", isMeant: receives(FullVerifyResponse1.opcode), digit: 20, text: "invalidCertificate"),
        Change(testDescription: "the id of a client", isMeant: receives(QuickVerifyResponse.opcode), digit: 20, text: "foreignTemporaryID"),
    ]

    @Test("A changed byte of the button is a difference, named with its line", arguments: changes)
    func received(_ change: Change) async throws {
        var (lines, _) = try await Recording.story()
        let records = try TraceReader(Data((lines.joined(separator: "\n") + "\n").utf8)).records
        let (line, record) = try #require(records.first { change.isMeant($0.record) })
        let frame = try #require(record.frame)
        var digits = Array(frame)
        digits[change.digit] = digits[change.digit] == "5" ? "6" : "5"
        lines[line - 1] = lines[line - 1].replacing(frame, with: String(digits))
        let differences = try Self.replay(lines).differences
        let first = try #require(differences.first)
        #expect(first.line == line + 1)  // the call that received it
        #expect(differences.prefix(4).contains { $0.description.contains(change.text) }, "\(differences.prefix(4))")
    }

    @Test("Changed decisions and frames of the session are differences; signatures, keys and random numbers are not")
    func decided() async throws {
        let (lines, _) = try await Recording.story()
        let reader = try TraceReader(Data((lines.joined(separator: "\n") + "\n").utf8))
        var tried = 0
        for (line, record) in reader.records {
            for action in record.actions ?? [] {
                guard let frame = action.frame, let bytes = Hexadecimal.bytes(frame), bytes.count > 1 else { continue }
                tried += 1
                var changed = bytes
                changed[0] ^= 0x40
                var damaged = lines
                damaged[line - 1] = lines[line - 1].replacing(frame, with: Hexadecimal.text(changed))
                let differences = try Self.replay(damaged).differences
                #expect(differences.map(\.line) == [line])
                // The signature at the end follows from keys.
                if bytes[1] == AckButtonEventsInd.opcode {
                    changed = bytes
                    changed[bytes.count - 1] ^= 1
                    damaged[line - 1] = lines[line - 1].replacing(frame, with: Hexadecimal.text(changed))
                    #expect(try Self.replay(damaged).differences.isEmpty)
                    changed = bytes
                    changed[2] ^= 1
                    damaged[line - 1] = lines[line - 1].replacing(frame, with: Hexadecimal.text(changed))
                    #expect(try Self.replay(damaged).differences.map(\.line) == [line])
                }
            }
        }
        #expect(tried > 15)
        // A decision that is missing, and one too many.
        let ready = try #require(lines.firstIndex { $0.contains(#"{"action":"verified"}"#) })
        var damaged = lines
        damaged[ready] = damaged[ready].replacing(#"{"action":"verified"},"#, with: "")
        #expect(try Self.replay(damaged).differences.first?.line == ready + 1)
    }

    @Test("Nothing that is no trace, and nothing that was made of one, does worse than an error that names the line")
    func hostile() async throws {
        for text in ["", "\n", "{}\n", "[]\n", #"{"format":"flickit-trace","version":1,"program":"x","names":"masked"}"#] {
            #expect { try SessionReplay(Data(text.utf8)) } throws: { ($0 as? TraceError)?.code == .damaged }
        }
        let header = #"{"format":"flickit-trace","version":1,"program":"x","names":"masked"}"# + "\n"
        let future = header.replacing("\"version\":1", with: "\"version\":2")
        #expect { try SessionReplay(Data(future.utf8)) } throws: { ($0 as? TraceError)?.code == .newerVersion }
        for line in [
            "x", "{", #"{"ms":1}"#, #"{"ms":-1,"what":"full"}"#, #"{"ms":1e300,"what":"full"}"#, #"{"ms":1,"what":"other"}"#,
            #"{"ms":1,"what":"received"}"#, #"{"ms":1,"what":"received","link":1,"frame":"0"}"#,
            #"{"ms":1,"what":"received","link":1,"frame":"\#(String(repeating: "00", count: 600))"}"#,
            #"{"ms":1,"what":"session","link":1,"session":1,"call":{"name":"tick"},"actions":[]}"#,
            #"{"ms":1,"what":"session","link":1,"session":1,"call":{"name":"start"},"actions":[]}"#,
            String(repeating: "[", count: 60_000), String(repeating: " ", count: 70_000),
        ] {
            let data = Data((header + #"{"ms":0,"what":"adapter"}"# + "\n" + line + "\n").utf8)
            #expect("\(line.prefix(80))") { try SessionReplay(data) } throws: { error in
                (error as? TraceError)?.code == .damaged && (error as? TraceError)?.line == 3
            }
        }

        let (lines, _) = try await Recording.story(mtu: 23)
        let whole = Array((lines.joined(separator: "\n") + "\n").utf8)
        var random = Random(seed: 5)
        var readable = 0
        for _ in 0..<1000 {
            var bytes = whole
            for _ in 0...random.next(3) {
                let place = random.next(bytes.count)
                switch random.next(4) {
                case 0: bytes[place] = UInt8(random.next(256))
                case 1:
                    // Most of the digits are in frames and numbers: a trace that can be read, and tells something else.
                    guard let digit = bytes[place...].firstIndex(where: { 0x30...0x39 ~= $0 }) else { continue }
                    bytes[digit] = UInt8(ascii: "0") + UInt8(random.next(10))
                case 2: bytes.removeSubrange(place..<min(place + random.next(200), bytes.count))
                default: bytes.insert(contentsOf: bytes[place..<min(place + random.next(500), bytes.count)], at: random.next(bytes.count))
                }
            }
            guard let replay = try? SessionReplay(Data(bytes)) else { continue }
            readable += 1
            replay.tellStory { _ in }
        }
        #expect(readable > 40)
    }

    @Test("Fragments without end do not take time without end")
    func endlessFragments() async throws {
        let (lines, _) = try await Recording.story()
        let ready = try #require(lines.firstIndex { $0.contains(#"{"action":"verified"}"#) })
        var long = Array(lines[...ready])
        for number in 0..<20_000 {
            // Of another client, and of one's own, one byte each.
            let frame = Hexadecimal.text([number.isMultiple(of: 3) ? 0x81 : 0x9F, UInt8(truncatingIfNeeded: number)])
            long.append(#"{"ms":\#(100_000 + number),"what":"received","link":1,"frame":"\#(frame)"}"#)
            long.append(#"{"ms":\#(100_000 + number),"what":"session","link":1,"session":1,"call":{"name":"receive"},"actions":[]}"#)
        }
        let clock = ContinuousClock()
        let start = clock.now
        _ = try Self.replay(long)
        #expect(start.duration(to: clock.now) < .seconds(30))
    }
}
