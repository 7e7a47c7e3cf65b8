internal import EventLoops

/// A call that waits for its reply.
struct OngoingCall: Sendable {
    let message: Message
    /// Milliseconds.
    let timeout: Int32
    /// For errors.
    let context: String
    let reply: @Sendable (Result<[DBusValue], DBusError>) -> Void
}

extension [DBusConnection.CallID: OngoingCall] {
    /// Tells all that there is no connection any more, in the order of the calls.
    func failAll() {
        for call in sorted(by: { $0.key.number < $1.key.number }).map(\.value) {
            call.reply(.failure(.isDisconnected.with(context: call.context)))
        }
    }
}

extension DBusConnection {
    /// Calls a method.
    /// - Parameter reply: Called exactly once, on the loop, never inside this call. Errors have the call as their context.
    /// - Returns: For ``cancel(_:)``.
    @discardableResult
    public func call(_ call: MethodCall, reply: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void) -> CallID {
        callCount += 1
        let id = CallID(number: callCount)
        do throws(DBusError) {
            guard !hasEnded else { throw .isDisconnected }
            calls[id] = OngoingCall(message: try Message.call(call), timeout: call.milliseconds, context: call.context, reply: reply)
            transmit(.call(id))
        } catch {
            let error = error.with(context: call.context)
            loop.execute { reply(.failure(error)) }
        }
        return id
    }

    /// Gives a call up, which may be carried out all the same. Its reply is told ``DBusError/cancelled``; nothing happens if it has come already.
    public func cancel(_ id: CallID) {
        fail(id, with: DBusError(name: DBusError.cancelled))
    }

    /// Calls a method and does not want to know what becomes of that, as bluetoothd often does.
    package func send(_ call: MethodCall) {
        guard !hasEnded, let message = try? Message.call(call, wantsReply: false) else { return }
        transmit(.message(message))
    }

    /// Calls a method and waits for the reply. Cancelling the task gives the call up.
    public func call(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
        let mark = CallMark()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = self.call(call) { continuation.resume(returning: $0) }
                mark.id = id
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            loop.execute { [weak self] in self?.assumeIsolated { if let id = mark.id { $0.cancel(id) } } }
        }
        return try result.get()
    }

    /// A call to the bus itself.
    func callBus(_ member: String, _ arguments: [DBusValue] = [], reply: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void) {
        call(MethodCall(to: Bus.name, at: Bus.path, Bus.name, member, arguments), reply: reply)
    }

    // MARK: Inside

    /// Asks the bus something. It answers in order: what was sent before has been passed on then, and what had been passed to us has been received.
    func settle(_ done: @escaping @Sendable () -> Void) {
        let call = MethodCall(to: Bus.name, at: Bus.path, Bus.name, "GetId", timeout: .seconds(Int64.max))
        guard let wire, !wire.isPaused, let message = try? Message.call(call) else { return done() }
        callCount += 1
        let id = CallID(number: callCount)
        calls[id] = OngoingCall(message: message, timeout: call.milliseconds, context: call.context) { [weak self] _ in
            _ = self?.assumeIsolated { $0.settlings.remove(id) }
            done()
        }
        settlings.insert(id)
        start(id, on: wire)
    }

    /// Sends a call that was made before, unless it has been given up.
    func start(_ id: CallID, on wire: PrivateConnection) {
        guard let call = calls[id] else { return }
        do throws(DBusError) {
            try wire.call(call.message, timeout: call.timeout, as: id.number) { [weak self, weak wire] message in
                // libdbus, too, says NoReply when the connection ends; only that error has no sender.
                let isLost = message.isError && message.sender == nil && wire?.isConnected == false
                self?.assumeIsolated { $0.finish(id, isLost ? .failure(.isDisconnected) : message.result) }
            }
        } catch {
            fail(id, with: error)
        }
    }

    private func finish(_ id: CallID, _ result: Result<[DBusValue], DBusError>) {
        guard let call = calls.removeValue(forKey: id) else { return }
        call.reply(result.mapError { $0.with(context: call.context) })
    }

    /// Later, as the program may be inside the call that this is about.
    private func fail(_ id: CallID, with error: DBusError) {
        guard let call = calls.removeValue(forKey: id) else { return }
        wire?.giveUp(id.number)
        loop.execute { [reply = call.reply, context = call.context] in reply(.failure(error.with(context: context))) }
    }
}

/// The call that a task waits for. `@unchecked Sendable`: used on the loop only.
private final class CallMark: @unchecked Sendable {
    var id: DBusConnection.CallID?
}

extension MethodCall {
    fileprivate var context: String { "\(destination) \(path) \(interface).\(member)" }

    /// The time allowed, in the form of libdbus: rounded up, and what it cannot express means for ever.
    fileprivate var milliseconds: Int32 {
        let (seconds, attoseconds) = timeout.components
        guard seconds < 2_000_000 else { return .max }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(seconds) * 1000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

extension DBusError {
    func with(context: String) -> DBusError {
        DBusError(name: name, message: message, context: context)
    }
}

extension Message {
    /// What a reply says.
    fileprivate var result: Result<[DBusValue], DBusError> {
        guard !isError else { return .failure(error) }
        do throws(DBusError) { return .success(try arguments()) } catch { return .failure(error) }
    }
}

/// The bus as an object on itself.
enum Bus {
    static let name = "org.freedesktop.DBus"
    static let path = "/org/freedesktop/DBus"
}
