import FuzzInput

@testable import UART

// What comes over a UART, in pieces of any size, and what goes: the lines are the same whatever the pieces, nothing is lost, none is too long, none is cut
// in a character; and what the transport is given is what the writers had, in order.
//
// Input: a choice, a limit, the size of pieces, then bytes; or what writers and transport do.

private func splitLines(_ input: inout FuzzInput) {
    let limit = Int(input.byte())
    let size = Int(input.byte() & 31) + 1
    let bytes = input.rest()
    var whole = LineSplitter(longestLine: limit)
    let lines = whole.add(bytes)
    let end = whole.finish()

    var cut = LineSplitter(longestLine: limit)
    var cutLines: [String] = []
    for start in stride(from: 0, to: bytes.count, by: size) { cutLines += cut.add(Array(bytes[start..<min(start + size, bytes.count)])) }
    hold(cutLines == lines && cut.finish() == end, "in pieces of \(size): \(cutLines), not \(lines)")

    let isText = String(validating: bytes, as: UTF8.self) != nil
    for line in lines + [end].compactMap(\.self) {
        hold(!line.utf8.contains(UInt8(ascii: "\n")), "an end of line in \(line)")
        // A byte that is no text becomes three.
        hold(line.utf8.count <= max(limit, 4) * (isText ? 1 : 3), "a line of \(line.utf8.count) bytes")
        hold(!isText || !line.unicodeScalars.contains("\u{FFFD}") || bytes.contains(0xEF), "cut in a character: \(line)")
    }
    guard isText else { return }
    func content(_ bytes: some Sequence<UInt8>) -> [UInt8] { bytes.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } }
    hold(content(lines.joined().utf8) + content((end ?? "").utf8) == content(bytes), "\(bytes) became \(lines), \(end ?? "")")
}

private func send(_ input: inout FuzzInput) {
    var outbox = Outbox(pieceLength: Int(input.byte()), window: Int(input.byte() & 7))
    let pieceLength = max(outbox.pieceLength, 1)
    var given: [Int: [UInt8]] = [:]
    var open: Set<Int> = []
    var underWay = 0
    func finish(_ outcomes: [Outbox.Outcome], isDone: Bool = false) {
        for outcome in outcomes {
            hold(open.remove(outcome.writer) != nil, "writer \(outcome.writer) has ended twice")
            hold(outcome.byteCount == given[outcome.writer]?.count, "writer \(outcome.writer) had another number of bytes")
            hold((0...outcome.byteCount).contains(outcome.handedOver) && (!isDone || outcome.handedOver == outcome.byteCount), "\(outcome)")
        }
    }
    while !input.isEmpty {
        let kind = input.byte()
        switch kind % 5 {
        case 0:
            let bytes = input.piece()
            guard !bytes.isEmpty else { continue }
            let writer = outbox.add(bytes)
            given[writer] = bytes
            open.insert(writer)
        case 1:
            guard let piece = outbox.next() else { continue }
            underWay += 1
            hold(!piece.isEmpty && piece.count <= pieceLength && underWay <= outbox.window, "\(piece.count) bytes, \(underWay) pieces under way")
        case 2:
            finish(outbox.taken(Int(kind) / 5), isDone: true)
            underWay -= min(Int(kind) / 5, underWay)
        case 3:
            underWay = max(underWay - 1, 0)
            finish([outbox.refused()].compactMap(\.self))
        default: finish([outbox.cancel(Int(kind) / 5)].compactMap(\.self))
        }
    }
    finish(outbox.end())
    hold(open.isEmpty, "writers without an end: \(open)")
}

/// A writer alone, and a transport that takes all.
private func sendAll(_ input: inout FuzzInput) {
    var outbox = Outbox(pieceLength: Int(input.byte()), window: Int(input.byte() & 7))
    let writers = [input.piece(), input.piece(), input.rest()].filter { !$0.isEmpty }
    for bytes in writers { _ = outbox.add(bytes) }
    var sent: [UInt8] = []
    var done = 0
    while let piece = outbox.next() {
        sent += piece
        done += outbox.taken(1).count
    }
    hold(sent == writers.flatMap(\.self) && done == writers.count, "\(writers) were sent as \(sent)")
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    switch input.byte() % 4 {
    case 0: send(&input)
    case 1: sendAll(&input)
    default: splitLines(&input)
    }
    return 0
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        var seeds: [[UInt8]] = [
            [2, 4, 0, 0xF0, 0x9F, 0x98, 0x0A, 0xC3, 0xFF],
            [0, 2, 2, 0, 5, 1, 2, 3, 4, 5, 1, 1, 7, 1, 0, 3, 1, 2, 3, 1, 3, 4, 9],
        ]
        for text in ["one\ntwo\r\nthree", "\n\n\r\n", "äöü€😀äöü€😀", "\r\r\n", "a\u{FFFD}b"] {
            let bytes = Array(text.utf8)
            for limit: UInt8 in [2, 7, 200] { seeds.append([3, limit, 2] + bytes) }
            seeds.append([1, 3, 2] + bytes.asPiece + bytes)
        }
        return seeds
    }
}
