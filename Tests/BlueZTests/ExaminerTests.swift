import BlueZ
import DBus
import EventLoops
import FlicSimulator
import Foundation
import GATT
import Testing

@testable import BlueZ

@Suite("What can be seen of the system's Bluetooth", .timeLimit(.minutes(1)))
struct ExaminerTests {
    private static func examine(
        _ bus: BusAddress,
        adapter: AdapterChoice = .automatic,
        expectsAdapter: Bool = false,
        answer: Duration = .seconds(5),
        start: Duration = .seconds(10),
        adapters: Duration = .seconds(30)
    ) async -> BluetoothFacts {
        var patience = BluetoothExaminer.Patience()
        patience.answer = answer
        patience.start = start
        patience.adapters = adapters
        return await BluetoothExaminer(bus: bus, adapter: adapter, loop: DispatchLoop(label: "examiner"), patience: patience)
            .examine(expectsAdapter: expectsAdapter)
    }

    // MARK: The bus

    @Test(
        "Addresses that lead to no bus",
        arguments: [
            ("unix:path=/nonexistent/socket", BusTrouble.noSocket), ("nonsense", .invalidAddress), ("", .invalidAddress),
            ("carrier-pigeon:name=x", .invalidAddress), ("unix:", .invalidAddress),
        ]
    )
    func address(text: String, trouble: BusTrouble) async {
        let facts = await Self.examine(.address(text))
        #expect(facts.bus == trouble && facts.service == nil && facts.adapters.isEmpty)
    }

    @Test("A socket at which nobody listens any more")
    func dead() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "flickit-\(UUID())").path
        let socket = try #require(AbandonedSocket(path: path))
        #expect(await Self.examine(.address("unix:path=\(path)")).bus == .nobodyListens)
        withExtendedLifetime(socket) {}
    }

    @Test("A bus that takes no more connections")
    func full() async throws {
        var rules = PrivateBus.Rules()
        rules.connections = 1
        let bus = try PrivateBus(rules: rules)
        let loop = DispatchLoop()
        let connection = DBusConnection(bus.address, loop: loop)
        let (events, continuation) = AsyncStream.makeStream(of: DBusConnection.Event.self)
        await connection.open { continuation.yield($0) }
        for await _ in events { break }
        #expect(await Self.examine(bus.address).bus == .full)
        await connection.close()
    }

    @Test(
        "Errors of the bus, by their names and words",
        arguments: [
            (
                DBusError.accessDenied, "Failed to connect to socket /run/dbus/system_bus_socket: Permission denied", "unix:path=x",
                BusTrouble.socketDenied
            ),
            (DBusError.accessDenied, "An AppArmor policy prevents this sender from sending this message", "org.freedesktop.DBus.Hello", .appArmor),
            (DBusError.accessDenied, "Rejected send message", "org.freedesktop.DBus.Hello", .policy), (DBusError.noReply, "", "", .silent),
            (DBusError.authFailed, "The bus closed the connection before it had accepted who we are", "", .identityRejected),
            (DBusError.failed, "", "", .failed), (DBusError.disconnected, "", "", .failed),
        ]
    )
    func busErrors(name: String, message: String, context: String, trouble: BusTrouble) {
        #expect(BusTrouble(DBusError(name: name, message: message, context: context)) == trouble)
    }

    // MARK: bluetoothd

    @Test("Not running, and nothing there that could be started")
    func notRunning() async throws {
        let bus = try PrivateBus()
        let facts = await Self.examine(bus.address)
        #expect(facts.bus == nil && facts.service == .notRunning && !facts.wasStarted)
    }

    @Test(
        "Not running, and its start fails, or takes too long",
        arguments: [("/bin/false", ServiceTrouble.startFailed), ("/bin/sleep 3", .startTimedOut)]
    )
    func notStarted(command: String, trouble: ServiceTrouble) async throws {
        var rules = PrivateBus.Rules()
        rules.services["org.bluez"] = command
        let bus = try PrivateBus(rules: rules)
        let facts = await Self.examine(bus.address, start: trouble == .startFailed ? .seconds(10) : .milliseconds(200))
        #expect(facts.bus == nil && facts.service == trouble && !facts.wasStarted && !facts.detail.isEmpty)
    }

    @Test("The policy of the bus keeps us from it")
    func policy() async throws {
        var rules = PrivateBus.Rules()
        rules.forbidden = ["org.bluez"]
        let bus = try PrivateBus(rules: rules)
        let fake = FakeBlueZ(bus: bus.address, loop: DispatchLoop())
        try await fake.start()
        let facts = await Self.examine(bus.address)
        #expect(facts.bus == nil && facts.service == .policy)
    }

    @Test("It does not answer")
    func hung() async throws {
        let stage = try await FakeStage()
        await stage.fake.trouble(with: "ObjectManager.GetManagedObjects", .silence)
        #expect(await Self.examine(stage.bus.address, answer: .milliseconds(100)).service == .hung)
    }

    @Test("It goes away when it is asked")
    func gone() async throws {
        let stage = try await FakeStage()
        await stage.fake.trouble(with: "ObjectManager.GetManagedObjects", .silence)
        async let facts = Self.examine(stage.bus.address)
        await stage.fake.wait { $0.calls.contains("ObjectManager.GetManagedObjects /") }
        await stage.fake.crash()
        #expect(await facts.service == .gone)
    }

    @Test("It is from before 5.0, or answers nonsense")
    func strange() async throws {
        let stage = try await FakeStage()
        await stage.fake.trouble(with: "ObjectManager.GetManagedObjects", times: 1, .error(DBusError(name: DBusError.unknownMethod)))
        #expect(await Self.examine(stage.bus.address).service == .old)
        for nonsense in [[], [DBusValue.string("objects")], [.uint32(7), .uint32(8)]] {
            await stage.fake.trouble(with: "ObjectManager.GetManagedObjects", times: 1, .answer(nonsense))
            #expect(await Self.examine(stage.bus.address).service == .senseless)
        }
    }

    @Test(
        "Errors on starting it, by their names and words",
        arguments: [
            ("org.freedesktop.systemd1.NoSuchUnit", "Unit dbus-org.bluez.service not found.", ServiceTrouble.disabled),
            (DBusError.nameHasNoOwner, "Could not activate remote peer 'org.bluez': activation request failed: unknown unit", .disabled),
            ("org.freedesktop.systemd1.UnitMasked", "Unit bluetooth.service is masked.", .masked),
            ("org.freedesktop.DBus.Error.TimedOut", "Failed to activate service 'org.bluez': timed out", .startTimedOut),
            (DBusError.serviceUnknown, "", .notRunning), ("org.freedesktop.DBus.Error.Spawn.ChildExited", "", .startFailed),
            (DBusError.accessDenied, "Rejected send message", .policy), (DBusError.accessDenied, "An AppArmor policy prevents", .appArmor),
        ]
    )
    func startErrors(name: String, message: String, trouble: ServiceTrouble) {
        #expect(ServiceTrouble(starting: DBusError(name: name, message: message)) == trouble)
    }

    @Test(
        "Errors on asking it, by their names and words",
        arguments: [
            (DBusError.noReply, "Did not receive a reply.", ServiceTrouble.hung),
            (DBusError.noReply, "Message recipient disconnected from message bus without replying", .gone), (DBusError.disconnected, "", .gone),
            (DBusError.accessDenied, "Rejected send message", .policy), (DBusError.accessDenied, "An AppArmor policy prevents", .appArmor),
            (DBusError.unknownInterface, "", .old), (DBusError.limitsExceeded, "", .senseless), (DBusError.failed, "", .failed),
        ]
    )
    func askErrors(name: String, message: String, trouble: ServiceTrouble) {
        #expect(ServiceTrouble(asking: DBusError(name: name, message: message)) == trouble)
    }

    @Test("Words for people are bounded, and move no cursor")
    func words() {
        let error = DBusError(name: DBusError.failed, message: "\u{1B}[2Jgone\r\n" + String(repeating: "x", count: 1000))
        #expect(error.words.hasPrefix("[2Jgonex") && error.words.count == 300)
        #expect(DBusError(name: DBusError.failed).words == DBusError.failed)
    }

    // MARK: Adapters

    @Test("All is well: one call, and nothing is changed")
    func healthy() async throws {
        let stage = try await FakeStage()
        let facts = await Self.examine(stage.bus.address)
        #expect(facts.bus == nil && facts.service == nil && facts.chosen == "hci0" && facts.links.isEmpty && facts.detail.isEmpty)
        var adapter = BluetoothFacts.Adapter(name: "hci0")
        adapter.address = "00:AA:01:01:00:00"
        #expect(facts.adapters == [adapter])
        #expect(await stage.fake.calls == ["ObjectManager.GetManagedObjects /"])
    }

    @Test("Power", arguments: [(FakeBlueZ.Power.on, BluetoothFacts.Power.on), (.off, .off), (.blocked, .blocked)])
    func power(state: FakeBlueZ.Power, power: BluetoothFacts.Power) async throws {
        let stage = try await FakeStage(state)
        #expect(await Self.examine(stage.bus.address).adapter?.power == power)
        // Versions that do not tell the state say whether it is on.
        await stage.fake.distort { interface, properties in if interface == "org.bluez.Adapter1" { properties["PowerState"] = nil } }
        #expect(await Self.examine(stage.bus.address).adapter?.power == (state == .on ? .on : .off))
        await stage.fake.distort { interface, properties in
            if interface == "org.bluez.Adapter1" { properties["PowerState"] = .string("on-disabling") }
        }
        #expect(await Self.examine(stage.bus.address).adapter?.power == .changing)
    }

    @Test("The adapter that is asked for, or none, beside others")
    func choice() async throws {
        let stage = try await FakeStage()
        var second = FakeBlueZ.AdapterSettings(.on, name: "hci1")
        second.address = BluetoothAddress(value: 0x00AA_0101_0001)
        second.roles = []
        await stage.fake.addAdapter(second)
        let named = await Self.examine(stage.bus.address, adapter: .name("hci1"))
        #expect(named.chosen == nil && named.usable.isEmpty)
        #expect(named.adapters.map(\.isWanted) == [false, true] && named.adapters.map(\.isLowEnergy) == [true, false])
        let missing = await Self.examine(stage.bus.address, adapter: .name("hci10"))
        #expect(missing.chosen == nil && missing.adapters.map(\.isWanted) == [false, false])
        let addressed = await Self.examine(stage.bus.address, adapter: .address(BluetoothAddress(value: 0x00AA_0101_0000)))
        #expect(addressed.chosen == "hci0" && addressed.usable == ["hci0"])
        second.roles = ["central"]
        await stage.fake.addAdapter(second)
        #expect(await Self.examine(stage.bus.address).usable == ["hci0", "hci1"])
        await stage.fake.setPower(.off)
        #expect(await Self.examine(stage.bus.address).usable == ["hci1"])
    }

    @Test("What older versions lack, and wrong types, show")
    func old() async throws {
        let stage = try await FakeStage()
        await stage.fake.distort { interface, properties in
            guard interface == "org.bluez.Adapter1" else { return }
            properties["Roles"] = nil
            properties["Address"] = .uint32(1)
        }
        let adapter = try #require(await Self.examine(stage.bus.address).adapter)
        #expect(!adapter.tellsRoles && adapter.hasGATT && adapter.isLowEnergy && adapter.address.isEmpty)
        let objects: DBusValue = .dictionary(
            key: "o",
            value: "a{sa{sv}}",
            [.objectPath("/org/bluez/hci0"): .dictionary(key: "s", value: "a{sv}", [.string("org.bluez.Adapter1"): .properties([:])])]
        )
        await stage.fake.trouble(with: "ObjectManager.GetManagedObjects", .answer([objects]))
        #expect(await Self.examine(stage.bus.address).adapter?.hasGATT == false)
    }

    @Test("Adapters that come late are waited for if the kernel has one")
    func late() async throws {
        let stage = try await FakeStage(nil)
        #expect(await Self.examine(stage.bus.address).adapters.isEmpty)
        #expect(await stage.fake.calls.count == 1)
        async let facts = Self.examine(stage.bus.address, expectsAdapter: true)
        await stage.fake.wait { $0.calls.count > 1 }
        await stage.fake.addAdapter()
        #expect(await facts.chosen == "hci0")
    }

    @Test("Not for ever")
    func never() async throws {
        let stage = try await FakeStage(nil)
        let facts = await Self.examine(stage.bus.address, expectsAdapter: true, adapters: .milliseconds(10))
        #expect(facts.service == nil && facts.adapters.isEmpty)
    }

    @Test("Links and discoveries of others")
    func others() async throws {
        let stage = try await FakeStage()
        let client = await stage.connectedClient()
        await client.call(FakeStage.adapter, "Adapter1.StartDiscovery")
        let facts = await Self.examine(stage.bus.address)
        #expect(facts.links == [BluetoothFacts.Link(address: stage.button.address, adapter: "hci0")])
        #expect(facts.adapter?.isDiscovering == true)
    }
}
