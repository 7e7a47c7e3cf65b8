/// Requests of a session: at most two wait for an answer, the others wait for their turn (protocol 4.1).
struct RequestQueue: Sendable {
    static let mostOutstanding = 2

    /// A request and the opcodes of its answers.
    struct Request: Sendable, Equatable {
        var body: [UInt8]
        var answers: [UInt8]

        var opcode: UInt8 { body[0] }

        /// - Parameter answers: At least one kind of packet that answers the request.
        init(_ packet: some Packet, answers: (any Packet.Type)...) {
            body = packet.sessionBody
            self.answers = answers.map { $0.sessionOpcode }
        }
    }

    private var outstanding: [(request: Request, deadline: Duration)] = []
    private var waiting: [Request] = []

    /// When the oldest unanswered request has waited long enough.
    var deadline: Duration? { outstanding.first?.deadline }

    mutating func append(_ request: Request) { waiting.append(request) }

    /// The next request that may be sent; it counts as outstanding from here on.
    mutating func next(deadline: Duration) -> Request? {
        guard outstanding.count < Self.mostOutstanding, !waiting.isEmpty else { return nil }
        let request = waiting.removeFirst()
        outstanding.append((request, deadline))
        return request
    }

    /// Takes back a request that still waits for its turn.
    ///
    /// - Returns: Whether it did.
    mutating func withdraw(_ request: Request) -> Bool {
        guard let index = waiting.lastIndex(of: request) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Whether an answer with this opcode was waited for.
    mutating func answered(by opcode: UInt8) -> Bool {
        guard let index = outstanding.firstIndex(where: { $0.request.answers.contains(opcode) }) else { return false }
        outstanding.remove(at: index)
        return true
    }

    /// The request whose answer is overdue.
    func overdue(now: Duration) -> Request? { outstanding.first { $0.deadline <= now }?.request }
}
