/// What comes over a ``UARTConnection``, as lines of text. Made by ``UARTConnection/lines(longest:)``.
///
/// A line ends with `\n` or `\r\n`, which it does not have any more. What is not valid UTF-8 is U+FFFD; a character that was split over two packets is
/// whole. What came last without an end of line is a line, too, when the connection has ended.
public struct UARTLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String
    /// It ends with the connection.
    public typealias Failure = Never

    let bytes: AsyncStream<[UInt8]>
    let longestLine: Int

    /// Begins to read. There can be one reader only.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(bytes: bytes.makeAsyncIterator(), splitter: LineSplitter(longestLine: longestLine))
    }

    /// Reads lines.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var bytes: AsyncStream<[UInt8]>.AsyncIterator
        var splitter: LineSplitter
        /// Complete lines, the next one last.
        private var ready: [String] = []
        private var isOver = false

        init(bytes: AsyncStream<[UInt8]>.AsyncIterator, splitter: LineSplitter) {
            self.bytes = bytes
            self.splitter = splitter
        }

        /// The next line; nil at the end of the connection, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> String? {
            while ready.isEmpty && !isOver {
                if let piece = await bytes.next(isolation: actor) {
                    ready = splitter.add(piece).reversed()
                } else {
                    isOver = true
                    ready = splitter.finish().map { [$0] } ?? []
                }
            }
            return ready.popLast()
        }
    }
}
