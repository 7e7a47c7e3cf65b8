import Testing

@testable import UART

@Suite("Bytes into lines")
struct LineSplitterTests {
    private func lines(_ pieces: [[UInt8]], longest: Int = 4096) -> [String] {
        var splitter = LineSplitter(longestLine: longest)
        let lines = pieces.flatMap { splitter.add($0) }
        return lines + (splitter.finish().map { [$0] } ?? [])
    }

    @Test("A text that is cut at every byte is whole")
    func everyCut() {
        let bytes = Array("grün→日本\nzwei\n".utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                #expect(lines(pieces) == ["grün→日本", "zwei"], "cut at \(first) and \(second)")
            }
        }
        #expect(lines(bytes.map { [$0] }) == ["grün→日本", "zwei"])
    }

    @Test("Lines end with a line feed, with or without a carriage return, which may come in the next piece")
    func ends() {
        #expect(lines([Array("a\r\nb\n\n\r\nc\rd\n".utf8)]) == ["a", "b", "", "", "c\rd"])
        #expect(lines([Array("a\r".utf8), Array("\nb".utf8)]) == ["a", "b"])
        #expect(lines([Array("a\r\r\n".utf8)]) == ["a\r"])
    }

    @Test("What has no end is told at the end, once")
    func unfinished() {
        var splitter = LineSplitter(longestLine: 100)
        #expect(splitter.add(Array("half".utf8)) == [])
        #expect(splitter.finish() == "half")
        #expect(splitter.finish() == nil)
    }

    @Test("What is no UTF-8 becomes U+FFFD, and nothing around it is harmed")
    func invalid() {
        #expect(lines([[0x61, 0xFF, 0x62, 0x0A]]) == ["a\u{FFFD}b"])
        #expect(lines([[0xE2, 0x86], [0x0A, 0x61, 0x0A]]) == ["\u{FFFD}", "a"])
        #expect(lines([[0xC3]]) == ["\u{FFFD}"])
    }

    @Test("A line that is too long is cut, but not within a character", arguments: 4...12)
    func long(longest: Int) {
        let text = "aé→😀" + String(repeating: "日本→é", count: 20)
        let cut = lines(Array(text.utf8).map { [$0] } + [[0x0A]], longest: longest)
        #expect(cut.joined() == text)
        #expect(cut.allSatisfy { $0.utf8.count <= longest && !$0.isEmpty && !$0.contains("\u{FFFD}") })
    }

    @Test("A line of the longest length is one line, whatever its end", arguments: ["\n", "\r\n"])
    func exact(end: String) {
        #expect(lines([Array("abcdefg\(end)h\n".utf8)], longest: end == "\n" ? 7 : 8) == ["abcdefg", "h"])
    }

    @Test("Bytes without end, and continuation bytes without beginning, stay within bounds")
    func hostile() {
        var splitter = LineSplitter(longestLine: 16)
        let count = splitter.add([UInt8](repeating: 0x80, count: 1000)).count + splitter.add([UInt8](repeating: 0xF0, count: 1000)).count
        #expect(count >= 2000 / 16 - 1)
        #expect((splitter.finish()?.unicodeScalars.count ?? 0) <= 16)
    }
}
