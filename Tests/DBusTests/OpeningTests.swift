import EventLoops
import Glibc
import Testing

@testable import DBus

@Suite("Opening and losing a connection", .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.missing)"), .timeLimit(.minutes(2)))
struct OpeningTests {
    /// What becomes of a connection to this address.
    private func outcome(_ address: BusAddress, limit: Duration = .seconds(60)) async -> DBusError? {
        let connection = DBusConnection(address, loop: DispatchLoop(), connectLimit: limit)
        let (events, replies) = (Inbox<DBusConnection.Event>(), Inbox<Result<[DBusValue], DBusError>>())
        await connection.call(MethodCall(to: "a.b", at: "/", "c.d", "E")) { replies.add($0) }
        await connection.open { events.add($0) }
        guard case .lost(let error) = await events.next() else { return nil }
        #expect(events.rest.isEmpty)
        #expect(await replies.next() == .failure(.disconnection(context: "a.b / c.d.E")))
        #expect(await connection.uniqueName == nil)
        return error
    }

    @Test("A bus that isn't there is lost at once", arguments: ["unix:path=/nonexistent/socket", "nonsense", "", "unix:path=\0", "a:b=c;d:e=f"])
    func missing(address: String) async {
        #expect(await outcome(.address(address)) != nil)
    }

    @Test("A socket where nobody listens is lost at once")
    func refused() async throws {
        let bus = try PrivateBus()
        bus.stop()
        #expect(await outcome(.address(bus.address))?.context == bus.address)
    }

    @Test("A socket that accepts and says nothing is lost when the limit is over")
    func silent() async throws {
        let bus = try FakeBus { _ = $0.receive(1 << 20) }
        #expect(await outcome(bus.address, limit: .milliseconds(50))?.name == DBusError.noReply)
    }

    @Test("A bus that lets us in but doesn't answer Hello is lost when the limit is over")
    func speechless() async throws {
        let bus = try FakeBus { peer in
            peer.authenticate()
            _ = peer.receive(1 << 20)
        }
        #expect(await outcome(bus.address, limit: .milliseconds(50))?.name == DBusError.noReply)
    }

    @Test("A socket whose queue is full, so that connecting blocks, doesn't hold up the loop")
    func blocked() async throws {
        let bus = try FakeBus(backlog: 0, serve: nil)
        let first = try bus.fill()
        defer { close(first) }
        #expect(await outcome(bus.address, limit: .milliseconds(50))?.name == DBusError.noReply)
    }

    @Test("A bus that doesn't accept who we are says so")
    func rejected() async throws {
        let bus = try FakeBus { peer in
            while peer.line() != nil { peer.send(Array("REJECTED EXTERNAL\r\n".utf8)) }
        }
        #expect(await outcome(bus.address)?.name == DBusError.authFailed)
        let rude = try FakeBus { _ = $0.receive(1) }
        #expect(await outcome(rude.address)?.name == DBusError.authFailed)
    }

    @Test("What isn't a bus is lost", arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "OK\r\n", "OK nonsense\r\n", "\0\0\0\0", "DATA\r\n"])
    func notABus(text: String) async throws {
        let bus = try FakeBus { peer in
            peer.send(Array(text.utf8))
            _ = peer.receive(64)  // the client has had time to read it
        }
        #expect(await outcome(bus.address, limit: .milliseconds(300)) != nil)
    }

    @Test("A Hello that gives no proper name is of no use", arguments: ["", "org.freedesktop.DBus", ":1.2\u{1}", ":1..2"])
    func badName(name: String) async throws {
        let bus = try FakeBus { peer in
            peer.greet(as: name)
            _ = peer.receive(1 << 20)
        }
        #expect(await outcome(bus.address)?.name == DBusError.invalidArguments)
    }

    @Test("A Hello that is answered with something else, or an error, is of no use")
    func badHello() async throws {
        let number = try FakeBus { peer in
            peer.authenticate()
            guard let serial = peer.message() else { return }
            peer.send(RawMessage.reply(to: serial, "u", RawMessage.little(1)))
            _ = peer.receive(1 << 20)
        }
        #expect(await outcome(number.address)?.name == DBusError.invalidArguments)
        let refusing = try FakeBus { peer in
            peer.authenticate()
            guard let serial = peer.message() else { return }
            peer.send(RawMessage.error("test.Error.No", to: serial, "s", RawMessage.string("no")))
            _ = peer.receive(1 << 20)
        }
        #expect(await outcome(refusing.address)?.name == "test.Error.No")
    }

    @Test("When the bus dies, all pending calls fail, in order, and `.lost` comes once, last; nothing works any more")
    func death() async throws {
        let bus = try PrivateBus()
        let peer = try await connect(to: bus)
        let (arrived, told) = (Inbox<IncomingCall>(), Inbox<String>())
        await peer.handleCalls(at: "/test") { arrived.add($0) }
        let client = DBusConnection(.address(bus.address), loop: DispatchLoop())
        let connected = Inbox<String>()
        await client.open { event in
            switch event {
            case .connected(let name): connected.add(name)
            case .lost: told.add("lost")
            }
        }
        _ = await connected.next()
        let reply: @Sendable (String) -> @Sendable (Result<[DBusValue], DBusError>) -> Void = { text in
            { result in
                guard case .failure(let error) = result else { return told.add("answered") }
                told.add("\(text) \(error.name)")
            }
        }
        let call = await method("Never", of: peer)
        await client.call(call, reply: reply("first"))
        await client.call(call, reply: reply("second"))
        _ = await arrived.next()
        _ = await arrived.next()
        bus.stop()
        #expect(await told.next() == "first \(DBusError.disconnected)")
        #expect(await told.next() == "second \(DBusError.disconnected)")
        #expect(await told.next() == "lost")
        let error = await #expect(throws: DBusError.self) { try await client.call(call) }
        #expect(error?.name == DBusError.disconnected)
        await client.unsubscribe(client.subscribe(MatchRule()) { _ in })
        await client.send(Signal(at: "/", "a.b", "C"))
        await client.open { _ in told.add("opened again") }
        await client.close()
        arrived.rest.forEach { $0.reply() }
        #expect(told.rest.isEmpty)
        #expect(await client.uniqueName == nil)
    }

    @Test("Closing fails the pending calls, later, and there is no `.lost`; the others see us go")
    func closing() async throws {
        let bus = try PrivateBus()
        let (peer, watcher) = (try await connect(to: bus), try await connect(to: bus))
        let arrived = Inbox<IncomingCall>()
        await peer.handleCalls(at: "/test") { arrived.add($0) }
        let client = DBusConnection(.address(bus.address), loop: DispatchLoop())
        let (events, told, owners) = (Inbox<DBusConnection.Event>(), Inbox<String>(), Inbox<String?>())
        await client.open { events.add($0) }
        guard case .connected(let name) = await events.next() else { throw PrivateBus.Failure("connected") }
        _ = await watcher.watchOwner(of: name) { owners.add($0) }
        #expect(await owners.next() == name)
        let call = await method("Never", of: peer)
        client.loop.execute {
            client.assumeIsolated { client in
                client.call(call) { result in
                    guard case .failure(let error) = result else { return }
                    told.add(error.name)
                }
                client.close()
                client.close()
                told.add("closed")
            }
        }
        #expect(await told.next() == "closed")
        #expect(await told.next() == DBusError.disconnected)
        #expect(await owners.next() == nil)
        #expect(events.rest.isEmpty)
    }

    @Test("A handler may close the connection that calls it")
    func closingInside() async throws {
        let bus = try PrivateBus()
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let told = Inbox<String>()
        _ = await client.subscribe(MatchRule(member: "Changed")) { _ in
            client.assumeIsolated { $0.close() }
            told.add("closed")
        }
        _ = await client.subscribe(MatchRule(path: "/test")) { _ in told.add("not told any more") }
        try await client.settle()
        for _ in 0..<10 { await peer.send(Signal(at: "/test", "test.Object", "Changed")) }
        #expect(await told.next() == "closed")
        let end = await #expect(throws: DBusError.self) { try await client.settle() }
        #expect(end?.name == DBusError.disconnected)
        #expect(told.rest.isEmpty)
    }

    @Test("A connection that nobody holds any more leaves the bus, and its calls are answered")
    func abandoned() async throws {
        let bus = try PrivateBus()
        let watcher = try await connect(to: bus)
        let (owners, replies) = (Inbox<String?>(), Inbox<Result<[DBusValue], DBusError>>())
        do {
            let client = try await connect(to: bus)
            await watcher.handleCalls(at: "/test") { _ in }
            _ = await watcher.watchOwner(of: client.name) { owners.add($0) }
            #expect(await owners.next() == client.name)
            await client.call(method("Never", of: watcher)) { replies.add($0) }
        }
        #expect(await owners.next() == nil)
        guard case .failure(let error) = await replies.next() else { throw PrivateBus.Failure("failure") }
        #expect(error.name == DBusError.disconnected)
    }

    @Test("Where the system's and the session's bus are")
    func addresses() {
        let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/system", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/session"]
        #expect(BusAddress.system.text { variables[$0] } == "unix:path=/system")
        #expect(BusAddress.system.text { _ in nil } == "unix:path=/run/dbus/system_bus_socket")
        #expect(BusAddress.session.text { variables[$0] } == "unix:path=/session")
        #expect(BusAddress.session.text { $0 == "XDG_RUNTIME_DIR" ? "/run/user/1" : nil } == "unix:path=/run/user/1/bus")
        #expect(BusAddress.session.text { _ in nil } == nil)
        #expect(BusAddress.address("unix:path=/a").text { variables[$0] } == "unix:path=/a")
    }
}

extension DBusError {
    fileprivate static func disconnection(context: String) -> DBusError {
        DBusError(name: disconnected, message: isDisconnected.message, context: context)
    }
}
