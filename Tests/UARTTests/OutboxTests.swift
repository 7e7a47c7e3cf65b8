import GATT
import Testing

@testable import UART

@Suite("Writers and pieces")
struct OutboxTests {
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    @Test(
        "Bug case D12, C30: pieces of at most the MTU less 3, in order, nothing in between; the writer is done after 450 bytes",
        arguments: [(23, 20), (185, 182), (247, 244), (0, 20), (517, 510), (100_000, 510)]
    )
    func pieces(mtu: Int, longest: Int) {
        var outbox = Outbox(pieceLength: UARTGATT.longestPiece(mtu: mtu), window: 1)
        let first = outbox.add(bytes(450))
        _ = outbox.add([0xAA, 0xBB])
        var pieces: [[UInt8]] = []
        var done: [Outbox.Outcome] = []
        while let piece = outbox.next() {
            pieces.append(piece)
            #expect(outbox.next() == nil, "one at a time")
            done += outbox.taken(1)
        }
        #expect(pieces.dropLast().allSatisfy { $0.count <= longest } && pieces.dropLast(2).allSatisfy { $0.count == longest })
        #expect(Array(pieces.dropLast().joined()) == bytes(450))
        #expect(pieces.last == [0xAA, 0xBB])
        #expect(done.first == Outbox.Outcome(writer: first, handedOver: 450, byteCount: 450))
        #expect(done.count == 2)
    }

    @Test("Bug case D12: the end tells each writer how much of it was taken")
    func end() {
        var outbox = Outbox(pieceLength: 20, window: 1)
        let (first, second) = (outbox.add(bytes(450)), outbox.add(bytes(3)))
        for _ in 0..<5 {
            _ = outbox.next()
            _ = outbox.taken(1)
        }
        _ = outbox.next()  // on its way: nobody knows
        let outcomes = outbox.end()
        #expect(
            outcomes == [
                .init(writer: first, handedOver: 100, byteCount: 450), .init(writer: second, handedOver: 0, byteCount: 3),
            ]
        )
        let (next, again) = (outbox.next(), outbox.end())
        #expect(next == nil && again.isEmpty)
    }

    @Test("So many pieces as the window has are on their way")
    func window() {
        var outbox = Outbox(pieceLength: 1, window: 3)
        let writer = outbox.add(bytes(5))
        let sent = (0..<5).map { _ in outbox.next() }
        #expect(sent == [[0], [1], [2], nil, nil])
        #expect(outbox.taken(2) == [])
        let more = (0..<3).map { _ in outbox.next() }
        #expect(more == [[3], [4], nil])
        #expect(outbox.taken(3) == [.init(writer: writer, handedOver: 5, byteCount: 5)])
        #expect(outbox.taken(7) == [], "what was not sent cannot be taken")
    }

    @Test("A writer that gives up, or is refused, sends no more; the others go on")
    func leaving() {
        var outbox = Outbox(pieceLength: 2, window: 1)
        let (first, second, third) = (outbox.add(bytes(6)), outbox.add([7, 8, 9]), outbox.add([10]))
        _ = outbox.next()
        #expect(outbox.cancel(first) == .init(writer: first, handedOver: 0, byteCount: 6))
        #expect(outbox.cancel(first) == nil)
        #expect(outbox.taken(1) == [])
        let piece = outbox.next()
        #expect(piece == [7, 8])
        #expect(outbox.refused() == .init(writer: second, handedOver: 0, byteCount: 3))
        #expect(outbox.refused() == nil)
        let last = outbox.next()
        #expect(last == [10])
        #expect(outbox.taken(1) == [.init(writer: third, handedOver: 1, byteCount: 1)])
    }

    @Test("Random writers, windows and answers: all bytes, in order, no piece of two writers")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let length = Int.random(in: 1...9, using: &generator)
            var outbox = Outbox(pieceLength: length, window: .random(in: 1...5, using: &generator))
            var expected: [UInt8] = []
            var sent: [UInt8] = []
            var (waiting, done, added) = (0, 0, 0)
            for step in 0..<300 {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0 where step < 200:
                    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: added), count: .random(in: 1...30, using: &generator))
                    _ = outbox.add(bytes)
                    added += 1
                    expected += bytes
                case 1:
                    guard let piece = outbox.next() else { continue }
                    #expect(!piece.isEmpty && piece.count <= length && Set(piece).count == 1)
                    sent += piece
                    waiting += 1
                default:
                    guard waiting > 0 else { continue }
                    waiting -= 1
                    done += outbox.taken(1).count
                }
            }
            done += outbox.taken(waiting).count
            while let piece = outbox.next() {
                sent += piece
                done += outbox.taken(1).count
            }
            #expect(sent == expected && done == added)
        }
    }
}
