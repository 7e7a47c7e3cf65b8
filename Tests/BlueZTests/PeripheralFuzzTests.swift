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

    /// What the program has published.
    private func objects(_ root: String) -> [FuzzedCalls.Object] {
        let service = root + "/service0000"
        let names: Set = ["UUID", "Flags"]
        var objects = [
            FuzzedCalls.Object(path: root, isRoot: true),
            FuzzedCalls.Object(path: service, interface: "org.bluez.GattService1", properties: ["UUID", "Primary"]),
            FuzzedCalls.Object(
                path: service + "/char0000/desc0000",
                interface: "org.bluez.GattDescriptor1",
                properties: names.union(["Characteristic"]),
                length: Self.length
            ),
        ]
        for number in 0...3 {
            objects.append(
                FuzzedCalls.Object(
                    path: service + "/char000\(number)",
                    interface: Self.characteristic,
                    properties: names.union(number < 2 ? ["Service"] : ["Service", "NotifyAcquired"]),
                    length: Self.length
                )
            )
        }
        return objects
    }

    private var devices: [String] { [phone.device, FakeStage.adapter + "/dev_00_00_00_00_00_0C"] }

    /// Makes a call, and notes what came of it.
    private func play(_ call: FuzzedCalls.Call, _ client: String, wantsReply: Bool = true, _ outcomes: inout [String: Int], _ place: String) async {
        guard let result = await fake.call(client, call, wantsReply: wantsReply) else { return }
        let outcome = result.failure?.name ?? "ok"
        outcomes[outcome, default: 0] += 1
        if outcome != DBusError.unknownObject { outcomes["\(call.interface).\(call.member) \(outcome)", default: 0] += 1 }
        #expect(call.right.contains(outcome), "\(place): \(call.path) \(call.interface).\(call.member)(\(call.arguments)): \(result)")
    }

    private static let seeds = 1...24 as ClosedRange<UInt64>
    private static let callsOfSeed = 500

    @Test("Each call is answered, and each mistake by its name: every method of every interface, right and wrong")
    func calls() async throws {
        let root = try #require(await fake.applications.keys.first)
        var outcomes: [String: Int] = [:]
        for seed in Self.seeds {
            var calls = FuzzedCalls(seed: seed, objects: objects(root.path), devices: devices)
            for number in 0..<Self.callsOfSeed {
                await play(calls.next(), root.client, wantsReply: number % 10 != 0, &outcomes, "seed \(seed), call \(number)")
            }
        }
        // It has seen them all.
        let names = ["InvalidOffset", "InvalidValueLength", "NotSupported"].map { "org.bluez.Error." + $0 }
        let standard = [DBusError.invalidArguments, DBusError.unknownMethod, DBusError.unknownInterface, DBusError.unknownObject]
        let properties = [DBusError.unknownProperty, DBusError.propertyReadOnly]
        for name in ["ok"] + names + standard + properties { #expect(outcomes[name, default: 0] > 10, "\(name)") }
        for (interface, methods) in FuzzedCalls.signatures where interface != Self.advertisement {
            for (method, signature) in methods {
                let call = "\(interface).\(method)"
                let best = ["AcquireNotify": "org.bluez.Error.NotSupported", "Set": DBusError.propertyReadOnly][method] ?? "ok"
                #expect(outcomes["\(call) \(best)", default: 0] > 10, "\(call)")
                // A method of no arguments of the standard interfaces has none that could be wrong.
                guard signature != "" || interface == Self.characteristic else { continue }
                #expect(outcomes["\(call) \(DBusError.invalidArguments)", default: 0] > 10, "\(call)")
            }
        }
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

    private static let advertisement = "org.bluez.LEAdvertisement1"

    @Test("So is an advertisement, which after each release that makes sense is another object")
    func advertisements() async throws {
        var outcomes: [String: Int] = [:]
        var releases = 0
        for seed in 1...4 as ClosedRange<UInt64> {
            var number = 0
            while number < Self.callsOfSeed {
                // Registered anew 5 s after the release.
                await fake.wait { $0.advertised.values.contains { $0.content != nil } }
                let object = try #require(await fake.advertised.keys.first)
                let its = FuzzedCalls.Object(
                    path: object.path,
                    interface: Self.advertisement,
                    properties: ["Type", "Discoverable"],
                    isRoot: true
                )
                var calls = FuzzedCalls(seed: seed << 32 + UInt64(number), objects: [its], devices: devices)
                var isThere = true
                while isThere, number < Self.callsOfSeed {
                    number += 1
                    let call = calls.next()
                    await play(call, object.client, wantsReply: number % 10 != 0, &outcomes, "seed \(seed), call \(number)")
                    isThere = call.member != "Release" || call.right != FuzzedCalls.ok
                }
                guard !isThere else { continue }
                releases += 1
                let late = FuzzedCalls.Call(
                    path: object.path,
                    interface: Self.advertisement,
                    member: "Release",
                    arguments: [],
                    right: [DBusError.unknownObject]
                )
                await play(late, object.client, &outcomes, "after release \(releases)")
                await fake.forget(object)
            }
        }
        #expect(releases > 50)
        for name in ["ok", DBusError.invalidArguments, DBusError.unknownMethod, DBusError.unknownInterface, DBusError.unknownObject] {
            #expect(outcomes[name, default: 0] > 10, "\(name)")
        }
        for wrong in ["ok", DBusError.invalidArguments] { #expect(outcomes["\(Self.advertisement).Release \(wrong)", default: 0] > 10, "\(wrong)") }
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

    /// The advertisement is not registered any more.
    fileprivate func forget(_ object: RegisteredObject) { advertised[object] = nil }
}
