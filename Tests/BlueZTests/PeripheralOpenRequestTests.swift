import GATT
import Testing

@testable import BlueZ
@testable import FlicSimulator

@Suite("From the request of a central to its answer (contract D.6)", .timeLimit(.minutes(1)), .virtualTime)
struct PeripheralOpenRequestTests {
    private let stage: FakeStage
    private let program: PeripheralProgram
    private let publication: PublicationID
    private let phone: FakeCentral

    private static let uuid = PeripheralProgram.uuid(1)

    init() async throws {
        stage = try await FakeStage()
        program = await PeripheralProgram(stage)
        publication = try await program.publish(PeripheralProgram.characteristic(1, [.read, .write]))
        phone = await stage.fake.phone(0xA)
        _ = await program.told()
    }

    /// A central reads, and the program does not answer.
    private func read() async -> Task<[UInt8], any Error> {
        await program.setMute(true)
        let reading = Task(executorPreference: VirtualTime.clock) { [phone] in try await phone.read(Self.uuid) }
        await program.transcript.wait(for: "read 1@0 A")
        return reading
    }

    @Test("An answer within 4.5 s counts; the second one does not")
    func inTime() async throws {
        let reading = await read()
        await stage.pass(.milliseconds(4400))
        let request = try #require(await program.open.first)
        await program.respond(to: request, with: .success([1]))
        await program.respond(to: request, with: .success([2]))
        #expect(try await reading.value == [1])
        await stage.pass(.seconds(10))
        #expect(await program.told() == ["read 1@0 A"])
    }

    @Test("D65: after 4.5 s, before bluetoothd does it, the request is answered, and the program is told; its own answer is dropped")
    func expiry() async throws {
        let start = stage.now
        let reading = await read()
        await #expect(throws: FakeCentral.Failure.refused(0x0E)) { try await reading.value }
        #expect(stage.now - start == .milliseconds(4500))
        #expect(await program.told() == ["read 1@0 A", "expired"])
        let request = try #require(await program.open.first)
        await program.respond(to: request, with: .success([1]))
        await program.setMute(false)
        await program.setAnswer(.success([2]), to: 1)
        #expect(try await phone.read(Self.uuid) == [2])
    }

    @Test("D66: a peripheral that goes answers what is open at once")
    func drop() async throws {
        let start = stage.now
        let reading = await read()
        await program.drop()
        await #expect(throws: FakeCentral.Failure.refused(0x0E)) { try await reading.value }
        #expect(stage.now == start)
    }

    @Test("A service that is taken back answers what is open at once, and nothing of it is left")
    func unpublish() async throws {
        let start = stage.now
        let reading = await read()
        await program.unpublish(publication)
        await #expect(throws: FakeCentral.Failure.refused(0x0E)) { try await reading.value }
        #expect(stage.now == start)
        #expect(await program.told() == ["read 1@0 A", "expired"])
        let peripheral = try #require(await program.peripheral)
        #expect(await peripheral.requests.isEmpty)
        #expect(await peripheral.served.isEmpty)
        #expect(await phone.services == [])
    }

    @Test("Nothing is asked any more, and nothing sent, once a service is taken back while bluetoothd has not answered")
    func unpublishEarly() async throws {
        await stage.fake.trouble(with: "GattManager1.RegisterApplication", times: 1, .late(.seconds(2)))
        let peripheral = try #require(await program.peripheral)
        let services = [LocalService(uuid: PeripheralProgram.service, characteristics: [PeripheralProgram.characteristic(2, [.read, .notify])])]
        let id = await peripheral.publish(services) { _ in }
        await stage.fake.wait { $0.applications.count == 2 && $0.applications.values.allSatisfy(\.isReady) }
        await program.unpublish(id)
        await #expect(throws: FakeCentral.Failure.refused(0x0E)) { try await phone.read(PeripheralProgram.uuid(2)) }
        try await phone.subscribe(to: PeripheralProgram.uuid(2))
        await program.update([1], of: 2)
        #expect(await program.told() == [])
        await stage.pass(.seconds(3))
        #expect(await phone.services == [PeripheralProgram.service])
        #expect(await phone.values(of: PeripheralProgram.uuid(2)) == [])
    }

    @Test(
        "What the answers of a program become on the air (contract D.6)",
        arguments: [
            (.readNotPermitted, 0x02, 0x03), (.writeNotPermitted, 0x02, 0x03), (.requestNotSupported, 0x06, 0x06), (.invalidOffset, 0x07, 0x07),
            (.insufficientAuthorization, 0x08, 0x08), (.invalidValueLength, 0x0D, 0x0D), (.procedureInProgress, 0xFE, 0xFE),
            (.application(0x80), 0x80, 0x80), (.application(0x9F), 0x9F, 0x9F), (.application(0xA0), 0x0E, 0x0E), (.unlikely, 0x0E, 0x0E),
            (.improperlyConfigured, 0x0E, 0x0E),
        ] as [(ATTError, UInt8, UInt8)]
    )
    func results(error: ATTError, read: UInt8, written: UInt8) async throws {
        await program.setAnswer(.failure(error), to: 1)
        await #expect(throws: FakeCentral.Failure.refused(read)) { try await phone.read(Self.uuid) }
        await #expect(throws: FakeCentral.Failure.refused(written)) { try await phone.write([1], to: Self.uuid) }
    }

    @Test("Success is an empty answer to a write, whatever the program gives")
    func success() async throws {
        await program.setAnswer(.success([1, 2, 3]), to: 1)
        try await phone.write([4], to: Self.uuid)
        #expect(try await phone.read(Self.uuid) == [1, 2, 3])
    }

    @Test("D62: a long write arrives as one, and fits into an attribute")
    func longWrite() async throws {
        let value = [UInt8](repeating: 5, count: 512)
        try await phone.write(value, to: Self.uuid)
        #expect(await program.told() == ["write 1@0 \(value) A"])
    }
}
