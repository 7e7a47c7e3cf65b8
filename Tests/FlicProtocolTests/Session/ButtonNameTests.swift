import Fixtures
import FlicProtocol
import Testing

@Suite("Names of at most 23 bytes (protocol 9.1)")
struct ButtonNameTests {
    static let scalars: [(text: String, width: Int)] = [("a", 1), ("é", 2), ("€", 3), ("🎛", 4)]

    @Test("A name is cut between scalars, wherever the edge is", arguments: 0...26, 0...3)
    func cut(_ filler: Int, _ index: Int) {
        let (scalar, width) = Self.scalars[index]
        let start = String(repeating: "x", count: filler)
        let name = ButtonName(start + scalar + "tail and more than there is room for")
        #expect(name.bytes.count <= ButtonName.largestByteCount)
        #expect(name.text.utf8.elementsEqual(name.bytes))
        if filler >= 23 {
            #expect(name.text == String(start.prefix(23)))
        } else if filler + width > 23 {
            #expect(name.text == start)
        } else {
            #expect(name.bytes.count == 23)
            #expect(name.text.hasPrefix(start + scalar))
        }
    }

    @Test("A name that fits is kept, empty or full", arguments: ["", "Door", "ABCDEFGHIJKLMNOPQRSTUVW", "🎛🎛🎛🎛🎛€"])
    func fits(_ text: String) {
        #expect(ButtonName(text).text == text)
        #expect(ButtonName(text).isEmpty == (text == ""))
        #expect(ButtonName(received: text.utf8).text == text)
    }

    @Test(
        "What is not UTF-8 is replaced, and what is then too long is cut",
        arguments: [
            ([0xFF], "\u{FFFD}"),
            ([0x41, 0xC3], "A\u{FFFD}"),
            ([0x41, 0xC3, 0x42], "A\u{FFFD}B"),
            ([0xF0, 0x9F, 0x8E], "\u{FFFD}"),
            ([UInt8](repeating: 0x80, count: 23), String(repeating: "\u{FFFD}", count: 7)),
            ([UInt8](repeating: 0x61, count: 22) + [0xFF], String(repeating: "a", count: 22)),
            ([UInt8](repeating: 0x61, count: 20) + Array("🎛".utf8), String(repeating: "a", count: 20)),
            ([UInt8](repeating: 0x61, count: 40), String(repeating: "a", count: 23)),
        ] as [([UInt8], String)]
    )
    func received(_ bytes: [UInt8], _ text: String) {
        let name = ButtonName(received: bytes)
        #expect(name.text == text)
        #expect(name.bytes.count <= ButtonName.largestByteCount)
    }

    @Test("10,000 random byte strings give names that fit and that are received as they are")
    func random() {
        var random = Random(seed: 23)
        for _ in 0..<10_000 {
            let name = ButtonName(received: random.bytes(Int.random(in: 0...40, using: &random)))
            #expect(name.bytes.count <= 23)
            #expect(ButtonName(received: name.bytes).bytes == name.bytes)
        }
    }
}
