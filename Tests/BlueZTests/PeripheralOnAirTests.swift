import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Testing

@Suite("A simulated button on a real radio")
struct PeripheralOnAirTests {
    private static let adapter = BluetoothAddress(value: 0x00AA_0101_0001)
    private static let service = BluetoothUUID("00420000-8f59-4420-870d-84f3b617e493")

    private struct Stage {
        let loop: VirtualLoop
        let radio: PeripheralLoopback
        let onAir: ButtonOnAir
        let button: SimulatedButton
    }

    private static func run(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
        let loop = VirtualLoop()
        try await loop.run {
            let radio = PeripheralLoopback(loop: loop)
            await radio.powerOn(as: adapter)
            let onAir = ButtonOnAir(peripheral: radio)
            let button = try await onAir.start(seed: 1)
            try await body(Stage(loop: loop, radio: radio, onAir: onAir, button: button))
        }
    }

    private static func failure(_ onAir: ButtonOnAir) async -> PeripheralError? {
        do throws(PeripheralError) {
            _ = try await onAir.start(seed: 1)
            return nil
        } catch {
            return error
        }
    }

    @Test("It has the adapter's address and the service of a Flic, and is silent at first")
    func atFirst() async throws {
        try await Self.run { stage in
            #expect(stage.button.address == Self.adapter)
            let published = await stage.radio.published
            #expect(published.map(\.uuid) == [Self.service])
            #expect(published.first?.characteristics.map(\.flags) == [[.writeWithoutResponse], [.notify]])
            #expect(await stage.radio.onAir.isEmpty)
        }
    }

    @Test("After a press it says nothing of itself; in public mode it tells what it is; then it falls silent")
    func advertising() async throws {
        try await Self.run { stage in
            await stage.button.click()
            var flagsOnly = LocalAdvertisement()
            flagsOnly.interval = .milliseconds(100) ... .milliseconds(100)
            #expect(await stage.radio.advertisement == flagsOnly)
            await stage.button.enterPublicMode()
            let advertisement = try #require(await stage.radio.advertisement)
            #expect(advertisement.services == [Self.service])
            #expect(advertisement.name == "F210AQAB")
            #expect(advertisement.manufacturerData == [0x030F: [1, 0x01, 0xAA, 0x00, 0]])
            #expect(advertisement.isConnectable)
            await stage.loop.pause(for: .seconds(31))
            #expect(await stage.radio.advertisement == flagsOnly)
            await stage.loop.pause(for: .seconds(31))
            #expect(await stage.radio.onAir.isEmpty)
        }
    }

    @Test("An app pairs with it, hears its clicks, and finds it again after it has gone")
    func pairing() async throws {
        try await Self.run { stage in
            let store = MemoryStore()
            let flic = Flic(FlicConfiguration(central: stage.radio, store: store, trustingTestRoot: TestRoot.publicKey))
            await flic.start()
            await stage.button.enterPublicMode()
            let paired = try await flic.pair()
            #expect(await stage.button.isConnected)
            #expect(await stage.button.pairingCount == 1)
            let taken = try #require(await stage.radio.advertisement)
            #expect(taken.isConnectable && taken.manufacturerData[0x030F]?.last == 0b10)
            var events = paired.pressEvents().makeAsyncIterator()
            await stage.button.click()
            #expect(await events.next()?.kind == .down)
            #expect(await events.next()?.kind == .up)
            await stage.button.reboot()
            await stage.loop.pause(for: .seconds(1))
            #expect(await !stage.button.isConnected)
            #expect(await stage.radio.disconnected == [PeripheralLoopback.central.address])
            await stage.button.click()
            await stage.loop.pause(for: .seconds(1))
            #expect(await stage.button.sessionCount == 1)
            #expect(await stage.radio.onAir.isEmpty)
        }
    }

    @Test("Only one host at a time; others are sent away, and what they write is nothing to the button")
    func oneHost() async throws {
        try await Self.run { stage in
            let characteristic = try #require(await stage.radio.published.first?.characteristics.last?.id)
            let writable = try #require(await stage.radio.published.first?.characteristics.first?.id)
            let others = RemoteCentral(address: BluetoothAddress(value: 0xC1), mtu: 23)
            await stage.radio.tell(.subscribed(characteristic, PeripheralLoopback.central))
            await stage.radio.tell(.subscribed(characteristic, others))
            #expect(await stage.radio.disconnected == [others.address])
            await stage.radio.tell(.write(RequestID(1), writable, value: [0, 0, 1, 2, 3, 4], offset: 0, others))
            #expect(await stage.radio.answers.count == 1)
            await stage.radio.tell(.disconnected(others.address))
            #expect(await stage.button.isConnected)
            await stage.radio.tell(.disconnected(PeripheralLoopback.central.address))
            #expect(await !stage.button.isConnected)
        }
    }

    @Test("A link on which nobody verifies is closed after 40 s")
    func idleLink() async throws {
        try await Self.run { stage in
            let characteristic = try #require(await stage.radio.published.first?.characteristics.last?.id)
            await stage.radio.tell(.subscribed(characteristic, PeripheralLoopback.central))
            await stage.loop.pause(for: .seconds(39))
            #expect(await stage.radio.disconnected.isEmpty)
            await stage.loop.pause(for: .seconds(2))
            #expect(await stage.radio.disconnected == [PeripheralLoopback.central.address])
        }
    }

    @Test("A fault that keeps it from the air takes it off")
    func connectedElsewhere() async throws {
        try await Self.run { stage in
            await stage.button.click()
            await stage.button.setFaults { $0.isConnectedElsewhere = true }
            #expect(await stage.radio.onAir.isEmpty)
            await stage.button.enterPublicMode()
            let advertisement = try #require(await stage.radio.advertisement)
            #expect(!advertisement.isConnectable && advertisement.manufacturerData[0x030F]?.last == 0b10)
        }
    }

    @Test("An advertisement that is refused is tried again")
    func refusedAdvertisement() async throws {
        try await Self.run { stage in
            await stage.radio.refuse(PeripheralError(.limitReached))
            await stage.button.enterPublicMode()
            await stage.loop.pause(for: .seconds(1))
            #expect(await stage.radio.onAir.isEmpty)
            await stage.radio.refuse(nil)
            await stage.loop.pause(for: .seconds(10))
            #expect(await stage.radio.advertisement?.services.first == Self.service)
        }
    }

    @Test("One that came while the adapter was off follows when it is on")
    func advertisementWithoutPower() async throws {
        try await Self.run { stage in
            await stage.radio.refuse(PeripheralError(.notPoweredOn))
            await stage.button.enterPublicMode()
            await stage.loop.pause(for: .seconds(1))
            await stage.radio.refuse(nil)
            await stage.radio.powerOn(as: Self.adapter)
            #expect(await stage.radio.advertisement?.services.first == Self.service)
        }
    }

    @Test("Stopped, it leaves nothing behind, and can be started again")
    func stop() async throws {
        try await Self.run { stage in
            let characteristic = try #require(await stage.radio.published.first?.characteristics.last?.id)
            await stage.button.enterPublicMode()
            await stage.radio.tell(.subscribed(characteristic, PeripheralLoopback.central))
            await stage.onAir.stop()
            #expect(await stage.radio.onAir.isEmpty)
            #expect(await stage.radio.published.isEmpty)
            #expect(await stage.radio.disconnected == [PeripheralLoopback.central.address])
            #expect(await !stage.button.isConnected)
            await stage.button.enterPublicMode()
            #expect(await stage.radio.onAir.isEmpty)
            let other = try await stage.onAir.start(seed: 2)
            await other.enterPublicMode()
            #expect(await stage.radio.advertisement != nil)
        }
    }

    @Test("No adapter: given up when the patience is over; one that comes before is used")
    func noAdapter() async throws {
        let loop = VirtualLoop()
        try await loop.run {
            let radio = PeripheralLoopback(loop: loop)
            let onAir = ButtonOnAir(peripheral: radio)
            #expect(await Self.failure(onAir)?.code == .notPoweredOn)
            #expect(loop.now == .seconds(30))
            loop.schedule(after: .seconds(20)) { radio.assumeIsolated { $0.powerOn(as: Self.adapter) } }
            let button = try await onAir.start(seed: 1)
            #expect(button.address == Self.adapter)
            await onAir.stop()
            // The time of the first attempt is over; it must not end a later one.
            await radio.refuse(PeripheralError(.denied))
            #expect(await Self.failure(onAir)?.code == .denied)
        }
    }

    @Test("A second button needs a radio of its own")
    func second() async throws {
        try await Self.run { stage in
            #expect(await Self.failure(stage.onAir)?.code == .failed)
        }
    }
}
