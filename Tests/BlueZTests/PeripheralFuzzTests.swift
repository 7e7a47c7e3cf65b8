import DBus
import EventLoops
import FlicSimulator
import GATT
import Testing

@testable import BlueZ
@testable import FlicSimulator

/// Whoever owns org.bluez, or pretends to, calls the objects that a peripheral has put on the bus.
@Suite("Calls of a peripheral's objects", .timeLimit(.minutes(3)), .virtualTime)
struct PeripheralFuzzTests {
    private static let length = 50
    private static let description = BluetoothUUID(assigned: 0x2901)
    private static let readValue = "ReadValue"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    private let stage: FakeStage
    private let program: PeripheralProgram
    private let publication: PublicationID
    private let phone: FakeCentral
    private var fake: FakeBlueZ { stage.fake }

    init() async throws {
        stage = try await FakeStage()
        program = await PeripheralProgram(stage)
        let value = [UInt8](repeating: 9, count: Self.length)
        publication = try await program.publish(
            PeripheralProgram.characteristic(1, [.read], value: value, descriptors: [(Self.description, value)]),
            PeripheralProgram.characteristic(2, [.read, .write]),
            PeripheralProgram.characteristic(3, [.read, .notify]),
            PeripheralProgram.characteristic(4, [.read, .indicate])
        )
        for number in 2...4 as ClosedRange<UInt64> { await program.setAnswer(.success(value), to: number) }
        try await program.advertise()
        phone = await stage.fake.phone(0xA)
    }

    private func objects(_ root: String) -> [FuzzedCalls.Object] {
        let service = root + "/service0000"
        return [
            FuzzedCalls.Object(path: service, interface: "org.bluez.GattService1"),
            FuzzedCalls.Object(path: service + "/char0000", interface: Self.characteristic, length: Self.length),
            FuzzedCalls.Object(path: service + "/char0000/desc0000", interface: "org.bluez.GattDescriptor1", length: Self.length),
            FuzzedCalls.Object(path: service + "/char0001", interface: Self.characteristic, length: Self.length),
            FuzzedCalls.Object(path: service + "/char0002", interface: Self.characteristic, length: Self.length),
            FuzzedCalls.Object(path: service + "/char0003", interface: Self.characteristic, length: Self.length),
        ]
    }

    private static let seeds = 1...12 as ClosedRange<UInt64>
    private static let callsOfSeed = 400

    @Test("Each call is answered, and each mistake by its name")
    func calls() async throws {
        let root = try #require(await fake.applications.keys.first)
        let devices = [phone.device, FakeStage.adapter + "/dev_00_00_00_00_00_0C"]
        var outcomes: [String: Int] = [:]
        for seed in Self.seeds {
            var calls = FuzzedCalls(seed: seed, roots: [root.path], objects: objects(root.path), devices: devices)
            for number in 0..<Self.callsOfSeed {
                let call = calls.next()
                let result = await fake.call(root.client, call, wantsReply: number % 10 != 0)
                guard let result else { continue }
                let outcome = result.failure?.name ?? "ok"
                outcomes[outcome, default: 0] += 1
                #expect(
                    call.right.contains(outcome),
                    "seed \(seed), call \(number): \(call.path) \(call.interface).\(call.member)(\(call.arguments)): \(result)"
                )
            }
        }
        // It has seen them all.
        let names = ["InvalidOffset", "InvalidValueLength", "NotSupported"].map { "org.bluez.Error." + $0 }
        let standard = [DBusError.invalidArguments, DBusError.unknownMethod, DBusError.unknownInterface, DBusError.unknownObject]
        for name in ["ok"] + names + standard { #expect(outcomes[name, default: 0] > 10, "\(name)") }
        // And it is as good as new.
        _ = await program.told()
        #expect(try await phone.read(PeripheralProgram.uuid(2)).count == Self.length)
        try await phone.subscribe(to: PeripheralProgram.uuid(3))
        await program.update([1], of: 3)
        #expect(await phone.values(of: PeripheralProgram.uuid(3), count: 1) == [[1]])
        let peripheral = try #require(await program.peripheral)
        #expect(await peripheral.requests.isEmpty)
        #expect(await peripheral.longReads.count <= LongReads.limit)
    }

    @Test("An advertisement is asked for nothing but its properties and its release")
    func advertisement() async throws {
        let object = try #require(await fake.advertised.keys.first)
        let advertisement = "org.bluez.LEAdvertisement1"
        func outcome(_ member: String, _ arguments: [DBusValue] = [], interface: String = advertisement) async -> String? {
            let call = FuzzedCalls.Call(path: object.path, interface: interface, member: member, arguments: arguments, right: [])
            return await fake.call(object.client, call)?.failure?.name
        }
        #expect(await outcome("Other") == DBusError.unknownMethod)
        #expect(await outcome("Release", [.byte(1)]) == DBusError.invalidArguments)
        #expect(await outcome(Self.readValue, [.properties([:])], interface: Self.characteristic) == DBusError.unknownInterface)
        #expect(await outcome("Release") == nil)
        // Nothing is there any more, until it is registered anew.
        #expect(await outcome("Release") == DBusError.unknownObject)
    }

    @Test("Only bluetoothd may call; who else is on the bus may look")
    func strangers() async throws {
        let root = try #require(await fake.applications.keys.first)
        let client = await stage.client()
        let options: DBusValue = .properties(["device": .objectPath(phone.device)])
        let path = root.path + "/service0000/char0001"
        for (member, arguments) in [
            (Self.readValue, [options]), ("WriteValue", [.bytes([1]), options]), ("AcquireNotify", [options]), ("StopNotify", []),
        ] {
            await client.call(path, "GattCharacteristic1.\(member)", arguments, to: root.client)
        }
        await client.call(root.path + "/service0000/char0000/desc0000", "GattDescriptor1.ReadValue", [options], to: root.client)
        let advertisement = try #require(await fake.advertised.keys.first)
        await client.call(advertisement.path, "LEAdvertisement1.Release", to: root.client)
        #expect(client.transcript.lines.count == 6)
        for line in client.transcript.take() { #expect(line.contains(DBusError.accessDenied)) }
        await client.call(root.path, "ObjectManager.GetManagedObjects", to: root.client)
        #expect(client.transcript.take() == ["GetManagedObjects ok"])
        #expect(await program.told() == ["connected A"])
    }

    @Test("Calls that are under way while the services are taken back are all answered")
    func unpublishing() async throws {
        let root = try #require(await fake.applications.keys.first)
        await program.setMute(true)
        let options: DBusValue = .properties(["device": .objectPath(phone.device), "mtu": .uint16(23)])
        let call = FuzzedCalls.Call(
            path: root.path + "/service0000/char0001",
            interface: Self.characteristic,
            member: Self.readValue,
            arguments: [options],
            right: []
        )
        let start = stage.now
        let outcomes = await withTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask(executorPreference: VirtualTime.clock) { [fake, program, publication] in
                    if number == 60 { await program.unpublish(publication) }
                    return await fake.call(root.client, call)?.failure?.name ?? "ok"
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes.values.reduce(0, +) == 100)
        #expect(Set(outcomes.keys).isSubset(of: ["org.bluez.Error.Failed", DBusError.unknownObject]), "\(outcomes)")
        #expect(stage.now == start)
    }

    @Test("More requests than a program can have open at a time do not reach it, and all others end when their time is over")
    func flood() async throws {
        let root = try #require(await fake.applications.keys.first)
        await program.setMute(true)
        let options: DBusValue = .properties(["device": .objectPath(phone.device)])
        let call = FuzzedCalls.Call(
            path: root.path + "/service0000/char0001",
            interface: Self.characteristic,
            member: "WriteValue",
            arguments: [.bytes([1]), options],
            right: []
        )
        // The bus itself allows 128 replies to be owed; writes without response owe none.
        for _ in 0..<1100 { _ = await fake.call(root.client, call, wantsReply: false) }
        _ = await fake.call(root.client, call)
        #expect(await program.open.count == 1024)
        await stage.pass(.seconds(5))
        #expect(await program.told().count { $0 == "expired" } == 1024)
    }
}

extension FakeBlueZ {
    /// Calls an object of a program as the daemon.
    ///
    /// - Returns: Nil if no reply is wanted.
    fileprivate func call(_ client: String, _ call: FuzzedCalls.Call, wantsReply: Bool = true) async -> Result<[DBusValue], DBusError>? {
        let object = RegisteredObject(adapter: "", client: client, path: call.path)
        guard wantsReply else {
            ask(object, call.interface, call.member, call.arguments)
            return nil
        }
        return await withCheckedContinuation { continuation in
            ask(object, call.interface, call.member, call.arguments) { continuation.resume(returning: $1) }
        }
    }
}
