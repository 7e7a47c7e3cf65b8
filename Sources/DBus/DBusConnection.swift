public import EventLoops
internal import Synchronization

/// A connection to a message bus.
///
/// An actor on a loop: libdbus's socket and timers are dispatch sources of the loop's queue, all handlers are called there, and
/// an actor of the same loop uses the connection without waiting (`connection.assumeIsolated { … }`). Nothing blocks, nothing polls.
///
/// What is received is delivered in the order of the bus: a signal that came before a reply is delivered before it.
///
/// Calls, signals and subscriptions may be made before the connection is there, even before ``open(_:)``: they wait for it, in
/// their order. A connection is used once; for another try make another one.
public actor DBusConnection {
    /// The loop on which everything runs.
    public nonisolated let loop: DispatchLoop
    /// The loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What becomes of the connection.
    public enum Event: Sendable {
        /// The bus has given us this name.
        case connected(uniqueName: String)
        /// The bus cannot be reached, or it is gone. Nothing comes after it.
        case lost(DBusError)
    }

    /// Names a call under way.
    public struct CallID: Hashable, Sendable { let number: UInt64 }

    /// Names a subscription.
    public struct SubscriptionID: Hashable, Sendable { let number: UInt64 }

    /// The name that the bus has given us; nil before and after.
    public private(set) var uniqueName: String?

    private let address: BusAddress
    private let connectLimit: Duration
    private var state = State.idle
    private var handler: (@Sendable (Event) -> Void)?
    private var limit: ScheduledWork?
    private var channel: LoopChannel?
    private(set) var wire: PrivateConnection?

    // The extensions' state: see the files named after them.
    var callCount: UInt64 = 0
    var calls: [CallID: OngoingCall] = [:]
    var settlings: Set<CallID> = []
    var waiting: [Outgoing] = []
    var subscriptions = SubscriptionTable()
    var owners: [String: NameOwner] = [:]
    var ownerWatches: [SubscriptionID: String] = [:]
    var objects: [String: @Sendable (IncomingCall) -> Void] = [:]
    nonisolated let answers = Mutex<[Answer]>([])

    private enum State { case idle, connecting, connected, ended }

    /// What waits for the connection.
    enum Outgoing {
        case message(Message)
        case call(CallID)
    }

    /// A connection that isn't open yet.
    /// - Parameters:
    ///   - address: Where the bus is.
    ///   - loop: Where everything is to run.
    public init(_ address: BusAddress = .system, loop: DispatchLoop) {
        self.init(address, loop: loop, connectLimit: .seconds(10))
    }

    /// - Parameter connectLimit: How long connecting may take in all.
    init(_ address: BusAddress, loop: DispatchLoop, connectLimit: Duration) {
        self.address = address
        self.loop = loop
        self.connectLimit = connectLimit
    }

    deinit {
        // The last reference may go on any thread, but libdbus is used on the loop only.
        loop.execute { [loop, wire, channel, limit, calls] in
            limit?.cancel()
            wire?.close()
            if let channel { loop.remove(channel) }
            calls.failAll()
        }
    }

    // MARK: Opening and closing

    /// Connects, authenticates and says Hello.
    ///
    /// This doesn't block: even the socket is connected elsewhere, since that can take time if the bus doesn't accept.
    /// - Parameter handler: Told on the loop. `.connected` comes once; `.lost` at most once, also if connecting fails or takes more
    ///   than 10 s; nothing comes after it.
    public func open(_ handler: @escaping @Sendable (Event) -> Void) {
        guard state == .idle else { return }
        state = .connecting
        self.handler = handler
        limit = loop.schedule(after: connectLimit) { [weak self, connectLimit] in
            let error = DBusError(name: DBusError.noReply, message: "The bus did not answer within \(connectLimit)")
            self?.assumeIsolated { $0.lose(error) }
        }
        sayHello()
        // On a queue of its own: once a global queue has been used, libdispatch wakes the process each second to look after its threads.
        loop.executeElsewhere(label: "flickit.dbus.open") { [address, loop, weak self] in
            let opened: Result<PrivateConnection, DBusError>
            do throws(DBusError) { opened = .success(try PrivateConnection(to: address)) } catch { opened = .failure(error) }
            loop.execute { [weak self] in self?.assumeIsolated { $0.start(opened) } }
        }
    }

    /// Lets everything that comes wait, calls for us included, or goes on with it: a process that hangs, for simulations.
    package func setPaused(_ isPaused: Bool) {
        wire?.isPaused = isPaused
        if isPaused { settlings.forEach(cancel) }
    }

    /// Leaves the bus. Calls under way fail with ``DBusError/disconnected``; there is no `.lost`.
    public func close() {
        guard state != .ended else { return }
        let calls = end()
        loop.execute { calls.failAll() }
    }

    /// The first message on a new connection; whatever was waiting comes after it.
    private func sayHello() {
        let later = waiting
        waiting = []
        callBus("Hello") { [weak self] result in
            self?.assumeIsolated { $0.greeted(result) }
        }
        waiting += later
    }

    private func start(_ opened: Result<PrivateConnection, DBusError>) {
        guard state == .connecting else { return }
        do throws(DBusError) {
            let wire = try opened.get()
            self.wire = wire
            try wire.start(on: loop) { [weak self] message in
                self?.assumeIsolated { $0.receive(message) }
            }
            openChannel()
            let waiting = waiting
            self.waiting = []
            waiting.forEach(transmit)
        } catch {
            lose(error)
        }
    }

    private func openChannel() {
        let channel = LoopChannel { [weak self, loop] done in
            loop.execute { [weak self] in
                guard let self else { return done() }
                self.assumeIsolated { $0.settle(done) }
            }
        }
        self.channel = channel
        loop.add(channel)
    }

    private func greeted(_ result: Result<[DBusValue], DBusError>) {
        guard state == .connecting else { return }
        do throws(DBusError) {
            guard let name = try result.get().first?.string, name.hasPrefix(":"), BusSyntax.isBusName(name) else {
                throw DBusError(name: DBusError.invalidArguments, message: "The bus gave us no name", context: "Hello")
            }
            wire?.setUniqueName(name)
            uniqueName = name
            state = .connected
            limit?.cancel()
            handler?(.connected(uniqueName: name))
        } catch {
            lose(error)
        }
    }

    // MARK: Sending and receiving

    var hasEnded: Bool { state == .ended }

    /// Sends, or waits for the connection.
    func transmit(_ outgoing: Outgoing) {
        sendAnswers()  // they were given before
        guard let wire else {
            waiting.append(outgoing)
            return
        }
        loop.noteTraffic()
        switch outgoing {
        case .message(let message): try? wire.send(message)  // without a bus nobody misses it; the loss is told by itself
        case .call(let id): start(id, on: wire)
        }
    }

    private func receive(_ message: Message) {
        if message.isDisconnected, wire?.isConnected == false {
            lose(state == .connecting && wire?.isAuthenticated == false ? .refused : .isDisconnected)
        } else if message.isSignal {
            deliver(message)
        } else {
            answer(message)
        }
        sendAnswers()  // those that handlers gave right away
    }

    // MARK: The end

    /// The bus is gone, or of no use. Called on a turn of the loop, not inside a call of the program.
    func lose(_ error: DBusError) {
        guard state != .ended else { return }
        let handler = handler
        end().failAll()
        handler?(.lost(error))
    }

    /// - Returns: The calls that were not answered.
    private func end() -> [CallID: OngoingCall] {
        defer { calls = [:] }
        state = .ended
        limit?.cancel()
        wire?.close()
        wire = nil
        if let channel { loop.remove(channel) }
        channel = nil
        handler = nil
        uniqueName = nil
        waiting = []
        subscriptions.removeAll()
        owners = [:]
        ownerWatches = [:]
        objects = [:]
        return calls
    }
}

extension DBusError {
    fileprivate static var refused: DBusError {
        DBusError(name: authFailed, message: "The bus closed the connection before it had accepted who we are")
    }
}
