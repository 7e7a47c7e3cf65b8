import DBus
import EventLoops
import Testing

@Suite("Signals", .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.missing)"), .timeLimit(.minutes(2)))
struct SignalTests {
    let bus: PrivateBus

    init() throws {
        bus = try PrivateBus(settings: #"<limit name="max_match_rules_per_connection">8</limit>"#)
    }

    private func signal(_ number: UInt8, at path: String = "/test", member: String = "Changed") -> Signal {
        Signal(at: path, "test.Object", member, [.byte(number)])
    }

    @Test("Signals and replies arrive in the order of the bus, also those that beat the reply to the call that causes them (D3)")
    func order() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let signals = [signal(1), signal(2), signal(3)]
        await peer.handleCalls(at: "/test") { call in
            peer.assumeIsolated { peer in
                peer.send(signals[0])
                peer.send(signals[1])
                call.reply()
                peer.send(signals[2])
            }
        }
        let told = Inbox<String>()
        _ = await client.subscribe(MatchRule(sender: peer.name, interface: "test.Object")) { told.add("\($0.arguments)") }
        for _ in 0..<50 {
            await client.call(method("StartNotify", of: peer)) { _ in told.add("reply") }
            for expected in ["\([DBusValue.byte(1)])", "\([DBusValue.byte(2)])", "reply", "\([DBusValue.byte(3)])"] {
                #expect(await told.next() == expected)
            }
        }
    }

    @Test("A signal says all that it was sent with")
    func contents() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let told = Inbox<Signal>()
        _ = await client.subscribe(MatchRule(member: "Changed")) { told.add($0) }
        try await client.settle()
        await peer.send(Signal(at: "/a/b", "test.Object", "Changed", [.string("x"), .properties(["A": .byte(1)])]))
        let signal = await told.next()
        #expect(signal.sender == (await peer.name))
        #expect(signal.path == "/a/b")
        #expect(signal.interface == "test.Object")
        #expect(signal.member == "Changed")
        #expect(signal.arguments == [.string("x"), .properties(["A": .byte(1)])])
    }

    static let filters: [(MatchRule, [UInt8])] = [
        (MatchRule(), [1, 2, 3, 4, 5]),
        (MatchRule(interface: "test.Object"), [1, 2, 3, 4]),
        (MatchRule(member: "Changed"), [1, 2, 4, 5]),
        (MatchRule(interface: "test.Object", member: "Changed"), [1, 2, 4]),
        (MatchRule(path: "/a"), [1, 5]),
        (MatchRule(pathNamespace: "/a"), [1, 2, 3, 5]),
        (MatchRule(pathNamespace: "/a/b"), [2, 3]),
        (MatchRule(pathNamespace: "/"), [1, 2, 3, 4, 5]),
        (MatchRule(pathNamespace: "/a", member: "Changed", firstArgument: "it's"), [2]),
        (MatchRule(firstArgument: "none"), []),
        (MatchRule(path: "/a", pathNamespace: "/a"), []),
        (MatchRule(path: "a"), []),
        (MatchRule(interface: "x"), []),
        (MatchRule(firstArgument: "it's\0"), []),
    ]

    @Test("Only the signals that match the rule are told", arguments: filters)
    func rules(rule: MatchRule, expected: [UInt8]) async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let (told, all) = (Inbox<UInt8>(), Inbox<UInt8>())
        let number: @Sendable (Signal) -> UInt8 = { if case .byte(let number)? = $0.arguments.last { number } else { 0 } }
        _ = await client.subscribe(rule) { if $0.path != "/org/freedesktop/DBus", number($0) != 6 { told.add(number($0)) } }
        // Brings all signals, so that the rule has to be applied here as well.
        _ = await client.subscribe(MatchRule(sender: peer.name)) { all.add(number($0)) }
        try await client.settle()
        await peer.send(Signal(at: "/a", "test.Object", "Changed", [.byte(1)]))
        await peer.send(Signal(at: "/a/b", "test.Object", "Changed", [.string("it's"), .byte(2)]))
        await peer.send(Signal(at: "/a/b/c", "test.Object", "Other", [.string("it's"), .byte(3)]))
        await peer.send(Signal(at: "/aa", "test.Object", "Changed", [.objectPath("/none"), .byte(4)]))
        await peer.send(Signal(at: "/a", "test.Object2", "Changed", [.strings(["none"]), .byte(5)]))
        await peer.send(Signal(at: "/end", "test.End", "End", [.byte(6)]))
        while await all.next() != 6 {}
        #expect(told.rest == expected)
    }

    @Test("Equal rules share one at the bus; it stays until the last subscription ends")
    func sharedRules() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let told = Inbox<Int>()
        let rule = MatchRule(member: "Changed")
        var subscriptions: [DBusConnection.SubscriptionID] = []
        for number in 0..<100 { subscriptions.append(await client.subscribe(rule) { _ in told.add(number) }) }
        try await client.settle()
        await peer.send(signal(1))
        for number in 0..<100 { #expect(await told.next() == number) }
        for subscription in subscriptions.dropLast() { await client.unsubscribe(subscription) }
        try await client.settle()
        await peer.send(signal(2))
        #expect(await told.next() == 99)
        await client.unsubscribe(subscriptions[99])
        await client.unsubscribe(subscriptions[99])
        try await client.settle()
        await peer.send(signal(3))
        try await peer.settle()
        try await client.settle()
        #expect(told.rest.isEmpty)
        // Room for others: the daemon allows eight rules.
        for round in 0..<20 { await client.unsubscribe(client.subscribe(MatchRule(member: "Member\(round)")) { _ in }) }
        try await client.settle()
    }

    @Test("A handler may end its own subscription, and another one that the signal is also for")
    func unsubscribeInside() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let (told, ids) = (Inbox<String>(), Inbox<DBusConnection.SubscriptionID>())
        let first = await client.subscribe(MatchRule(member: "Changed")) { _ in
            told.add("first")
            client.assumeIsolated { client in ids.rest.forEach(client.unsubscribe) }
        }
        let second = await client.subscribe(MatchRule(path: "/test")) { _ in told.add("second") }
        ids.add(first)
        ids.add(second)
        _ = await client.subscribe(MatchRule(interface: "test.Object")) { _ in told.add("third") }
        try await client.settle()
        await peer.send(signal(1))
        await peer.send(signal(2))
        for expected in ["first", "third", "third"] { #expect(await told.next() == expected) }
    }

    @Test("A well-known name in a rule stands for its owner of the moment")
    func wellKnownSender() async throws {
        let (old, new, client) = (try await connect(to: bus), try await connect(to: bus), try await connect(to: bus))
        let (told, all) = (Inbox<DBusValue>(), Inbox<DBusValue>())
        try await old.take("test.Service")
        let id = await client.subscribe(MatchRule(sender: "test.Service", member: "Changed")) { told.add($0.arguments[0]) }
        _ = await client.subscribe(MatchRule(member: "Changed")) { all.add($0.arguments[0]) }
        try await client.settle()
        await old.send(signal(1))
        try await old.settle()
        await new.send(signal(2))
        try await new.settle()
        await old.releaseName("test.Service")
        await old.send(signal(3))
        try await old.settle()
        try await new.take("test.Service")
        await new.send(signal(4))
        for number in 1...4 { #expect(await all.next() == .byte(UInt8(number))) }
        #expect(told.rest == [.byte(1), .byte(4)])
        await client.unsubscribe(id)
        await new.send(signal(5))
        #expect(await all.next() == .byte(5))
        #expect(told.rest.count == 2)
    }

    @Test("Subscriptions before the connection is opened are in force when it is there")
    func early() async throws {
        let peer = try await connect(to: bus)
        let client = DBusConnection(.address(bus.address), loop: DispatchLoop())
        let told = Inbox<Signal>()
        _ = await client.subscribe(MatchRule(sender: "test.Service", member: "Changed")) { told.add($0) }
        try await client.opened()
        try await client.settle()
        try await peer.take("test.Service")
        await peer.send(signal(7))
        #expect(await told.next().arguments == [.byte(7)])
    }

    @Test("When the bus refuses a rule, the connection is given up rather than being deaf")
    func tooManyRules() async throws {
        let client = DBusConnection(.address(bus.address), loop: DispatchLoop())
        let events = Inbox<DBusConnection.Event>()
        await client.open { events.add($0) }
        guard case .connected = await events.next() else { throw PrivateBus.Failure("connected") }
        for number in 0..<9 { _ = await client.subscribe(MatchRule(member: "Member\(number)")) { _ in } }
        guard case .lost(let error) = await events.next() else { throw PrivateBus.Failure("lost") }
        #expect(error.name == DBusError.limitsExceeded)
    }

    @Test("An invalid signal is not sent, and the connection stays")
    func invalidSignals() async throws {
        let (peer, client) = (try await connect(to: bus), try await connect(to: bus))
        let told = Inbox<Signal>()
        _ = await client.subscribe(MatchRule(sender: peer.name)) { told.add($0) }
        try await client.settle()
        await peer.send(Signal(at: "nowhere", "test.Object", "Changed"))
        await peer.send(Signal(at: "/", "test", "Changed"))
        await peer.send(Signal(at: "/", "test.Object", "not a member"))
        await peer.send(Signal(at: "/", "test.Object", "Changed", [.string("\0")]))
        await peer.send(Signal(at: "/org/freedesktop/DBus/Local", "test.Object", "Changed"))
        await peer.send(Signal(at: "/", "org.freedesktop.DBus.Local", "Disconnected"))
        await peer.send(signal(9))
        #expect(await told.next().arguments == [.byte(9)])
    }
}
