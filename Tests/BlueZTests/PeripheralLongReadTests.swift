import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("Long reads (bug case D10, contract D61)", .timeLimit(.minutes(1)), .virtualTime)
struct PeripheralLongReadTests {
    private let stage: FakeStage
    private let program: PeripheralProgram
    private let publication: PublicationID

    private static let uuid = PeripheralProgram.uuid(1)
    private static let first = (0..<50).map { UInt8($0) }
    private static let second = (50..<100).map { UInt8($0) }
    private static let third = (100..<150).map { UInt8($0) }

    init() async throws {
        stage = try await FakeStage()
        program = await PeripheralProgram(stage)
        publication = try await program.publish(
            PeripheralProgram.characteristic(1, [.read, .write]),
            PeripheralProgram.characteristic(2, [.read], value: Self.second)
        )
        await program.setAnswer(.success(Self.first), to: 1)
    }

    @Test("Two centrals read at the same time and the value changes: each gets one consistent value, and the program is asked once by each")
    func interleaved() async throws {
        let (a, b) = (await stage.fake.phone(0xA, mtu: 23), await stage.fake.phone(0xB, mtu: 23))
        var parts: [[UInt8]] = []
        parts.append(try await a.read(Self.uuid, from: 0))
        await program.setAnswer(.success(Self.second), to: 1)
        parts.append(try await b.read(Self.uuid, from: 0))
        parts.append(try await a.read(Self.uuid, from: 22))
        await program.setAnswer(.success(Self.third), to: 1)
        parts.append(try await b.read(Self.uuid, from: 22))
        parts.append(try await b.read(Self.uuid, from: 44))
        parts.append(try await a.read(Self.uuid, from: 44))
        parts.append(try await a.read(Self.uuid, from: 50))
        parts.append(try await b.read(Self.uuid, from: 50))
        let expected: [ArraySlice<UInt8>] = [
            Self.first[..<22], Self.second[..<22], Self.first[22..<44], Self.second[22..<44], Self.second[44...], Self.first[44...], [], [],
        ]
        #expect(parts == expected.map { Array($0) })
        await #expect(throws: FakeCentral.Failure.refused(0x07)) { try await a.read(Self.uuid, from: 51) }
        await #expect(throws: FakeCentral.Failure.refused(0x07)) { try await b.read(Self.uuid, from: 600) }
        #expect(await program.told() == ["connected A", "connected B", "read 1@0 A", "read 1@0 B"])
        #expect(try await a.read(Self.uuid) == Self.third)
    }

    @Test("Values that never change the program is not asked for")
    func unchanging() async throws {
        let phone = await stage.fake.phone(0xA, mtu: 23)
        let uuid = PeripheralProgram.uuid(2)
        for offset in [0, 22, 44, 50] { #expect(try await phone.read(uuid, from: offset) == Array(Self.second.dropFirst(offset).prefix(22))) }
        await #expect(throws: FakeCentral.Failure.refused(0x07)) { try await phone.read(uuid, from: 51) }
        #expect(await program.told() == ["connected A"])
    }

    @Test("With an offset and nothing kept the program is asked with the offset")
    func offsetFirst() async throws {
        let phone = await stage.fake.phone(0xA, mtu: 23)
        #expect(try await phone.read(Self.uuid, from: 22) == Array(Self.first[22..<44]))
        #expect(try await phone.read(Self.uuid, from: 44) == Array(Self.first[44...]))
        await #expect(throws: FakeCentral.Failure.refused(0x07)) { try await phone.read(Self.uuid, from: 51) }
        #expect(await program.told() == ["connected A", "read 1@22 A", "read 1@44 A", "read 1@51 A"])
    }

    @Test("No value of an attribute goes beyond 512 bytes, whatever the program says")
    func longest() async throws {
        let phone = await stage.fake.phone(0xA, mtu: 185)
        await program.setAnswer(.success([UInt8](repeating: 7, count: 600)), to: 1)
        #expect(try await phone.read(Self.uuid).count == 512)
        await #expect(throws: FakeCentral.Failure.refused(0x07)) { try await phone.read(Self.uuid, from: 513) }
        #expect(await program.told() == ["connected A", "read 1@0 A"])
    }

    /// What ends the life of an answer that is kept.
    enum Ending: CaseIterable {
        case newRead, write, link, time, service
    }

    @Test("What is kept goes with the next read, a write, the link, the service, and after 30 s", arguments: Ending.allCases)
    func endings(ending: Ending) async throws {
        let phone = await stage.fake.phone(0xA, mtu: 23)
        _ = try await phone.read(Self.uuid, from: 0)
        await program.setAnswer(.success(Self.second), to: 1)
        switch ending {
        case .newRead: _ = try await phone.read(Self.uuid, from: 0)
        case .write: try await phone.write([1], to: Self.uuid)
        case .link:
            await phone.disconnect()
            await phone.connect()
        case .time: await stage.pass(.seconds(31))
        case .service:
            await program.unpublish(publication)
            await program.settle()
            try await program.publish(PeripheralProgram.characteristic(1, [.read, .write]))
        }
        await program.settle()
        let kept = await program.peripheral?.longReads.count ?? 0
        #expect(kept == (ending == .newRead || ending == .time ? 1 : 0))
        _ = await program.told()
        #expect(try await phone.read(Self.uuid, from: 22) == Array(Self.second[22..<44]))
        #expect(await program.told() == (ending == .newRead ? [] : ["read 1@22 A"]))
        #expect(await program.peripheral?.longReads.count == (ending == .newRead ? 1 : 0))
    }

    @Test("An answer that comes when the link has ended is not kept for the next one")
    func late() async throws {
        let phone = await stage.fake.phone(0xA, mtu: 23)
        await program.setMute(true)
        let reading = Task(executorPreference: VirtualTime.clock) { try await phone.read(Self.uuid, from: 0) }
        await program.transcript.wait(for: "read 1@0 A")
        await phone.disconnect()
        await phone.connect()
        await program.settle()
        let request = try #require(await program.open.first)
        await program.respond(to: request, with: .success(Self.first))
        _ = try? await reading.value
        #expect(await program.peripheral?.longReads.count == 0)
    }
}
