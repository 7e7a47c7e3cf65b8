import EventLoops
import GATT
import Testing

@testable import CoreBluetooth

@Suite("Requests of centrals (contract D.6)")
struct ManagerRequestTests {
    private let stage: Stage
    private let sensor = Sensor()
    private let note: AttributeID

    init() async throws {
        stage = await Stage()
        await stage.publish(sensor.service)
        note = try #require(await stage.transport.name("FF01"))
        _ = stage.log.take()
    }

    private func take() throws -> CBATTRequest {
        try #require(stage.delegate.requests.withLock { $0.isEmpty ? nil : $0.removeFirst() })
    }

    @Test("D36, D60, D61: a read, answered with the bytes from the offset on")
    func read() async throws {
        await stage.ask(1) { .read($0, note, offset: 3, Stage.phone) }
        #expect(await stage.heard() == ["read FF01 at 3"])
        let request = try take()
        #expect(request.characteristic === sensor.note && request.offset == 3 && request.value == nil)
        #expect(request.central.maximumUpdateValueLength == 182)
        request.value = Data([4, 5])
        stage.manager.respond(to: request, withResult: .success)
        #expect(await stage.answer(1) == .success([4, 5]))
    }

    @Test("D37, D62: a write")
    func write() async throws {
        await stage.ask(1) { .write($0, note, value: [1, 2], offset: 4, Stage.tablet) }
        #expect(await stage.heard() == ["write FF01 at 4: [1, 2]"])
        let request = try take()
        #expect(request.value == Data([1, 2]) && request.central.maximumUpdateValueLength == 20)
        stage.manager.respond(to: request, withResult: .success)
        #expect(await stage.answer(1).map { if case .success = $0 { true } else { false } } == true)
    }

    @Test("D17: once; what is repeated, late or of another manager is logged and has no effect")
    func once() async throws {
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        let request = try take()
        stage.manager.respond(to: request, withResult: .invalidOffset)
        stage.manager.respond(to: request, withResult: .success)
        #expect(await stage.answer(1) == .failure(.invalidOffset))
        #expect(stage.log.take().count == 1)
        await stage.ask(2) { .read($0, note, offset: 0, Stage.phone) }
        await Stage().manager.respond(to: try take(), withResult: .success)
        #expect(await stage.answer(2) == nil)
    }

    @Test("D65: a request that the transport had to answer is closed")
    func expired() async throws {
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        await stage.tell(.expired(RequestID(1)))
        #expect(stage.log.take().count == 1)
        stage.manager.respond(to: try take(), withResult: .success)
        #expect(await stage.answer(1) == nil)
        #expect(stage.log.take().count == 1)
    }

    @Test("D66: all that is open is answered when the delegate or the manager goes")
    func leaving() async throws {
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        await stage.ask(2) { .write($0, note, value: [], offset: 0, Stage.phone) }
        stage.manager.delegate = nil
        #expect(await stage.answer(1) == .failure(.unlikely))
        #expect(await stage.answer(2) == .failure(.unlikely))
    }

    @Test("D66: a manager that goes leaves nothing open, and nothing published")
    func deinitialised() async throws {
        let transport = try await { () -> ScriptedPeripheral in
            let stage = await Stage()
            await stage.publish(Sensor().service)
            stage.manager.startAdvertising(nil)
            let name = try #require(await stage.transport.name("FF01"))
            await stage.ask(1) { .read($0, name, offset: 0, Stage.phone) }
            return stage.transport
        }()
        while await transport.published.isEmpty == false { await Task.yield() }
        #expect(await transport.answers[RequestID(1)] == .failure(.unlikely))
        #expect(await transport.advertised.isEmpty)
    }

    @Test("D.3: without a delegate, and with one that has no such methods, the request is not supported")
    func notImplemented() async {
        final class Least: NSObject, CBPeripheralManagerDelegate {
            func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
        }
        stage.manager.delegate = nil
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        #expect(await stage.answer(1) == .failure(.requestNotSupported))
        let least = Least()
        stage.manager.delegate = least
        await stage.ask(2) { .read($0, note, offset: 0, Stage.phone) }
        await stage.ask(3) { .write($0, note, value: [], offset: 0, Stage.phone) }
        #expect(await stage.answer(2) == .failure(.requestNotSupported))
        #expect(await stage.answer(3) == .failure(.requestNotSupported))
        withExtendedLifetime(least) {}
    }

    @Test("Requests for what is not published any more are refused")
    func unpublished() async {
        stage.manager.removeAllServices()
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        await stage.ask(2) { .write($0, note, value: [1], offset: 0, Stage.phone) }
        #expect(await stage.answer(1) == .failure(.readNotPermitted))
        #expect(await stage.answer(2) == .failure(.writeNotPermitted))
        #expect(await stage.heard() == [])
    }

    @Test("D.6: codes as errors; those that bluetoothd cannot tell are logged and become unlikely")
    func codes() async throws {
        var sayable: [Int: ATTError] = [
            0x02: .readNotPermitted, 0x03: .writeNotPermitted, 0x06: .requestNotSupported, 0x07: .invalidOffset, 0x08: .insufficientAuthorization,
            0x0D: .invalidValueLength, 0x0E: .unlikely, 0xFD: .improperlyConfigured, 0xFE: .procedureInProgress,
        ]
        for code in 0x80...0x9F { sayable[code] = .application(UInt8(code)) }
        for code in [Int](1...0xFF) + [256, -1, .max, .min] {
            let number = UInt64(bitPattern: Int64(code))
            await stage.ask(number) { .read($0, note, offset: 0, Stage.phone) }
            stage.manager.respond(to: try take(), withResult: try #require(CBATTError.Code(rawValue: code)))
            #expect(await stage.answer(number) == .failure(sayable[code] ?? .unlikely), "code \(code)")
            #expect(stage.log.take().count == (sayable[code] == nil ? 1 : 0), "code \(code)")
        }
    }

    @Test("D96: one object for a central as long as it is connected")
    func centrals() async throws {
        await stage.ask(1) { .read($0, note, offset: 0, Stage.phone) }
        await stage.ask(2) { .read($0, note, offset: 0, RemoteCentral(address: Stage.phone.address, mtu: 517)) }
        await stage.ask(3) { .read($0, note, offset: 0, Stage.tablet) }
        let (first, second, third) = (try take(), try take(), try take())
        #expect(first.central === second.central && first.central !== third.central)
        #expect(first.central.maximumUpdateValueLength == 512, "the MTU has been exchanged meanwhile")
        await stage.tell(.disconnected(Stage.phone.address))
        await stage.ask(4) { .read($0, note, offset: 0, Stage.phone) }
        let fourth = try take()
        #expect(fourth.central !== first.central && fourth.central.identifier == first.central.identifier)
        for request in [first, second, third, fourth] { stage.manager.respond(to: request, withResult: .success) }
    }
}
