import DBus
import EventLoops
import GATT
import Testing

@testable import BlueZ
@testable import FlicSimulator

@Suite("Fake org.bluez: centrals, and what programs register", .timeLimit(.minutes(1)), .virtualTime)
struct FakeCentralTests {
    private let stage: FakeStage
    private let program: PeripheralProgram
    private var fake: FakeBlueZ { stage.fake }

    init() async throws {
        stage = try await FakeStage()
        program = await PeripheralProgram(stage)
    }

    private static let (one, two, three) = (PeripheralProgram.uuid(1), PeripheralProgram.uuid(2), PeripheralProgram.uuid(3))
    private static let description = BluetoothUUID(assigned: 0x2901)
    private static let long = (0..<50).map { UInt8($0) }

    @Test("A link is a device that is connected; a second one is the same device")
    func link() async throws {
        let phone = await fake.addCentral(BluetoothAddress(kind: .random, value: 0xA))
        #expect(await !phone.isConnected)
        #expect(await phone.connect())
        await program.transcript.wait(for: "connected A")
        await phone.disconnect()
        await program.transcript.wait(for: "disconnected A")
        #expect(await phone.connect())
        #expect(await phone.connect())
        #expect(await program.told() == ["connected A", "disconnected A", "connected A"])
        await fake.setPower(.off)
        #expect(await !phone.isConnected)
        #expect(await !phone.connect())
        #expect(await program.told() == ["disconnected A"])
    }

    @Test("The program can end the link")
    func hangUp() async throws {
        let phone = await fake.phone(0xA)
        await program.transcript.wait(for: "connected A")
        await program.peripheral?.disconnect(phone.address)
        await program.transcript.wait(for: "disconnected A")
        #expect(await !phone.isConnected)
    }

    @Test("It finds what has been registered, and nothing of what has been withdrawn")
    func discovery() async throws {
        let phone = await fake.phone(0xA)
        #expect(await phone.services == [])
        await #expect(throws: FakeCentral.Failure.noSuchAttribute(Self.one)) { try await phone.read(Self.one) }
        let id = try await program.publish(PeripheralProgram.characteristic(1, [.read, .indicate]))
        #expect(await phone.services == [PeripheralProgram.service])
        #expect(try await phone.flags(of: Self.one) == ["read", "indicate"])
        await program.unpublish(id)
        await program.settle()
        #expect(await phone.services == [])
        await phone.disconnect()
        await #expect(throws: FakeCentral.Failure.notConnected) { try await phone.read(Self.one) }
    }

    @Test("A program that has no use for its peripheral any more takes all back")
    func leaving() async throws {
        let phone = await fake.phone(0xA)
        try await program.publish(PeripheralProgram.characteristic(1, [.notify]))
        try await program.advertise()
        try await phone.subscribe(to: Self.one)
        #expect(await fake.advertisements == [LocalAdvertisement()])
        await program.drop()
        await fake.wait { $0.advertisements.isEmpty && $0.applications.isEmpty }
        #expect(await phone.services == [])
    }

    @Test("An adapter that is unplugged takes all with it; a new one gets it anew")
    func unplugging() async throws {
        let phone = await fake.phone(0xA)
        try await program.publish(PeripheralProgram.characteristic(1, [.notify]))
        try await program.advertise()
        await fake.removeAdapter()
        #expect(await fake.advertisements.isEmpty)
        #expect(await fake.journal.contains { $0.hasPrefix("ask LEAdvertisement1.Release ") })
        await program.transcript.wait(for: "disconnected A")
        #expect(await !phone.connect())
        await fake.addAdapter()
        await fake.wait { $0.advertisements == [LocalAdvertisement()] }
        #expect(await phone.connect())
        #expect(await phone.services == [PeripheralProgram.service])
    }

    @Test("It reads in steps of what fits into a packet, characteristics and descriptors")
    func reading() async throws {
        let phone = await fake.phone(0xA, mtu: 23)
        try await program.publish(
            PeripheralProgram.characteristic(1, [.read], value: Self.long, descriptors: [(Self.description, Array(Self.long.prefix(44)))])
        )
        let before = await fake.journal.count
        #expect(try await phone.read(Self.one) == Self.long)
        #expect(try await phone.read(Self.description, of: Self.one) == Array(Self.long.prefix(44)))
        #expect(try await phone.read(Self.one, from: 44) == Array(Self.long.suffix(6)))
        let (char, desc) = ("ReadValue char0000", "ReadValue desc0000")
        #expect(await fake.asked(since: before) == [char, char, char, desc, desc, desc, char])
    }

    @Test("What is too long for a packet is written as one; without response it must fit into one")
    func writing() async throws {
        let phone = await fake.phone(0xA, mtu: 23)
        try await program.publish(
            PeripheralProgram.characteristic(1, [.write]),
            PeripheralProgram.characteristic(2, [.write, .writeWithoutResponse])
        )
        try await phone.write(Self.long, to: Self.one)
        #expect(await program.told().last == "write 1@0 \(Self.long) A")
        await #expect(throws: FakeCentral.Failure.tooLong) { try await phone.write(Self.long, to: Self.two, withResponse: false) }
        await program.setAnswer(.failure(.writeNotPermitted), to: 1)
        await program.setAnswer(.failure(.writeNotPermitted), to: 2)
        await #expect(throws: FakeCentral.Failure.refused(0x03)) { try await phone.write([1], to: Self.one) }
        // bluetoothd answers for the program where a write without response is allowed, too.
        try await phone.write([1], to: Self.two)
        try await phone.write([2], to: Self.two, withResponse: false)
        #expect(await program.told() == ["write 1@0 [1] A", "write 2@0 [1] A", "write 2@0 [2] A"])
    }

    @Test("What is not allowed, and what needs a bond, the program is not asked for")
    func permissions() async throws {
        let phone = await fake.phone(0xA)
        try await program.publish(
            PeripheralProgram.characteristic(1, [.write]),
            PeripheralProgram.characteristic(2, [.read]),
            PeripheralProgram.characteristic(3, [.encryptRead, .encryptWrite, .encryptNotify])
        )
        let failure = FakeCentral.Failure.refused
        await #expect(throws: failure(0x02)) { try await phone.read(Self.one) }
        await #expect(throws: failure(0x03)) { try await phone.write([1], to: Self.two) }
        await #expect(throws: FakeCentral.Failure.noSuchAttribute(BluetoothUUID(assigned: 0x2902))) { try await phone.subscribe(to: Self.one) }
        await #expect(throws: failure(0x0F)) { try await phone.read(Self.three) }
        await #expect(throws: failure(0x0F)) { try await phone.write([1], to: Self.three) }
        await #expect(throws: failure(0x0F)) { try await phone.subscribe(to: Self.three) }
        #expect(await program.told() == ["connected A"])
        await phone.bond()
        try await phone.write([1], to: Self.three)
        try await phone.subscribe(to: Self.three)
        #expect(await program.told() == ["write 3@0 [1] A", "subscribed 3 A 185"])
        await #expect(throws: failure(0xFD)) { try await phone.subscribe(to: Self.three, indications: true) }
    }

    @Test("A program that does not answer: bluetoothd does, after 5 s")
    func silence() async throws {
        let connection = DBusConnection(stage.bus.address, loop: VirtualTime.makeLoop("silent"))
        let server = ObjectServer(connection, root: "/silent")
        let service = ObjectServer.Interface(
            name: "org.bluez.GattService1",
            properties: ["UUID": .string(PeripheralProgram.service.description), "Primary": .boolean(true)]
        )
        let characteristic = ObjectServer.Interface(
            name: "org.bluez.GattCharacteristic1",
            properties: [
                "UUID": .string(Self.one.description), "Service": .objectPath("/silent/service0"), "Flags": .strings(["read", "notify"]),
                "NotifyAcquired": .boolean(false),
            ],
            methods: ["ReadValue": { _ in }, "AcquireNotify": { $0.fail(DBusError(name: "org.bluez.Error.Failed")) }]
        )
        await connection.open { _ in }
        await server.add([service], at: "/silent/service0")
        await server.add([characteristic], at: "/silent/service0/char0")
        await server.start()
        let arguments: [DBusValue] = [.objectPath("/silent"), .properties([:])]
        _ = try await connection.call(
            MethodCall(to: "org.bluez", at: FakeStage.adapter, "org.bluez.GattManager1", "RegisterApplication", arguments)
        )
        let phone = await fake.phone(0xA)
        let start = stage.now
        await #expect(throws: FakeCentral.Failure.refused(0x0E)) { try await phone.read(Self.one) }
        #expect(stage.now - start == .seconds(5))
        // One that refuses in the wrong way is never asked to start.
        let before = await fake.journal.count
        try await phone.subscribe(to: Self.one)
        #expect(await fake.asked(since: before) == ["AcquireNotify char0"])
        await connection.close()
        await fake.wait { $0.applications.isEmpty }
        #expect(await phone.services == [])
    }

    @Test("The program is asked for each who subscribes, and told of the last one only who does not any more")
    func subscriptions() async throws {
        try await program.publish(PeripheralProgram.characteristic(1, [.notify]))
        let (first, second) = (await fake.phone(0xA), await fake.phone(0xB))
        let before = await fake.journal.count
        try await first.subscribe(to: Self.one)
        try await first.subscribe(to: Self.one)
        try await second.subscribe(to: Self.one)
        let (acquire, start, stop) = ("AcquireNotify char0000", "StartNotify char0000", "StopNotify char0000")
        #expect(await fake.asked(since: before) == [acquire, start, acquire, start])
        await program.update([1], of: 1)
        #expect(await first.values(of: Self.one, count: 1) == [[1]])
        #expect(await second.values(of: Self.one, count: 1) == [[1]])
        try await first.unsubscribe(from: Self.one)
        #expect(await fake.asked(since: before) == [acquire, start, acquire, start])
        await program.update([2], of: 1)
        #expect(await second.values(of: Self.one, count: 2) == [[1], [2]])
        #expect(await first.values(of: Self.one) == [[1]])
        await second.disconnect()
        await program.transcript.wait(for: "nobody 1")
        #expect(await fake.asked(since: before) == [acquire, start, acquire, start, stop])
    }

    @Test("Values are cut to what fits into a packet")
    func cut() async throws {
        try await program.publish(PeripheralProgram.characteristic(1, [.notify]))
        let phone = await fake.phone(0xA, mtu: 23)
        try await phone.subscribe(to: Self.one)
        await program.update(Self.long, of: 1)
        #expect(await phone.values(of: Self.one, count: 1) == [Array(Self.long.prefix(20))])
    }

    @Test("Indications are acknowledged one by one; who acknowledges none loses its link")
    func indications() async throws {
        try await program.publish(PeripheralProgram.characteristic(1, [.notify, .indicate]))
        let phone = await fake.phone(0xA)
        try await phone.subscribe(to: Self.one, indications: true)
        let before = await fake.journal.count
        await program.update([1], of: 1)
        await program.update([2], of: 1)
        #expect(await phone.values(of: Self.one, count: 2) == [[1], [2]])
        await program.settle()
        #expect(await fake.asked(since: before) == ["Confirm char0000", "Confirm char0000"])
        await phone.setConfirms(false)
        await program.update([3], of: 1)
        await program.update([4], of: 1)
        await program.transcript.wait(for: "disconnected A")
        #expect(await phone.values(of: Self.one) == [[1], [2], [3]])
        #expect(stage.now >= .seconds(30))
    }

    @Test("The subscriptions of a bonded central outlast its links, without a word to the program")
    func bonded() async throws {
        try await program.publish(PeripheralProgram.characteristic(1, [.notify]))
        let phone = await fake.phone(0xA, isBonded: true)
        try await phone.subscribe(to: Self.one)
        let before = await fake.journal.count
        await phone.disconnect()
        await phone.connect()
        await program.update([1], of: 1)
        #expect(await phone.values(of: Self.one, count: 1) == [[1]])
        #expect(await fake.asked(since: before) == [])
        await phone.unbond()
        await phone.disconnect()
        await program.transcript.wait(for: "nobody 1")
    }

    @Test("What bluetoothd makes of applications that make no sense")
    func applications() async throws {
        let client = await stage.client()
        let manager = "GattManager1"
        let arguments: [DBusValue] = [.objectPath("/none"), .properties([:])]
        await client.call(FakeStage.adapter, "\(manager).RegisterApplication", arguments)
        await client.call(FakeStage.adapter, "\(manager).RegisterApplication", [.string("/none")])
        await client.call(FakeStage.adapter, "\(manager).UnregisterApplication", [.objectPath("/none")])
        #expect(
            client.transcript.lines == [
                "RegisterApplication org.bluez.Error.Failed: No object received",
                "RegisterApplication org.bluez.Error.InvalidArguments: Invalid arguments in method call",
                "UnregisterApplication org.bluez.Error.DoesNotExist: Does Not Exist",
            ]
        )
    }

    @Test("Five advertisements at once, and none where nothing is switched on")
    func advertisements() async throws {
        let client = await stage.client()
        let manager = "LEAdvertisingManager1"
        for number in 0..<6 {
            await client.call(FakeStage.adapter, "\(manager).RegisterAdvertisement", [.objectPath("/ad\(number)"), .properties([:])])
        }
        await client.call(FakeStage.adapter, "\(manager).RegisterAdvertisement", [.objectPath("/ad0"), .properties([:])])
        await client.call(FakeStage.adapter, "\(manager).UnregisterAdvertisement", [.objectPath("/ad0")])
        await client.call(FakeStage.adapter, "\(manager).UnregisterAdvertisement", [.objectPath("/ad0")])
        #expect(
            client.transcript.take().filter { $0.contains("Advertisement") }.suffix(4) == [
                "RegisterAdvertisement org.bluez.Error.NotPermitted: Maximum advertisements reached",
                "RegisterAdvertisement org.bluez.Error.AlreadyExists: Already Exists", "UnregisterAdvertisement ok",
                "UnregisterAdvertisement org.bluez.Error.DoesNotExist: Does Not Exist",
            ]
        )
        #expect(await fake.advertisements.count == 4)
        await fake.setPower(.off)
        await client.call(FakeStage.adapter, "\(manager).RegisterAdvertisement", [.objectPath("/ad0"), .properties([:])])
        #expect(client.transcript.lines.last == "RegisterAdvertisement org.bluez.Error.Failed: Failed to register advertisement")
        await client.close()
        await fake.wait { $0.advertisements.isEmpty }
    }
}
