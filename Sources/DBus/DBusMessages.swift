/// A method to be called.
public struct MethodCall: Sendable {
    /// Bus name; a unique or a well-known one.
    public var destination: String
    /// Object.
    public var path: String
    /// Interface.
    public var interface: String
    /// Method.
    public var member: String
    /// Arguments.
    public var arguments: [DBusValue]
    /// How long to wait for the reply.
    public var timeout: Duration
    /// Whether the bus may start the service.
    public var mayStart: Bool

    /// Makes a call.
    public init(
        to destination: String,
        at path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25),
        mayStart: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.timeout = timeout
        self.mayStart = mayStart
    }
}

/// Something that was announced on the bus.
public struct Signal: Sendable {
    /// Unique name of the sender; empty for a signal of our own making that has not been sent yet.
    public var sender: String
    /// Object.
    public var path: String
    /// Interface.
    public var interface: String
    /// Signal.
    public var member: String
    /// Arguments.
    public var arguments: [DBusValue]

    /// Makes a signal to be sent.
    public init(at path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], sender: String = "") {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.sender = sender
    }
}

/// Which signals to hear. Nil matches anything.
public struct MatchRule: Hashable, Sendable {
    /// Bus name of the sender; a well-known name matches whoever owns it at that moment.
    public var sender: String?
    /// Object.
    public var path: String?
    /// Object and everything below it.
    public var pathNamespace: String?
    /// Interface.
    public var interface: String?
    /// Signal.
    public var member: String?
    /// First argument.
    public var firstArgument: String?

    /// Makes a rule.
    public init(
        sender: String? = nil,
        path: String? = nil,
        pathNamespace: String? = nil,
        interface: String? = nil,
        member: String? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.firstArgument = firstArgument
    }
}

/// A method that somebody calls on an object of ours. It is answered once, now or later.
public struct IncomingCall: Sendable {
    /// Unique name of the caller.
    public let sender: String
    /// Object.
    public let path: String
    /// Interface; empty if the caller named none.
    public let interface: String
    /// Method.
    public let member: String
    /// Arguments.
    public let arguments: [DBusValue]

    private let answer: @Sendable (Result<[DBusValue], DBusError>) -> Void

    /// - Parameter answer: Sends the reply. Answers after the first are to be ignored.
    public init(
        sender: String,
        path: String,
        interface: String,
        member: String,
        arguments: [DBusValue],
        answer: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void
    ) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
        self.answer = answer
    }

    /// Replies with these values.
    public func reply(_ values: [DBusValue] = []) { answer(.success(values)) }

    /// Replies with an error.
    public func fail(_ error: DBusError) { answer(.failure(error)) }
}
