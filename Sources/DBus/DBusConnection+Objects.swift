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
        let answering = Answering(message, from: sender, over: self)
        let handler = BusSyntax.pathAndAncestors(path).lazy.compactMap { self.objects[String($0)] }.first
        guard let handler else {
            return answering.answer(.failure(DBusError(name: DBusError.unknownObject, message: "There is no object \(path)")))
        }
        do throws(DBusError) {
            let call = IncomingCall(
                sender: sender,
                path: path,
                interface: message.interface ?? "",
                member: member,
                arguments: try message.arguments(),
                answer: answering.answer
            )
            handler(call)
        } catch {
            answering.answer(.failure(error))
        }
    }

    private func takeAnswers() -> [Answer] {
        answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }

    /// Sends the answers that were given since.
    func sendAnswers() {
        for answer in takeAnswers() {
            guard !hasEnded, let message = answer.message else { continue }
            transmit(.message(message))
        }
    }
}

/// Answers one call, from any thread.
///
/// An answer that is given on the loop must not be overtaken by a signal that is sent there after it, but nobody can tell here
/// whether this *is* the loop (marking the queue with `setSpecific` would make libdispatch use a global queue, and then wake the
/// process each second). So answers are put down, and whatever is sent next sends them first; at the latest the next turn of the loop does.
private final class Answering: Sendable {
    private let isAnswered = Atomic(false)
    private let isWanted: Bool
    private let sender: String
    private let serial: UInt32
    private weak let connection: DBusConnection?

    init(_ message: Message, from sender: String, over connection: DBusConnection) {
        isWanted = message.wantsReply
        serial = message.serial
        self.sender = sender
        self.connection = connection
    }

    @Sendable func answer(_ result: Result<[DBusValue], DBusError>) {
        guard !isAnswered.exchange(true, ordering: .relaxed), isWanted, let connection else { return }
        let isFirst = connection.answers.withLock { answers in
            answers.append(Answer(result: result, sender: sender, serial: serial))
            return answers.count == 1
        }
        guard isFirst else { return }
        connection.loop.execute { [connection] in connection.assumeIsolated { $0.sendAnswers() } }
    }
}

/// An answer that was given and not sent yet.
struct Answer: Sendable {
    let result: Result<[DBusValue], DBusError>
    let sender: String
    let serial: UInt32

    /// If what the program said cannot be sent, this is the error that says so.
    fileprivate var message: Message? {
        do throws(DBusError) {
            return try Message.answer(result, to: sender, serial: serial)
        } catch {
            return try? Message.answer(.failure(error), to: sender, serial: serial)
        }
    }
}
