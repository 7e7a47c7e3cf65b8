/// What is to be sent on one link: the bytes of several writers, in the order in which they came, cut into pieces (contract C30, bug case D12).
///
/// Pure: ``next()`` gives the pieces that may go now, ``taken(_:)`` says that the transport has taken the oldest of those that went. As long as
/// ``window`` pieces are on their way nothing goes. A writer's pieces follow one another; no piece has bytes of two writers.
struct Outbox {
    /// A writer, by the number that ``add(_:)`` gave it.
    typealias Writer = Int

    /// A writer that is done with, or has to give up.
    struct Outcome: Equatable {
        let writer: Writer
        let handedOver: Int
        let byteCount: Int
    }

    private struct Entry {
        let writer: Writer
        let bytes: [UInt8]
        /// Bytes that went.
        var sent = 0
        /// Bytes that the transport has taken.
        var handedOver = 0

        var outcome: Outcome { Outcome(writer: writer, handedOver: handedOver, byteCount: bytes.count) }
    }

    /// The most bytes of a piece.
    let pieceLength: Int
    /// The most pieces on their way.
    let window: Int
    /// Those that have not been handed over completely.
    private var entries: [Entry] = []
    /// Pieces on their way, oldest first.
    private var underWay: [(writer: Writer, count: Int)] = []
    private var lastWriter = 0

    /// - Parameters:
    ///   - pieceLength: At least one.
    ///   - window: At least one.
    init(pieceLength: Int, window: Int) {
        self.pieceLength = max(pieceLength, 1)
        self.window = max(window, 1)
    }

    /// Takes what a writer has to send. It must not be empty.
    mutating func add(_ bytes: [UInt8]) -> Writer {
        lastWriter += 1
        entries.append(Entry(writer: lastWriter, bytes: bytes))
        return lastWriter
    }

    /// The next piece, if one may go now. It counts as on its way from here on.
    mutating func next() -> [UInt8]? {
        guard underWay.count < window, let index = entries.firstIndex(where: { $0.sent < $0.bytes.count }) else { return nil }
        let piece = entries[index].bytes.dropFirst(entries[index].sent).prefix(pieceLength)
        entries[index].sent += piece.count
        underWay.append((entries[index].writer, piece.count))
        return Array(piece)
    }

    /// The transport has taken so many pieces. Returns the writers that are done.
    mutating func taken(_ count: Int) -> [Outcome] {
        var done: [Outcome] = []
        for piece in underWay.prefix(count) {
            guard let index = index(of: piece.writer) else { continue }
            entries[index].handedOver += piece.count
            if entries[index].handedOver == entries[index].bytes.count { done.append(entries.remove(at: index).outcome) }
        }
        underWay.removeFirst(min(count, underWay.count))
        return done
    }

    /// The transport has refused the oldest piece on its way. Returns its writer, which has nothing more to send.
    mutating func refused() -> Outcome? {
        guard let piece = underWay.first else { return nil }
        underWay.removeFirst()
        return cancel(piece.writer)
    }

    /// A writer gives up. Returns how far it has come; nil if it is done already.
    mutating func cancel(_ writer: Writer) -> Outcome? { index(of: writer).map { entries.remove(at: $0).outcome } }

    /// The link has ended. Returns all writers, in order.
    mutating func end() -> [Outcome] {
        defer {
            entries = []
            underWay = []
        }
        return entries.map(\.outcome)
    }

    private func index(of writer: Writer) -> Int? { entries.firstIndex { $0.writer == writer } }
}
