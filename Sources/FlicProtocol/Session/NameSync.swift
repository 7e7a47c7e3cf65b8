/// Keeps the name of the button and this app's idea of it together (protocol 9.1). One name request at a time.
struct NameSync: Sendable {
    /// What follows from a name packet.
    enum Outcome: Equatable {
        /// Another rename was made meanwhile: send it.
        case send(SetNameRequest)
        case confirmed(Rename)
        case changed(ButtonName)
        case nothing
    }

    private enum Exchange: Sendable {
        case get
        case set(Rename)
    }

    private var name: ButtonName
    private(set) var pending: Rename?
    private var exchange: Exchange?
    private var hasStarted = false

    init(name: ButtonName, pending: Rename?) {
        self.name = pending?.name ?? name
        self.pending = pending
    }

    /// The request of the start-up: offline renames are not forced, so that the newest of all apps wins.
    mutating func start() -> SetNameRequest? {
        hasStarted = true
        exchange = pending.map { .set($0) } ?? .get
        return pending.map { Self.request($0, isForced: false) }
    }

    /// A rename by this app.
    ///
    /// - Returns: What to send now; nil before the start-up and while another exchange is under way.
    mutating func rename(_ rename: Rename) -> SetNameRequest? {
        pending = rename
        name = rename.name
        guard hasStarted, exchange == nil else { return nil }
        exchange = .set(rename)
        return Self.request(rename, isForced: true)
    }

    /// The answer to a get or set: the name that the button has now.
    mutating func answer(_ current: ButtonName) -> Outcome {
        let finished = exchange
        exchange = nil
        if case .set(let sent) = finished, pending == sent {
            pending = nil
            guard current == sent.name else { return take(current) }
            return .confirmed(sent)
        }
        if let pending {
            exchange = .set(pending)
            return .send(Self.request(pending, isForced: true))
        }
        return take(current)
    }

    /// The button was renamed by another app.
    mutating func notification(_ current: ButtonName) -> Outcome {
        pending == nil ? take(current) : .nothing
    }

    private mutating func take(_ current: ButtonName) -> Outcome {
        guard current != name else { return .nothing }
        name = current
        return .changed(current)
    }

    private static func request(_ rename: Rename, isForced: Bool) -> SetNameRequest {
        var request = SetNameRequest()
        request.timestamp = rename.timestamp
        request.forceUpdate = isForced
        request.name = rename.name.bytes
        return request
    }
}
