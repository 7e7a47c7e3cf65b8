import DBus
import Fixtures
import Foundation
import GATT
import Testing

@testable import BlueZ
@testable import CoreBluetooth
@testable import FaultMatrix

extension OverTheAirTests.Managers {
    private static func uuid(_ number: Int) -> String { "7A3B000\(number)52C84D5E9F106C1B2E3D4F50" }

    private static func data(_ uuids: [String]) -> [String: Any] {
        [
            CBAdvertisementDataServiceUUIDsKey: uuids.map { uuid in
                uuid.count == 4 ? CBUUID(string: uuid) : CBUUID(data: Data([UInt8](hex: uuid) ?? []))
            }
        ]
    }

    @Test("D13, D32, D50, D54: nothing to say, or only what is ignored: flags alone", .timeLimit(.minutes(2)))
    func flagsOnly() async throws {
        let central = try await RawCentral()
        let program = ServingProgram()
        #expect(await program.next() == "state poweredOn")
        let ignored: [String: Any] = [
            CBAdvertisementDataManufacturerDataKey: Data([0xFF, 0xFF, 1]), CBAdvertisementDataTxPowerLevelKey: 4,
            CBAdvertisementDataServiceDataKey: [CBUUID(string: "180F"): Data([1])], CBAdvertisementDataIsConnectable: false,
        ]
        for data in [nil, ignored] {
            program.manager.startAdvertising(data)
            #expect(await program.next() == "advertising true")
            let said = try await central.scan()
            #expect(said.advertisement == RawCentral.Advertisement(flags: 6, kinds: [1]))
            #expect(said.response.kinds == nil)
            program.manager.stopAdvertising()
        }
        #expect(try await central.hearsNothing())
    }

    @Test("D52, D53, D55: what is too long is cut, not refused; a second start is, and the first goes on", .timeLimit(.minutes(2)))
    func tooLong() async throws {
        let central = try await RawCentral()
        let program = ServingProgram()
        let manager = try #require(program.manager)
        #expect(await program.next() == "state poweredOn")
        let short = (0..<20).map { String(format: "18%02X", $0) }
        let cases: [(wanted: [String], heard: [String])] = [
            ([Self.uuid(1), Self.uuid(2)], [Self.uuid(1)]), ([Self.uuid(1), Self.uuid(2), short[4], short[3]], [short[4], short[3], Self.uuid(1)]),
            (short, Array(short.prefix(13))),
        ]
        for (wanted, heard) in cases {
            manager.startAdvertising(Self.data(wanted))
            #expect(await program.next() == "advertising true")
            #expect(try await central.scan().advertisement.services == heard)
            #expect(program.takeRemarks().count == 1)
            manager.stopAdvertising()
        }
        for (wanted, heard) in [(String(repeating: "é", count: 20), String(repeating: "é", count: 14)), (String(repeating: "n", count: 29), nil)] {
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: wanted].merging(Self.data([Self.uuid(1), "180F"])) { $1 })
            #expect(await program.next() == "advertising true")
            #expect(program.takeRemarks().count == (heard == nil ? 0 : 1))
            manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Other"])
            #expect(await program.next() == "advertising true, \(CBError.Code.alreadyAdvertising.rawValue)")
            let said = try await central.scan()
            #expect(said.response.name == heard ?? wanted)
            #expect(said.advertisement.services.map { Set($0) } == [Self.uuid(1), "180F"])
            manager.stopAdvertising()
        }
    }

    @Test("D56: the adapter advertises for others, as often as it can: out of space, until one of them stops", .timeLimit(.minutes(2)))
    func outOfSpace() async throws {
        let others = BlueZPeripheral(session: Rig.session("hci0"))
        let (events, heard) = AsyncStream.makeStream(of: PeripheralEvent.self)
        await others.start { heard.yield($0) }
        for await case .state(.poweredOn) in events { break }
        let (answers, answer) = AsyncStream.makeStream(of: PeripheralError?.self)
        var running: [AdvertisementID] = []
        while running.count < 100 {
            let id = await others.advertise(LocalAdvertisement()) { answer.yield($0) }
            guard let error = await answers.first(where: { _ in true }) else { break }
            if let error {
                #expect(error.code == .limitReached)
                break
            }
            running.append(id)
        }
        #expect((1..<100).contains(running.count))
        let program = ServingProgram()
        #expect(await program.next() == "state poweredOn")
        program.manager.startAdvertising(nil)
        #expect(await program.next() == "advertising false, \(CBError.Code.outOfSpace.rawValue)")
        await others.stopAdvertising(running.removeLast())
        await withCheckedContinuation { continuation in
            Task { await others.flushUpdates { continuation.resume() } }
        }
        program.manager.startAdvertising(nil)
        #expect(await program.next() == "advertising true")
        for id in running { await others.stopAdvertising(id) }
    }

    @Test("D56: the power goes while a start is under way: it succeeds, and is on the air when the power is back", .timeLimit(.minutes(2)))
    func powerGone() async throws {
        let central = try await RawCentral()
        let program = ServingProgram()
        let manager = try #require(program.manager)
        #expect(await program.next() == "state poweredOn")
        let peripheral = try #require(manager.desk.peripheral as? BlueZPeripheral)
        // From the connection of the manager, so that bluetoothd hears the one right after the other.
        await peripheral.setPower(false)
        manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Late"])
        var calls = await program.calls(until: "state poweredOff")
        await Machine.setPower("hci0", true)
        calls += await program.calls(until: "state poweredOn")
        Rig.note("the power goes while a start is under way: \(calls)")
        if !calls.contains("advertising true"), let call = await program.next() { calls.append(call) }
        #expect(calls.filter { !$0.hasPrefix("state") } == ["advertising true"])
        #expect(try await central.scan().response.name == "Late")
    }
}

extension BlueZPeripheral {
    /// Asks bluetoothd to switch hci0 on or off, and does not wait for that.
    fileprivate func setPower(_ isOn: Bool) {
        call(
            "/org/bluez/hci0",
            BlueZName.properties,
            "Set",
            [.string(BlueZName.adapter), .string("Powered"), .variant(.boolean(isOn))]
        ) { _, _ in }
    }
}
