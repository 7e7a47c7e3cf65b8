internal import Dispatch
internal import EventLoops
internal import Synchronization

extension DBusConnection {
    /// Answers calls to objects of ours.
    ///
    /// A call to an object at or below `path` goes to the handler with the longest such path. Without one it is answered
    /// ``DBusError/unknownObject``.
    /// - Parameters:
    ///   - path: Nothing happens if it isn't valid.
    ///   - handler: Called on the loop, in the order of the bus; nil removes it.
    public func handleCalls(at path: String, _ handler: (@Sendable (IncomingCall) -> Void)?) {
        guard !hasEnded, BusSyntax.isPath(path) else { return }
        objects[path] = handler
    }

    /// Gives a call to whoever answers for its object.
    func answer(_ message: Message) {
        guard let path = message.path, let member = message.member, let sender = message.sender else { return }
        let answer = Answer(to: message, from: sender, over: self)
        let handler = BusSyntax.pathAndAncestors(path).lazy.compactMap { self.objects[String($0)] }.first
        guard let handler else {
            return answer.give(.failure(DBusError(name: DBusError.unknownObject, message: "There is no object \(path)")))
        }
        do throws(DBusError) {
            let arguments = try message.arguments()
            let interface = message.interface ?? ""
            handler(IncomingCall(sender: sender, path: path, interface: interface, member: member, arguments: arguments, answer: answer.give))
        } catch {
            answer.give(.failure(error))
        }
    }

    /// Marks the queue of a loop, so that an answer can tell whether it is given there.
    static let loopKey = DispatchSpecificKey<ObjectIdentifier>()
}

/// The answer to one call.
private final class Answer: Sendable {
    private let isGiven = Atomic(false)
    private let isWanted: Bool
    private let sender: String
    private let serial: UInt32
    private let connection: DBusConnection

    init(to message: Message, from sender: String, over connection: DBusConnection) {
        isWanted = message.wantsReply
        serial = message.serial
        self.sender = sender
        self.connection = connection
    }

    /// From any thread. On the loop it is sent at once, in order with signals that are sent there.
    @Sendable func give(_ result: Result<[DBusValue], DBusError>) {
        guard !isGiven.exchange(true, ordering: .relaxed), isWanted else { return }
        if DispatchQueue.getSpecific(key: DBusConnection.loopKey) == ObjectIdentifier(connection.loop) {
            connection.assumeIsolated { send(result, over: $0) }
        } else {
            connection.loop.execute { self.connection.assumeIsolated { self.send(result, over: $0) } }
        }
    }

    private func send(_ result: Result<[DBusValue], DBusError>, over connection: isolated DBusConnection) {
        guard !connection.hasEnded else { return }
        let message: Message?
        do throws(DBusError) {
            message = try Message.answer(result, to: sender, serial: serial)
        } catch {
            message = try? Message.answer(.failure(error), to: sender, serial: serial)  // what the program said cannot be sent
        }
        if let message { connection.transmit(.message(message)) }
    }
}
