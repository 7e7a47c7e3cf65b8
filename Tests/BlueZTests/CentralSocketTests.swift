import DBus
import EventLoops
import FlicSimulator
import Glibc
import Testing

@testable import BlueZ

@Suite("Values by sockets (AcquireNotify, AcquireWrite)", .timeLimit(.minutes(1)), .virtualTime)
struct CentralSocketTests {
    private let stage: FakeStage
    private let user: FakeLinkUser
    private var toButton: String { stage.device + "/service0010/char0011" }
    private var fromButton: String { stage.device + "/service0010/char0013" }

    init() async throws {
        stage = try await FakeStage()
        user = FakeLinkUser(stage, transfer: .sockets)
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await user.start()
    }

    private func open() async {
        _ = user.transcript.take()
        await user.open()
        await user.transcript.wait { $0.contains { $0.hasPrefix("ready") || $0.hasPrefix("closed") } }
    }

    /// Calls about the characteristics.
    private var calls: [String] {
        get async { await stage.fake.calls.filter { $0.hasPrefix("GattCharacteristic1") } }
    }

    @Test("Values come and go without messages; when the link is closed both sockets are free again")
    func exchange() async throws {
        await open()
        await stage.fake.air.forge([1], from: stage.button.address)
        await user.transcript.wait(for: "value [1]")
        #expect(await Set(calls) == ["GattCharacteristic1.AcquireNotify \(fromButton)", "GattCharacteristic1.AcquireWrite \(toButton)"])
        #expect(await !stage.fake.journal.contains { $0.contains("Value=") })

        await user.close()
        await user.transcript.wait(for: "closed nil")
        #expect(await stage.fake.calls.last == "Device1.Disconnect \(stage.device)")
        await stage.fake.wait { fake in
            ["NotifyAcquired", "WriteAcquired"].allSatisfy { name in fake.journal.last { $0.contains(name) }?.hasSuffix("\(name)=false") == true }
        }
    }

    @Test("Where another program listens already, notifications come by signals, and only those")
    func shared() async throws {
        let other = await stage.connectedClient()
        await other.call("service0010/char0013", "GattCharacteristic1.StartNotify")
        await open()
        #expect(await calls.suffix(2) == ["GattCharacteristic1.AcquireWrite \(toButton)", "GattCharacteristic1.StartNotify \(fromButton)"])
        await stage.fake.air.forge([1], from: stage.button.address)
        await user.transcript.wait(for: "value [1]")
        // The link was there before, and stays.
        await user.close()
        await user.transcript.wait(for: "closed nil")
        #expect(await !stage.fake.calls.contains("Device1.Disconnect \(stage.device)"))
    }

    @Test("While this program has the sockets another gets a clear no, and nothing is disturbed")
    func exclusive() async throws {
        await open()
        let other = await stage.client()
        await other.call("service0010/char0013", "GattCharacteristic1.StartNotify")
        await other.call("service0010/char0013", "GattCharacteristic1.AcquireNotify", [.properties([:])])
        await other.call("service0010/char0011", "GattCharacteristic1.WriteValue", [.bytes([1]), .properties(["type": .string("command")])])
        #expect(
            other.transcript.lines == [
                "StartNotify org.bluez.Error.NotPermitted: Notify acquired", "AcquireNotify org.bluez.Error.NotPermitted: Notify acquired",
                "WriteValue org.bluez.Error.NotPermitted: Write acquired",
            ]
        )
        await stage.fake.air.forge([1], from: stage.button.address)
        await user.transcript.wait(for: "value [1]")
    }

    @Test(
        "A bluetoothd that has no sockets, or answers nonsense: messages are used",
        arguments: [
            .error(DBusError(name: "org.bluez.Error.NotSupported", message: "")),
            .error(DBusError(name: DBusError.unknownMethod, message: "")),
            .answer([]),
            .answer([.uint16(140), .uint16(140)]),
            .answer([.fileDescriptor(DBusFileDescriptor(-1))]),
        ] as [FakeBlueZ.Trouble]
    )
    func without(trouble: FakeBlueZ.Trouble) async throws {
        await stage.fake.trouble(with: "GattCharacteristic1.AcquireNotify", trouble)
        await stage.fake.trouble(with: "GattCharacteristic1.AcquireWrite", trouble)
        await open()
        await user.write([1])
        await stage.fake.air.forge([1], from: stage.button.address)
        await user.transcript.wait(for: "value [1]")
        #expect(await calls.contains("GattCharacteristic1.StartNotify \(fromButton)"))
        #expect(await calls.last == "GattCharacteristic1.WriteValue \(toButton)")
    }

    @Test("The smallest MTU that was told counts, be it of a link or of a socket")
    func mtu() async throws {
        let (near, far) = try #require(PacketSocket.pair())
        let held = DBusFileDescriptor(near)
        await stage.fake.trouble(with: "GattCharacteristic1.AcquireWrite", .answer([.fileDescriptor(DBusFileDescriptor(far)), .uint16(64)]))
        await open()
        #expect(user.transcript.lines.contains("ready 64"))
        withExtendedLifetime(held) {}
    }

    @Test("A socket that ends while the link stays: the link is told as closed, and is as good as new later")
    func socketEnds() async throws {
        let (near, far) = try #require(PacketSocket.pair())
        let answer: [DBusValue] = [.fileDescriptor(DBusFileDescriptor(far)), .uint16(140)]
        await stage.fake.trouble(with: "GattCharacteristic1.AcquireNotify", times: 1, .answer(answer))
        await open()
        #expect(shutdown(near, Int32(SHUT_RDWR)) == 0)
        _ = DBusFileDescriptor(near)  // closes it
        VirtualTime.clock?.noteTraffic()
        await user.transcript.wait(for: "closed failed")
        await stage.fake.wait { [device = stage.device] in $0.journal.contains("signal removed \(device)") }
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await open()
        #expect(user.transcript.lines.contains("ready 140"))
    }

    @Test("bluetoothd dies: told once, as what it is, and all is well with the next")
    func death() async throws {
        await open()
        await stage.fake.crash()
        await user.transcript.wait(for: "closed notPoweredOn")
        try await stage.fake.start()
        await user.transcript.wait { $0.last == "state poweredOn" }
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await open()
        #expect(user.transcript.lines.filter { !$0.hasPrefix("state") } == ["connected", "ready 140"])
    }

    @Test("The loss of the link is told once, as what it is")
    func loss() async throws {
        await open()
        await stage.fake.air.loseLink(to: stage.button.address)
        await user.transcript.wait(for: "closed timeout")
        await stage.fake.wait { $0.journal.last { $0.contains("Connected=false") } != nil }
        for _ in 0..<3 { await user.roundTrip() }
        #expect(user.transcript.lines.count { $0.hasPrefix("closed") } == 1)
    }
}
