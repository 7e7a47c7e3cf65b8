public import EventLoops
public import GATT

/// One link over which bytes go both ways. When the link ends the connection is over for good: the next link is another connection, so halves of two
/// links never come together.
///
/// ```swift
/// for await line in connection.lines() {
///     try await connection.write(line + "\n")
/// }
/// ```
///
/// Whoever has a connection has to read it, by ``bytes`` or ``lines(longest:)``, once: nothing can hold back the other end, so a reader that is 4096
/// packets behind loses the connection, rather than bytes without notice.
public actor UARTConnection {
    /// The loop of the transport.
    public nonisolated let loop: any EventLoop
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Who is at the other end.
    public nonisolated let address: BluetoothAddress
    /// What it is called; nil if it has no name, or is a client.
    public nonisolated let name: String?
    /// ATT MTU of the link; 23 where the transport does not say.
    public nonisolated let mtu: Int
    /// What comes, in the packets in which it comes; none is empty. Ends with the connection. There can be one reader only.
    public nonisolated let bytes: AsyncStream<[UInt8]>
    /// Whether the link is there.
    public private(set) var isOpen = true
    /// Why the connection has ended: known when ``bytes`` has ended, nil if it was asked for.
    public private(set) var problem: LinkError?

    /// Packets that wait for the reader.
    static let mostUnread = 4096

    private let intake: AsyncStream<[UInt8]>.Continuation
    /// Gives a piece to the transport, which tells by ``taken(_:)`` or ``refused(_:)``.
    private let send: @Sendable ([UInt8]) -> Void
    /// Has the link ended, which is told by ``end(_:)``.
    private let hangUp: @Sendable () -> Void
    private var outbox: Outbox
    private var writers: [Outbox.Writer: @Sendable (Result<Void, UARTError>) -> Void] = [:]

    /// - Parameters:
    ///   - window: How many pieces may be with the transport that it has not taken yet.
    ///   - send: Called on the loop.
    ///   - hangUp: Called on the loop.
    init(
        loop: any EventLoop,
        address: BluetoothAddress,
        name: String?,
        mtu: Int,
        window: Int,
        send: @escaping @Sendable ([UInt8]) -> Void,
        hangUp: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.address = address
        self.name = name
        self.mtu = mtu
        self.send = send
        self.hangUp = hangUp
        outbox = Outbox(pieceLength: UARTGATT.longestPiece(mtu: mtu), window: window)
        (bytes, intake) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingOldest(Self.mostUnread))
    }

    // MARK: Reading

    /// What comes, as lines of text. In place of ``bytes``.
    ///
    /// - Parameter longest: In bytes. Longer lines are cut, not within a character.
    public nonisolated func lines(longest: Int = 4096) -> UARTLines { UARTLines(bytes: bytes, longestLine: longest) }

    // MARK: Writing

    /// Sends bytes, in pieces of at most the MTU less 3 bytes, none of which stands between those of another call. Returns when the transport has
    /// taken all of them: who writes more than the radio can waits here. No bytes are no packet.
    ///
    /// - Throws: ``UARTError``, which tells how many bytes were handed over, when the link ends, or the task is cancelled.
    public func write(_ bytes: [UInt8]) async throws(UARTError) {
        guard !bytes.isEmpty else { return }
        let mark = WriterMark()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                mark.writer = post(bytes) { continuation.resume(returning: $0) }
                if Task.isCancelled { cancel(mark) }
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { $0.cancel(mark) } }
        }
        try result.get()
    }

    /// Sends text as UTF-8, in the manner of ``write(_:)-([UInt8])``.
    public func write(_ text: String) async throws(UARTError) { try await write(Array(text.utf8)) }

    /// Sends bytes without waiting.
    ///
    /// - Parameters:
    ///   - bytes: At least one.
    ///   - done: Called once, on the loop, perhaps within this call.
    /// - Returns: The writer; nil if the connection has ended.
    @discardableResult
    package func post(_ bytes: [UInt8], done: @escaping @Sendable (Result<Void, UARTError>) -> Void) -> Int? {
        guard isOpen else {
            done(.failure(UARTError(.closed, handedOver: 0, byteCount: bytes.count, detail: problem?.description ?? "")))
            return nil
        }
        let writer = outbox.add(bytes)
        writers[writer] = done
        proceed()
        return writer
    }

    private func proceed() {
        while isOpen, let piece = outbox.next() { send(piece) }
    }

    private func cancel(_ mark: WriterMark) {
        guard let writer = mark.writer, let outcome = outbox.cancel(writer) else { return }
        tell(outcome, .cancelled, "")
    }

    private func tell(_ outcome: Outbox.Outcome, _ code: UARTError.Code, _ detail: String) {
        let error = UARTError(code, handedOver: outcome.handedOver, byteCount: outcome.byteCount, detail: detail)
        writers.removeValue(forKey: outcome.writer)?(.failure(error))
    }

    // MARK: The end

    /// Ends the link. The connection is over when ``bytes`` has ended.
    public func close() {
        if isOpen { hangUp() }
    }

    // MARK: From the transport

    func received(_ value: [UInt8]) {
        guard isOpen, !value.isEmpty, case .dropped = intake.yield(value) else { return }
        end(LinkError(.failed, detail: "more than \(Self.mostUnread) packets were not read"))
        hangUp()
    }

    /// The transport has taken so many pieces more.
    func taken(_ count: Int) {
        for outcome in outbox.taken(count) { writers.removeValue(forKey: outcome.writer)?(.success(())) }
        proceed()
    }

    /// The transport has not taken the oldest piece.
    func refused(_ error: LinkError) {
        if let outcome = outbox.refused() { tell(outcome, .refused, error.description) }
        proceed()
    }

    /// The link has ended; only the first reason counts.
    func end(_ error: LinkError?) {
        guard isOpen else { return }
        isOpen = false
        problem = error
        for outcome in outbox.end() { tell(outcome, .linkEnded, error?.description ?? "") }
        intake.finish()
    }
}

/// The writer that a task waits for. `@unchecked Sendable`: used on the loop only.
private final class WriterMark: @unchecked Sendable {
    var writer: Outbox.Writer?
}
