import FlicSimulator
import Testing

@testable import FlicBridge

@Suite("Requests of clients, as they are read")
struct BridgeRequestTests {
    private func refusal(_ text: String) -> BridgeRequest.Unreadable? {
        do throws(BridgeRequest.Unreadable) {
            _ = try BridgeRequest(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("Identifiers are texts or whole numbers, or left out")
    func identifiers() throws {
        #expect(try BridgeRequest(Array(#"{"request":"ping"}"#.utf8)).id == nil)
        #expect(try BridgeRequest(Array(#"{"request":"ping","id":-7}"#.utf8)).id == .number(-7))
        #expect(try BridgeRequest(Array(#"{"request":"ping","id":"ä"}"#.utf8)).id == .text("ä"))
        let longest = String(repeating: "x", count: RequestID.longestText)
        #expect(try BridgeRequest(Array(#"{"request":"ping","id":"\#(longest)"}"#.utf8)).id == .text(longest))
        for id in ["1.5", "true", "[]", "{}", "18446744073709551616", #""\#(longest)x""#] {
            let refused = try #require(refusal(#"{"request":"ping","id":\#(id)}"#))
            #expect(refused.id == nil && refused.refusal.reason == "badRequest")
            #expect(refused.refusal.message == "The member 'id' has to be a text of at most 128 bytes, or a whole number.")
        }
    }

    @Test("What is wrong is named, with the identifier of the request")
    func mistakes() throws {
        let cases: [(String, BridgeRefusal.Reason, String)] = [
            ("{}", .missingMember, "'request'"), (#"{"id":1,"request":"png"}"#, .unknownRequest, "'png'"),
            (#"{"id":1,"request":"ping","button":"x"}"#, .unknownMember, "'button'"),
            (#"{"id":1,"request":"rename","button":"x","nmae":"y"}"#, .unknownMember, "'nmae'"),
            (#"{"id":1,"request":"rename","button":"x"}"#, .missingMember, "'name'"), (#"{"id":1,"request":"forget"}"#, .missingMember, "'button'"),
            (#"{"id":1,"request":"forget","button":7}"#, .badRequest, "'button' has to be a text"),
            (#"{"id":1,"request":"pair","timeout":"7"}"#, .badRequest, "'timeout' has to be a number"),
            (#"{"id":1,"request":"mode","button":"x","mode":"all","tripleClick":1}"#, .badRequest, "'tripleClick' has to be true or false"),
            (#"{"id":1,"request":"subscribe","buttons":"x"}"#, .badRequest, "'buttons' has to be an array of texts"),
            (#"{"id":1,"request":"subscribe","events":[1]}"#, .badRequest, "'events' has to be an array of texts"),
            (#"{"id":1,"request":7}"#, .badRequest, "'request' has to be a text"),
        ]
        for (line, reason, text) in cases {
            let refused = try #require(refusal(line))
            #expect(refused.refusal.reason == reason.rawValue && refused.refusal.message.contains(text), "\(line): \(refused.refusal)")
        }
        #expect(refusal(#"{"id":"a","request":"png"}"#)?.id == .text("a"))
        #expect(refusal(#"{"id":9,"request":"forget","button":7}"#)?.id == .number(9))
    }

    @Test(
        "What is no JSON object in UTF-8 is refused",
        arguments: ["", "x", "[]", "7", "null", "{", #"{"request":"ping"}}"#, #"{"request":"ping"} {}"#, "{\"request\":\"ping\"\0}", "\u{1}"]
    )
    func notAnObject(text: String) throws {
        #expect(refusal(text)?.refusal.reason == "badRequest")
    }

    @Test("Deep nesting, long texts and bytes that are no text do no harm")
    func hostile() throws {
        for text in [
            String(repeating: "[", count: 60_000), #"{"request":"ping","id":"# + String(repeating: "[", count: 60_000),
            String(repeating: #"{"request":"#, count: 5_000), #"{"request":"\#(String(repeating: "é", count: 30_000))"}"#,
            #"{"\#(String(repeating: "x", count: 60_000))":1,"request":"ping"}"#,
        ] {
            let message = try #require(refusal(text)?.refusal.message)
            #expect(message.utf8.count < 500)
        }
        #expect(throws: BridgeRequest.Unreadable.self) { try BridgeRequest([0xFF, 0xFE, 0x7B, 0x00]) }
    }

    @Test("Values are checked: the words there are, and ranges")
    func values() throws {
        func request(_ change: (inout BridgeRequest) -> Void) -> BridgeRequest {
            var request = BridgeRequest(.mode, button: "x")
            change(&request)
            return request
        }
        for name in TriggerMode.names {
            let rules = try request { $0.mode = name }.clickRules()
            #expect(rules == .standard(rules.mode) && rules.mode.name == name)
        }
        let custom = try request { ($0.mode, $0.doubleClickTime, $0.holdTime, $0.tripleClick) = ("all", 0.25, 2, true) }.clickRules()
        #expect(custom == .custom(.clickAndDoubleClickAndHold, limits: .init(doubleClick: 8192, hold: 65_536, tripleClick: true)))
        let held = try request { ($0.mode, $0.holdTime) = ("hold", 0.1) }.clickRules()
        #expect(held == .custom(.clickAndHold, limits: .init(doubleClick: 16_384, hold: 3277, tripleClick: false)))
        for bad in [0.09, 10.1, -1, 1e300] {
            #expect(throws: BridgeRefusal.self) { try request { ($0.mode, $0.holdTime) = ("all", bad) }.clickRules() }
            #expect(throws: BridgeRefusal.self) { try request { ($0.mode, $0.doubleClickTime) = ("all", bad) }.clickRules() }
        }
        #expect(throws: BridgeRefusal.self) { try request { $0.mode = "ALL" }.clickRules() }
        #expect(throws: BridgeRefusal.self) { try request { $0.latency = "lowest" }.latencyMode() }
        #expect(throws: BridgeRefusal.self) { try request { $0.policy = "latest" }.queuePolicy() }
        #expect(try request { $0.policy = "latest:3" }.queuePolicy() == .latest(3))
        #expect(try request { _ in }.queuePolicy() == nil)
        #expect(try request { $0.seconds = 40 }.autoDisconnectTime() == .seconds(40))
        #expect(try request { _ in }.autoDisconnectTime() == nil)
        for bad in [39.9, 510.1] { #expect(throws: BridgeRefusal.self) { try request { $0.seconds = bad }.autoDisconnectTime() } }
        #expect(try request { _ in }.pairingTime() == .seconds(30))
        for bad in [0.5, 3601] { #expect(throws: BridgeRefusal.self) { try request { $0.timeout = bad }.pairingTime() } }
    }
}

@Suite("Lines out of a stream of bytes")
struct LineBufferTests {
    private func lines(_ pieces: [[UInt8]], longest: Int = 8) -> ([String], isTooLong: Bool, rest: String) {
        var buffer = LineBuffer(longestLine: longest)
        var lines: [String] = []
        for piece in pieces {
            buffer.add(piece)
            do {
                while let line = try buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            } catch {
                return (lines, true, "")
            }
        }
        let rest = buffer.takeRest()
        return (lines, false, String(decoding: rest, as: UTF8.self))
    }

    @Test("Whatever pieces they come in, the lines are the same", arguments: 1...12)
    func pieces(size: Int) {
        let bytes = Array("one\r\ntwo\n\nlongest8\nrest".utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        let result = lines(pieces)
        #expect(result.0 == ["one", "two", "", "longest8"] && result.rest == "rest" && !result.isTooLong)
    }

    @Test("A line that is too long is noticed, with its end and without")
    func tooLong() {
        for text in ["ok\n123456789", "ok\n123456789\n"] {
            let result = lines([Array(text.utf8)])
            #expect(result.0 == ["ok"] && result.isTooLong)
        }
    }
}
