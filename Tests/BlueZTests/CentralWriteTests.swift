import DBus
import EventLoops
import FlicClient
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("Writes that somebody waits for", .timeLimit(.minutes(1)), .virtualTime)
struct CentralWriteTests {
    private func link(_ flags: [String], transfer: ValueTransfer = .messages) async throws -> (FakeStage, FakeLinkUser) {
        let stage = try await FakeStage()
        await stage.fake.setFaults { $0.writeFlags = flags }
        let user = FakeLinkUser(stage, transfer: transfer)
        await stage.fake.addDevice(stage.button.address)
        await stage.button.enterPublicMode()
        await user.start()
        await user.open()
        await user.transcript.wait { $0.contains { $0.hasPrefix("ready") } }
        return (stage, user)
    }

    private func types(_ stage: FakeStage) async -> [String] {
        await stage.fake.journal.filter { $0.hasPrefix("write by ") }.map { String($0.dropFirst(9)) }
    }

    @Test("Where there is one way to write, that is used", arguments: [("write", "request"), ("write-without-response", "command")])
    func oneWay(flag: String, type: String) async throws {
        let (stage, user) = try await link([flag])
        for _ in 0..<20 { #expect(await user.writeAndWait([1]) == nil) }
        await user.write([1])
        await user.roundTrip()
        #expect(await types(stage) == [String](repeating: type, count: 21))
    }

    @Test("Where there are both, every sixteenth is a request, but none of those that nobody waits for")
    func paced() async throws {
        let (stage, user) = try await link(["write", "write-without-response"])
        for _ in 0..<40 { #expect(await user.writeAndWait([1]) == nil) }
        let run = [String](repeating: "command", count: 15)
        #expect(await types(stage) == run + ["request"] + run + ["request"] + run.prefix(8))
        for _ in 0..<20 { await user.write([1]) }
        await user.roundTrip()
        #expect(await types(stage).suffix(20).allSatisfy { $0 == "command" })
    }

    @Test("A write that bluetoothd refuses is told with its words; one on a closed link, too")
    func refused() async throws {
        let (stage, user) = try await link(["write-without-response"])
        await stage.fake.trouble(with: "GattCharacteristic1.WriteValue", .error(DBusError(name: "org.bluez.Error.Failed", message: "Not today")))
        #expect(await user.writeAndWait([1])?.detail.contains("Not today") == true)
        await user.close()
        await user.transcript.wait(for: "closed nil")
        #expect(await user.writeAndWait([1])?.code == .failed)
    }

    @Test("By sockets a write is taken when the socket has it; an end of the socket ends the wait")
    func sockets() async throws {
        let (stage, user) = try await link(["write-without-response"], transfer: .sockets)
        for _ in 0..<2000 { #expect(await user.writeAndWait([1, 2, 3]) == nil) }
        await stage.fake.crash()
        await user.transcript.wait(for: "closed notPoweredOn")
        #expect(await user.writeAndWait([1])?.code == .failed)
    }

    @Test("What bluetoothd knows of a device stays known while it is silent; a name that somebody gave it counts where it has none")
    func remembered() async throws {
        let (stage, user) = try await link(["write-without-response"])
        let known = await user.central.remembered(stage.button.address)
        #expect(known?.services.contains(FlicGATT.service) == true)
        #expect(await user.central.remembered(BluetoothAddress(value: 1)) == nil)
    }
}

extension FakeLinkUser {
    /// Writes, and returns why that failed.
    func writeAndWait(_ value: [UInt8]) async -> LinkError? {
        let link = link ?? LinkID(0)
        return await withCheckedContinuation { continuation in
            central.assumeIsolated { central in
                central.write(value, to: FlicGATT.toButton, on: link) { continuation.resume(returning: $0) }
            }
        }
    }
}
