import DBus
import EventLoops

/// Calls to bluetoothd, and the watch over whether it answers them (see ``ServiceWatch``).
extension BlueZSession {
    // MARK: A service that hangs

    private func follow(_ step: ServiceWatch.Step) {
        watchTimer?.cancel()
        watchTimer = nil
        switch step {
        case .rest: break
        case .wait(let time):
            watchTimer = loop.schedule(after: time) { [weak self] in
                self?.assumeIsolated { $0.follow($0.watch.look(now: $0.loop.now)) }
            }
        case .ask: ask()
        }
    }

    /// Asks bluetoothd whether it is there; libdbus answers for it as soon as its main loop runs.
    private func ask() {
        let (generation, owner) = (generation, owner)
        let call = MethodCall(
            to: owner ?? BlueZName.service,
            at: "/",
            BlueZName.peer,
            "Ping",
            timeout: ServiceWatch.answerTime,
            mayStart: false
        )
        connection.assumeIsolated { connection in
            _ = connection.call(call) { [weak self] result in
                self?.assumeIsolated { session in
                    guard session.generation == generation, session.owner == owner else { return }
                    // Any answer will do, a refusal, too.
                    if result.failure?.name == DBusError.noReply { session.silent() } else { session.proved() }
                }
            }
        }
    }

    func silent() {
        let (next, isNews) = watch.silent()
        if isNews {
            log("bluetoothd does not answer")
            // What it will have to say is read anew then.
            isTreeRead = false
            startGrace("The Bluetooth service, bluetoothd, does not answer; 'systemctl restart bluetooth' may help.")
        }
        follow(next)
    }

    func proved() {
        let (next, wasHung) = watch.proved(now: loop.now)
        follow(next)
        guard wasHung else { return }
        log("bluetoothd answers again")
        readTree(mayStart: false)
    }

    // MARK: A service that has died

    /// Between attempts to have it started: grows from the first to the second.
    static let revivalPause: ClosedRange<Duration> = .seconds(3)...(.seconds(300))

    /// Has the bus start bluetoothd again, where nobody else does. Whoever stops it in good order means it: then it takes its adapters off the bus
    /// before it leaves (seen with 5.66), and this is not called.
    func reviveLater(attempt: Int) {
        revival = loop.schedule(after: Self.revivalPause.backOff(after: attempt)) { [weak self] in
            self?.assumeIsolated { session in
                let (generation, bus) = (session.generation, BlueZName.bus)
                let start = MethodCall(to: bus, at: BlueZName.busPath, bus, "StartServiceByName", [.string(BlueZName.service), .uint32(0)])
                session.connection.assumeIsolated { connection in
                    _ = connection.call(start) { [weak session] result in
                        session?.assumeIsolated { session in
                            guard session.generation == generation, session.owner == nil else { return }
                            if let error = result.failure { session.log("\(error)") }
                            session.reviveLater(attempt: attempt + 1)
                        }
                    }
                }
            }
        }
    }

    // MARK: Calls

    /// Calls a method of an object of org.bluez. Not started by the bus: an object of a service that is gone is gone.
    ///
    /// - Parameter isLong: The answer may well take its time, and says nothing about the service until then.
    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25),
        isLong: Bool = false,
        reply: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void
    ) {
        // To the owner, not to the name: a new owner has other objects, if under the same paths (bug case D2).
        let call = MethodCall(
            to: owner ?? BlueZName.service,
            at: path,
            interface,
            member,
            arguments,
            timeout: timeout,
            mayStart: false
        )
        guard !isLong else { return connection.assumeIsolated { _ = $0.call(call, reply: reply) } }
        perform(call, reply: reply)
    }

    /// Makes a call that ought to be answered soon.
    func perform(_ call: MethodCall, reply: @escaping @Sendable (Result<[DBusValue], DBusError>) -> Void) {
        lastCall += 1
        let (number, generation) = (lastCall, generation)
        if watch.called(number, now: loop.now) { follow(.wait(ServiceWatch.patience)) }
        connection.assumeIsolated { connection in
            _ = connection.call(call) { [weak self] result in
                self?.assumeIsolated { if $0.generation == generation { $0.answered(number) } }
                reply(result)
            }
        }
    }

    private func answered(_ number: UInt64) {
        if watch.answered(number), !watch.isHung { follow(.rest) }
    }

    /// The properties of an interface; nil where there is none.
    func properties(_ path: String, _ interface: String) -> ObjectTree.Properties? { tree.properties(path, interface) }
}
