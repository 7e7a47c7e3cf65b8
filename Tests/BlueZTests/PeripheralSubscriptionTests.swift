import GATT
import Testing

@testable import BlueZ
@testable import FlicSimulator

@Suite("Who has subscribed (contract D80 to D87)", .timeLimit(.minutes(1)), .virtualTime)
struct PeripheralSubscriptionTests {
    private let stage: FakeStage
    private let program: PeripheralProgram
    private let publication: PublicationID
    private var fake: FakeBlueZ { stage.fake }

    private static let (notified, indicated) = (PeripheralProgram.uuid(1), PeripheralProgram.uuid(2))

    init() async throws {
        stage = try await FakeStage()
        program = await PeripheralProgram(stage)
        publication = try await program.publish(
            PeripheralProgram.characteristic(1, [.notify]),
            PeripheralProgram.characteristic(2, [.indicate]),
            PeripheralProgram.characteristic(3, [.notify, .indicate])
        )
    }

    private func subscribers(_ number: UInt64 = 1) async -> [String] {
        await program.settle()
        return await program.subscribers(of: number)
    }

    @Test("D80, D81: bluetoothd is refused its socket for each central, which tells who it is, for indications, too")
    func each() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB, mtu: 23))
        let before = await fake.journal.count
        try await a.subscribe(to: Self.notified)
        try await b.subscribe(to: Self.notified)
        try await b.subscribe(to: Self.indicated, indications: true)
        let told = await program.told()
        #expect(told == ["connected A", "connected B", "subscribed 1 A 185", "subscribed 1 B 23", "subscribed 2 B 23"])
        let asked = await fake.asked(since: before)
        #expect(asked.filter { $0.hasPrefix("Acquire") } == ["AcquireNotify char0000", "AcquireNotify char0000", "AcquireNotify char0001"])
        #expect(await subscribers() == [a.device, b.device].sorted())
        #expect(await subscribers(2) == [b.device])
    }

    @Test("D82: the same central again, after it has switched off unseen, or from notifications to indications")
    func again() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB))
        try await a.subscribe(to: Self.notified)
        try await b.subscribe(to: Self.notified)
        try await a.unsubscribe(from: Self.notified)
        try await a.subscribe(to: Self.notified)
        try await b.subscribe(to: PeripheralProgram.uuid(3))
        try await b.subscribe(to: PeripheralProgram.uuid(3), indications: true)
        let told = await program.told().filter { $0.hasPrefix("subscribed") }
        #expect(told == ["subscribed 1 A 185", "subscribed 1 B 185", "subscribed 1 A 185", "subscribed 3 B 185", "subscribed 3 B 185"])
        #expect(await subscribers() == [a.device, b.device].sorted())
        // bluetoothd counts it twice: only the end of its link clears that.
        try await b.unsubscribe(from: PeripheralProgram.uuid(3))
        #expect(await subscribers(3) == [b.device])
        await b.disconnect()
        #expect(await subscribers(3) == [])
    }

    @Test("D83, D84: one of several that switches off is not seen; the last one takes all with it")
    func last() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB))
        try await a.subscribe(to: Self.notified)
        try await b.subscribe(to: Self.notified)
        _ = await program.told()
        try await a.unsubscribe(from: Self.notified)
        #expect(await program.told() == [])
        #expect(await subscribers() == [a.device, b.device].sorted())
        try await b.unsubscribe(from: Self.notified)
        #expect(await program.told() == ["nobody 1"])
        #expect(await subscribers() == [])
    }

    @Test("D85: the link of one of several ends, then that of the last")
    func departure() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB))
        try await a.subscribe(to: Self.notified)
        try await b.subscribe(to: Self.notified)
        _ = await program.told()
        await a.disconnect()
        #expect(await program.told() == ["disconnected A"])
        #expect(await subscribers() == [b.device])
        await b.disconnect()
        #expect(await program.told() == ["disconnected B", "nobody 1"])
        #expect(await subscribers() == [])
    }

    @Test("D86: a bonded central that returns is a subscriber again, with the MTU that it had, and hears what it is told")
    func bonded() async throws {
        let phone = await fake.phone(0xA, mtu: 100, isBonded: true)
        try await phone.subscribe(to: Self.notified)
        try await phone.subscribe(to: Self.indicated, indications: true)
        _ = await program.told()
        await phone.disconnect()
        #expect(await program.told() == ["disconnected A"])
        #expect(await subscribers() == [])
        await phone.connect()
        #expect(await program.told() == ["connected A", "subscribed 1 A 100", "subscribed 2 A 100"])
        #expect(await subscribers() == [phone.device])
        await program.update([1], of: 1)
        #expect(await phone.values(of: Self.notified, count: 1) == [[1]])
        // It may switch off, and then there is nothing to come back to.
        try await phone.unsubscribe(from: Self.notified)
        await phone.disconnect()
        await phone.connect()
        #expect(await program.told() == ["nobody 1", "disconnected A", "connected A", "subscribed 2 A 100"])
    }

    @Test("D86: bluetoothd without the property Bonded says the same by Paired")
    func paired() async throws {
        let phone = await fake.phone(0xA, isBonded: true)
        await fake.changeProperties([:], invalidated: ["Bonded"], of: "org.bluez.Device1", at: phone.device)
        try await phone.subscribe(to: Self.notified)
        await phone.disconnect()
        await phone.connect()
        #expect(await program.told().suffix(2) == ["connected A", "subscribed 1 A 185"])
    }

    /// What makes bluetoothd forget what a bonded central has configured.
    enum Oblivion: CaseIterable {
        case bond, device, daemon, service, others
    }

    @Test("D86, D87: forgotten with the bond, the device, bluetoothd and the service, and when nobody is left", arguments: Oblivion.allCases)
    func oblivion(cause: Oblivion) async throws {
        // As long as this one stays, bluetoothd does not say that nobody is left.
        let other = await fake.phone(0xB)
        try await other.subscribe(to: Self.notified)
        let phone = await fake.phone(0xA, isBonded: true)
        try await phone.subscribe(to: Self.notified)
        await phone.disconnect()
        #expect(await program.told().last == "disconnected A")
        switch cause {
        case .bond: await phone.unbond()
        case .device: await fake.removeDevice(phone.address)
        case .daemon:
            await fake.crash()
            try await fake.start()
            await fake.wait { !$0.applications.isEmpty && $0.applications.values.allSatisfy(\.isReady) }
        case .service:
            await program.unpublish(publication)
            try await program.publish(PeripheralProgram.characteristic(1, [.notify]))
        case .others:
            // The absent one counts, too, so that it is not the end when another one leaves.
            await other.disconnect()
            #expect(await program.told() == ["disconnected B"])
            await phone.unbond()
            #expect(await program.told() == ["nobody 1"])
            await phone.bond()
        }
        _ = await program.told()
        for _ in 0..<2 {
            await phone.connect()
            #expect(await program.told() == ["connected A"])
            #expect(await !subscribers().contains(phone.device))
            await phone.bond()
            await phone.disconnect()
            #expect(await program.told() == ["disconnected A"])
        }
    }

    @Test("Power off: all links end, and with them the subscriptions; bonded centrals return to theirs")
    func power() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB, isBonded: true))
        try await a.subscribe(to: Self.notified)
        try await b.subscribe(to: Self.notified)
        await fake.setPower(.off)
        #expect(await subscribers() == [])
        await fake.setPower(.on)
        _ = await program.told()
        await a.connect()
        await b.connect()
        #expect(await program.told() == ["connected A", "connected B", "subscribed 1 B 185"])
    }

    // MARK: Indications

    @Test("D95: an indication waits until all have acknowledged the one before")
    func indications() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB))
        for phone in [a, b] { try await phone.subscribe(to: Self.indicated, indications: true) }
        await b.setConfirms(false)
        for number in 1...3 as ClosedRange<UInt8> { await program.update([number], of: 2) }
        #expect(await a.values(of: Self.indicated, count: 1) == [[1]])
        #expect(await b.values(of: Self.indicated, count: 1) == [[1]])
        await stage.pass(.seconds(5))
        #expect(await a.values(of: Self.indicated) == [[1]])
        await b.setConfirms(true)
        #expect(await a.values(of: Self.indicated, count: 3) == [[1], [2], [3]])
        #expect(await b.values(of: Self.indicated, count: 3) == [[1], [2], [3]])
    }

    @Test("D95: nobody waits for longer than 30 s for one that has switched off unseen, nor the second time")
    func unseen() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB))
        for phone in [a, b] { try await phone.subscribe(to: Self.indicated, indications: true) }
        try await b.unsubscribe(from: Self.indicated)
        for number in 1...3 as ClosedRange<UInt8> { await program.update([number], of: 2) }
        let start = stage.now
        #expect(await a.values(of: Self.indicated, count: 1) == [[1]])
        #expect(stage.now == start)
        #expect(await a.values(of: Self.indicated, count: 3) == [[1], [2], [3]])
        #expect(stage.now - start == .seconds(30))
        await program.update([4], of: 2)
        #expect(await a.values(of: Self.indicated, count: 4).last == [4])
        #expect(stage.now - start == .seconds(30))
    }

    @Test("D95: one that leaves is not waited for, and what waits when nobody is left is for nobody")
    func leaving() async throws {
        let (a, b) = (await fake.phone(0xA), await fake.phone(0xB))
        for phone in [a, b] { try await phone.subscribe(to: Self.indicated, indications: true) }
        await b.setConfirms(false)
        for number in 1...2 as ClosedRange<UInt8> { await program.update([number], of: 2) }
        _ = await b.values(of: Self.indicated, count: 1)
        await b.disconnect()
        #expect(await a.values(of: Self.indicated, count: 2) == [[1], [2]])
        await a.setConfirms(false)
        for number in 3...5 as ClosedRange<UInt8> { await program.update([number], of: 2) }
        _ = await a.values(of: Self.indicated, count: 3)
        await a.disconnect()
        await program.settle()
        await a.setConfirms(true)
        await a.connect()
        try await a.subscribe(to: Self.indicated, indications: true)
        await program.update([6], of: 2)
        #expect(await a.values(of: Self.indicated, count: 4) == [[1], [2], [3], [6]])
    }

    @Test("D91: an update that nobody has subscribed to reaches nobody and holds nothing up")
    func nobody() async throws {
        let phone = await fake.phone(0xA)
        let start = stage.now
        for number in 1...20 as ClosedRange<UInt8> { await program.update([number], of: 2) }
        #expect(stage.now == start)
        await program.settle()
        try await phone.subscribe(to: Self.indicated, indications: true)
        await program.update([21], of: 2)
        #expect(await phone.values(of: Self.indicated, count: 1) == [[21]])
    }

    @Test("Equal values are told each time, in order with others (contract D91, D95)")
    func order() async throws {
        let phone = await fake.phone(0xA)
        try await phone.subscribe(to: Self.notified)
        for number in [1, 1, 2, 1] as [UInt8] { await program.update([number], of: 1) }
        #expect(await phone.values(of: Self.notified, count: 4) == [[1], [1], [2], [1]])
    }
}
