import DBus
import EventLoops
import Testing

@Suite("Calls", .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.missing)"), .timeLimit(.minutes(2)))
struct CallTests {
    let bus: PrivateBus

    init() throws {
        bus = try PrivateBus(settings: #"<limit name="max_replies_per_connection">20000</limit>"#, startable: "test.Broken")
    }

    @Test("An error arrives with its name and text, and says what was being attempted")
    func errors() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "le-connection-abort-by-local")) }
        let expected = DBusError(
            name: "org.bluez.Error.Failed",
            message: "le-connection-abort-by-local",
            context: "\(await peer.name) /test test.Object.Connect"
        )
        await #expect(throws: expected) { try await client.call(method("Connect", of: peer)) }
    }

    @Test("An error whose name or text cannot be sent is told all the same")
    func unspeakableErrors() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { $0.fail(DBusError(name: "no name", message: "with a \0 in it")) }
        let error = await #expect(throws: DBusError.self) { try await client.call(method("Fail", of: peer)) }
        #expect(error?.name == DBusError.failed)
    }

    @Test("An answer that cannot be sent becomes an error")
    func unspeakableAnswer() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { $0.reply([.objectPath("nowhere")]) }
        let error = await #expect(throws: DBusError.self) { try await client.call(method("Fail", of: peer)) }
        #expect(error?.name == DBusError.invalidArguments)
    }

    @Test("A call without a reply ends when its time is over, not before")
    func timeout() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { _ in }
        let start = client.loop.now
        let error = await #expect(throws: DBusError.self) {
            try await client.call(method("Never", of: peer, timeout: .milliseconds(30)))
        }
        #expect(error?.name == DBusError.noReply)
        #expect(client.loop.now - start >= .milliseconds(30))
    }

    @Test("Any time-out is taken", arguments: [.zero, .seconds(-5), .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min)] as [Duration])
    func oddTimeouts(timeout: Duration) async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { _ in }
        let inbox = Inbox<Result<[DBusValue], DBusError>>()
        let id = await client.call(method("Never", of: peer, timeout: timeout)) { inbox.add($0) }
        if timeout > .seconds(1) { await client.cancel(id) }
        let error = await #expect(throws: DBusError.self) { try await inbox.next().get() }
        #expect(error?.name == (timeout > .seconds(1) ? DBusError.cancelled : DBusError.noReply))
    }

    @Test("A cancelled call is told so once, and its late reply is ignored")
    func cancel() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let (arrived, replies) = (Inbox<IncomingCall>(), Inbox<Result<[DBusValue], DBusError>>())
        await peer.handleCalls(at: "/test") { arrived.add($0) }
        let id = await client.call(method("Wait", of: peer)) { replies.add($0) }
        let call = await arrived.next()
        await client.cancel(id)
        await client.cancel(id)
        let error = await #expect(throws: DBusError.self) { try await replies.next().get() }
        #expect(error?.name == DBusError.cancelled)
        call.reply()
        try await peer.settle()
        try await client.settle()
        #expect(replies.rest.isEmpty)
    }

    @Test("A task gives up its own call, not that of another which calls at the same moment", arguments: [false, true])
    func cancelledTask(isLater: Bool) async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let arrived = Inbox<IncomingCall>()
        await peer.handleCalls(at: "/test") { arrived.add($0) }
        let waiting = await method("Wait", of: peer)
        let tasks = [true, false].map { isGivenUp in
            Task(executorPreference: client.loop) {
                if isGivenUp && !isLater { withUnsafeCurrentTask { $0?.cancel() } }
                return try await client.call(waiting)
            }
        }
        let calls = [await arrived.next(), await arrived.next()]
        if isLater { tasks[0].cancel() }
        let error = await #expect(throws: DBusError.self) { try await tasks[0].value }
        #expect(error?.name == DBusError.cancelled)
        for call in calls { call.reply() }
        #expect(try await tasks[1].value == [])
    }

    @Test("A reply is never told inside the call that asks for it, nor a cancellation inside the cancelling")
    func neverInside() async throws {
        let (peer, client) = (try await echo(on: bus), try await connect(to: bus))
        let valid = await method("Echo", of: peer)
        let invalid = await method("not valid", of: peer)
        let told = Inbox<String>()
        client.loop.execute {
            client.assumeIsolated { client in
                client.call(invalid) { _ in told.add("invalid") }
                let id = client.call(valid) { _ in told.add("cancelled") }
                client.cancel(id)
                client.call(valid) { _ in told.add("answered") }
                told.add("all called")
            }
        }
        #expect(await told.next() == "all called")
        var replies: Set<String> = []
        for _ in 0..<3 { replies.insert(await told.next()) }
        #expect(replies == ["invalid", "cancelled", "answered"])
    }

    @Test("Cancelling the task of a waiting call ends it")
    func cancelTask() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let arrived = Inbox<IncomingCall>()
        await peer.handleCalls(at: "/test") { arrived.add($0) }
        let call = await method("Wait", of: peer)
        let task = Task { try await client.call(call) }
        _ = await arrived.next()
        task.cancel()
        let error = await #expect(throws: DBusError.self) { try await task.value }
        #expect(error?.name == DBusError.cancelled)
    }

    @Test("A call in a task that is cancelled already ends, too")
    func cancelledBefore() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { _ in }
        let call = await method("Wait", of: peer)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.call(call)
        }
        let error = await #expect(throws: DBusError.self) { try await task.value }
        #expect(error?.name == DBusError.cancelled)
    }

    @Test("The bus starts a service only if the call allows it")
    func autoStart() async throws {
        let client = try await connect(to: bus)
        func failure(mayStart: Bool) async -> String? {
            let call = MethodCall(to: "test.Broken", at: "/", "test.Object", "Any", mayStart: mayStart)
            return await #expect(throws: DBusError.self) { try await client.call(call) }?.name
        }
        #expect(await failure(mayStart: false) == DBusError.nameHasNoOwner)
        #expect(await failure(mayStart: true)?.hasPrefix("org.freedesktop.DBus.Error.Spawn.") == true)
    }

    @Test("Calls before the connection is there wait for it, in their order")
    func early() async throws {
        let peer = try await echo(on: bus)
        let client = DBusConnection(.address(bus.address), loop: DispatchLoop())
        let replies = Inbox<Result<[DBusValue], DBusError>>()
        await client.call(method("Echo", of: peer, [.byte(1)])) { replies.add($0) }
        let withdrawn = await client.call(method("Echo", of: peer, [.byte(2)])) { replies.add($0) }
        await client.cancel(withdrawn)
        #expect(await replies.next() == .failure(DBusError(name: DBusError.cancelled, context: "\(await peer.name) /test test.Object.Echo")))
        let events = Inbox<DBusConnection.Event>()
        await client.open { events.add($0) }
        await client.call(method("Echo", of: peer, [.byte(3)])) { replies.add($0) }
        #expect(await replies.next() == .success([.byte(1)]))
        #expect(await replies.next() == .success([.byte(3)]))
        guard case .connected(let name) = await events.next() else { throw PrivateBus.Failure("connected") }
        #expect(await client.uniqueName == name)
    }

    @Test("Ten thousand calls at once are all answered, in order, and leave no file descriptor behind")
    func manyCalls() async throws {
        let (peer, client) = (try await echo(on: bus), try await connect(to: bus))
        let call = await method("Echo", of: peer)
        let replies = Inbox<Result<[DBusValue], DBusError>>()
        client.loop.execute {
            client.assumeIsolated { client in
                for number in 0..<10_000 {
                    var call = call
                    call.arguments = [.uint32(UInt32(number))]
                    client.call(call) { replies.add($0) }
                }
            }
        }
        for number in 0..<10_000 { #expect(await replies.next() == .success([.uint32(UInt32(number))])) }
    }

    static let invalid: [MethodCall] = [
        MethodCall(to: "", at: "/", "a.b", "C"),
        MethodCall(to: "no dots", at: "/", "a.b", "C"),
        MethodCall(to: "a.b\0", at: "/", "a.b", "C"),
        MethodCall(to: "a.b", at: "", "a.b", "C"),
        MethodCall(to: "a.b", at: "/a/", "a.b", "C"),
        MethodCall(to: "a.b", at: "/a\0b", "a.b", "C"),
        MethodCall(to: "a.b", at: "/ü", "a.b", "C"),
        MethodCall(to: "a.b", at: "/", "nodots", "C"),
        MethodCall(to: "a.b", at: "/", "a..b", "C"),
        MethodCall(to: "a.b", at: "/", "a.b", ""),
        MethodCall(to: "a.b", at: "/", "a.b", "C-D"),
        MethodCall(to: "a.b", at: "/", "a.b", String(repeating: "C", count: 256)),
        MethodCall(to: "a.b", at: "/org/freedesktop/DBus/Local", "a.b", "C"),
        MethodCall(to: "a.b", at: "/", "org.freedesktop.DBus.Local", "C"),
    ]

    @Test("A call with an invalid name is an error, and the connection stays", arguments: invalid)
    func invalidNames(call: MethodCall) async throws {
        let client = try await connect(to: bus)
        let error = await #expect(throws: DBusError.self) { try await client.call(call) }
        #expect(error?.name == DBusError.invalidArguments)
        try await client.settle()
    }

    @Test("A call without an interface is taken")
    func noInterface() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/") { $0.reply([.string($0.interface), .string($0.member), .string($0.path), .string($0.sender)]) }
        let call = MethodCall(to: await peer.name, at: "/x/y", "", "Member")
        #expect(try await client.call(call) == [.string(""), .string("Member"), .string("/x/y"), .string(client.name)])
    }

    @Test("A call goes to the handler of the longest path, and to nobody where there is none")
    func handlers() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        for path in ["/a", "/a/b", "/a/b/c/d"] { await peer.handleCalls(at: path) { $0.reply([.objectPath(path)]) } }
        await peer.handleCalls(at: "not a path") { $0.reply() }
        func answer(at path: String) async throws -> String? {
            try await client.call(MethodCall(to: peer.name, at: path, "x.y", "Z")).first?.path
        }
        #expect(try await answer(at: "/a") == "/a")
        #expect(try await answer(at: "/a/bb") == "/a")
        #expect(try await answer(at: "/a/b/c") == "/a/b")
        #expect(try await answer(at: "/a/b/c/d/e/f") == "/a/b/c/d")
        await peer.handleCalls(at: "/a/b", nil)
        #expect(try await answer(at: "/a/b/c") == "/a")
        for path in ["/", "/aa", "/b"] {
            let error = await #expect(throws: DBusError.self) { try await answer(at: path) }
            #expect(error?.name == DBusError.unknownObject)
        }
    }

    @Test("A call is answered once, from any thread; answers after the first are ignored")
    func answers() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        await peer.handleCalls(at: "/test") { call in
            Task.detached {
                call.reply([.byte(1)])
                call.reply([.byte(2)])
                call.fail(DBusError(name: DBusError.failed))
            }
        }
        #expect(try await client.call(method("One", of: peer)) == [.byte(1)])
        #expect(try await client.call(method("One", of: peer)) == [.byte(1)])
    }
}
