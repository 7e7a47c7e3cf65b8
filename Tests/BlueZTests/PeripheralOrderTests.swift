import DBus
import EventLoops
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("In what order bluetoothd is told", .timeLimit(.minutes(1)), .virtualTime)
struct PeripheralOrderTests {
    private static let register = "LEAdvertisingManager1.RegisterAdvertisement \(FakeStage.adapter)"
    private static let unregister = "LEAdvertisingManager1.UnregisterAdvertisement \(FakeStage.adapter)"

    private let stage: FakeStage
    private let peripheral: BlueZPeripheral
    private let states = FakeTranscript()

    init() async throws {
        stage = try await FakeStage()
        peripheral = BlueZPeripheral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("peripheral")))
        await peripheral.start { [states] event in
            if case .state(let state) = event { states.note("\(state)") }
        }
        await states.wait(for: "poweredOn")
    }

    private func trouble(_ trouble: FakeBlueZ.Trouble) async {
        await stage.fake.trouble(with: "LEAdvertisingManager1.UnregisterAdvertisement", times: 1, trouble)
    }

    @Test("An advertisement that takes the place of another waits until bluetoothd has dropped that")
    func replacement() async throws {
        await trouble(.late(.milliseconds(50)))
        try await peripheral.stopAdvertising(peripheral.advertise())
        _ = try await peripheral.advertise()
        let journal = await stage.fake.journal.filter { $0.hasSuffix(Self.register) || $0.hasSuffix(Self.unregister) }
        #expect(
            journal == [
                "call \(Self.register)", "reply \(Self.register)", "call \(Self.unregister)", "reply \(Self.unregister)", "call \(Self.register)",
                "reply \(Self.register)",
            ]
        )
    }

    @Test("It does not wait for ever when bluetoothd refuses to drop it")
    func refusal() async throws {
        await trouble(.error(DBusError(name: "org.bluez.Error.Failed", message: "no")))
        try await peripheral.stopAdvertising(peripheral.advertise())
        _ = try await peripheral.advertise()
    }

    @Test("bluetoothd dies before it has dropped it: the waiting one fails, and the next bluetoothd gets those that come after")
    func restart() async throws {
        await trouble(.silence)
        try await peripheral.stopAdvertising(peripheral.advertise())
        let second = Task(executorPreference: VirtualTime.clock) { [peripheral] in try await peripheral.advertise() }
        await stage.fake.wait { $0.calls.last == Self.unregister }
        _ = states.take()
        await stage.fake.crash()
        await #expect(throws: PeripheralError.self) { _ = try await second.value }
        try await stage.fake.start()
        await states.wait(for: "poweredOn")
        _ = try await peripheral.advertise()
    }

    /// An advertisement has been stopped while the adapter was off.
    private func stopWhileOff() async throws {
        let id = try await peripheral.advertise()
        await stage.fake.setPower(.off)
        await states.wait(for: "poweredOff")
        await peripheral.stopAdvertising(id)
        await peripheral.flush()
        #expect(await stage.fake.calls.filter { $0 == Self.unregister } == [])
        _ = states.take()
    }

    @Test(
        "An advertisement that is stopped while the adapter is off is dropped when it is on, which Linux refuses before; the next one waits for that"
    )
    func off() async throws {
        try await stopWhileOff()
        await stage.fake.setPower(.on)
        await states.wait(for: "poweredOn")
        _ = try await peripheral.advertise()
        #expect(await stage.fake.calls.filter { [Self.register, Self.unregister].contains($0) } == [Self.register, Self.unregister, Self.register])
    }

    @Test("Nothing is left to drop, or waited for, when bluetoothd or the adapter goes meanwhile", arguments: [true, false])
    func goneWhileOff(isCrash: Bool) async throws {
        try await stopWhileOff()
        if isCrash {
            await stage.fake.crash()
            try await stage.fake.start()
            await states.wait(for: "poweredOff")
            await stage.fake.setPower(.on)
        } else {
            await stage.fake.removeAdapter()
            await states.wait(for: "\(CentralState.unsupported(.missing))")
            await stage.fake.addAdapter()
        }
        await states.wait(for: "poweredOn")
        _ = try await peripheral.advertise()
    }
}

extension BlueZPeripheral {
    /// bluetoothd has got what was sent so far.
    fileprivate func flush() async {
        await withCheckedContinuation { continuation in flushUpdates { continuation.resume() } }
    }

    /// Advertises, and waits until bluetoothd has taken it.
    fileprivate func advertise() async throws -> AdvertisementID {
        var id: AdvertisementID?
        let error = await withCheckedContinuation { continuation in
            id = advertise(LocalAdvertisement()) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
        return try #require(id)
    }
}
