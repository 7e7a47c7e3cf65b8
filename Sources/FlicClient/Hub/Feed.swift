import Synchronization

/// Passes elements on to any number of async sequences.
///
/// Each sequence keeps up to ``capacity`` elements that have not been taken yet; a reader that falls further behind loses the oldest.
final class Feed<Element: Sendable>: Sendable {
    /// Elements that a sequence keeps for its reader.
    static var capacity: Int { 1024 }

    private struct Readers {
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let readers = Mutex(Readers())

    /// A new sequence, which begins with `first` and goes on with what is sent from now on.
    func stream(startingWith first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        if let first { continuation.yield(first) }
        let number: Int? = readers.withLock { readers in
            guard !readers.isFinished else { return nil }
            readers.next += 1
            readers.continuations[readers.next] = continuation
            return readers.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.readers.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    /// Passes an element on.
    func send(_ element: Element) {
        readers.withLock { readers in
            for continuation in readers.continuations.values { continuation.yield(element) }
        }
    }

    /// Ends all sequences, and those made later at once.
    func finish() {
        let continuations = readers.withLock { readers in
            readers.isFinished = true
            defer { readers.continuations = [:] }
            return readers.continuations.values.map { $0 }
        }
        for continuation in continuations { continuation.finish() }
    }
}
