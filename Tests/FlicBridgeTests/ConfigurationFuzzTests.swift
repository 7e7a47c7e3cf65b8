import Fixtures
import FlicBridge
import Testing

@Suite("Configuration: files that were damaged")
struct ConfigurationFuzzTests {
    /// What damage is made of.
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\n", "null", "true", "-1", "1e99", "\"a\"", "\\u0000", "\\ud800", "\u{0}", "é", "/",
    ]

    @Test("Whatever the file, it is read or refused with place and reason", arguments: 0..<8 as Range<UInt64>)
    func mutations(seed: UInt64) throws {
        var random = Random(seed: seed)
        let original = Array(ConfigurationTests.everything.utf8)
        let lineCount = original.filter { $0 == UInt8(ascii: "\n") }.count + 1
        var refused = 0
        for _ in 0..<400 {
            var bytes = original
            var added = 0
            for _ in 0...random.next(3) {
                let position = random.next(bytes.count)
                switch random.next(4) {
                case 0:
                    bytes[position] = UInt8(truncatingIfNeeded: random.next())
                    added += 1
                case 1: bytes.removeSubrange(position..<min(position + 1 + random.next(30), bytes.count))
                case 2:
                    let piece = Array(Self.pieces[random.next(Self.pieces.count)].utf8)
                    bytes.insert(contentsOf: piece, at: position)
                    added += 1
                default:
                    let end = min(position + random.next(60), bytes.count)
                    bytes.insert(contentsOf: bytes[position..<end], at: random.next(bytes.count))
                    added += 60
                }
                if bytes.isEmpty { bytes = [0] }
            }
            do throws(ConfigurationError) {
                _ = try ConfigurationFile(path: "c.json").parse(bytes)
            } catch {
                refused += 1
                try #require(!error.problems.isEmpty)
                for problem in error.problems {
                    let line = try #require(problem.line)
                    try #require((1...lineCount + added).contains(line) && !problem.message.isEmpty)
                    let text = problem.text(in: "c.json")
                    try #require(text.hasPrefix("c.json:\(line):") && !text.unicodeScalars.contains { $0.properties.generalCategory == .control })
                }
            }
        }
        #expect(refused > 200)
    }
}
