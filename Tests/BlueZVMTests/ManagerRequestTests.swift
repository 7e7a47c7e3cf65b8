import BlueZ
import EventLoops
import Foundation
import GATT
import Testing

@testable import CoreBluetooth

extension OverTheAirTests.Managers {
    /// What centrals get for the codes of a program (contract D.6).
    private static func arriving(_ code: Int, isRead: Bool) -> Set<Int> {
        switch code {
        case 0, 0x06, 0x07, 0x08, 0x0D, 0x80...0x9F, 0xFE: [code]
        case 0x02, 0x03: [isRead ? 0x02 : 0x03]
        case 0xFD: [code, 0x0E]  // not known to bluetoothd before 5.76
        default: [0x0E]
        }
    }

    /// FF01 can be read and written, FF02 has properties without permissions, FF03 has neither, and FF04 permissions without properties.
    private static func service() -> CBMutableService {
        let all: [(String, CBCharacteristicProperties, CBAttributePermissions)] = [
            ("FF01", [.read, .write], [.readable, .writeable]), ("FF02", [.read, .write], []), ("FF03", [], []),
            ("FF04", [], [.readable, .writeable]),
        ]
        let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)
        service.characteristics = all.map { uuid, properties, permissions in
            CBMutableCharacteristic(type: CBUUID(string: uuid), properties: properties, value: nil, permissions: permissions)
        }
        return service
    }

    /// A program whose service a central has found.
    private static func begin() async throws -> (program: ServingProgram, central: RawCentral, services: [RawCentral.Service]) {
        let central = try await RawCentral()
        let program = ServingProgram()
        #expect(await program.next() == "state poweredOn")
        program.manager.add(service())
        #expect(await program.next() == "added FF10")
        program.manager.startAdvertising(nil)
        #expect(await program.next() == "advertising true")
        return (program, central, try await central.connect())
    }

    @Test("D17, D36, D37, D46, D.6: codes of a program, as they arrive; what may not be asked for is refused, though shown", .timeLimit(.minutes(2)))
    func codes() async throws {
        let (program, central, services) = try await Self.begin()
        let characteristics = services.first { $0.uuid == "FF10" }?.characteristics ?? []
        #expect(characteristics.map(\.uuid) == ["FF01", "FF02", "FF03", "FF04"])
        #expect(characteristics.map(\.properties) == [0x0A, 0x0A, 0x02, 0x02])
        for refused in ["FF02", "FF03", "FF04"] {
            #expect(try await central.code("read \(refused)") == 0x02)
            #expect(try await central.code("write \(refused) 01") == 0x03)
        }
        // The first that the program is asked.
        #expect(try await central.code("read FF01") == 0)
        #expect(await program.next() == "read FF01 at 0")
        let code = Locked(0)
        program.answering.withLock {
            $0 = { manager, request in
                if request.value == nil { request.value = Data([1]) }
                let number = code.withLock { $0 }
                manager.respond(to: request, withResult: CBATTError.Code(rawValue: number) ?? .success)
                // Only the first answer counts.
                manager.respond(to: request, withResult: number == 0 ? .invalidOffset : .success)
            }
        }
        let numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0A, 0x0C, 0x0D, 0x0E, 0x0F, 0x11, 0x7F, 0x80, 0x81, 0x9F, 0xA0, 0xE0, 0xFC, 0xFD, 0xFE, 0xFF]
        for (command, isRead) in [("write FF01 0102", false), ("read FF01", true)] {
            for number in numbers {
                code.withLock { $0 = number }
                let arrived = try await central.code(command)
                #expect(Self.arriving(number, isRead: isRead).contains(arrived), "\(command), \(number): \(arrived)")
            }
        }
        #expect(program.takeRemarks().count { $0.contains("answered already") } == 2 * numbers.count)
    }

    @Test("D63: bluetoothd asks whether pieces of a long write may be kept, and the program hears of the whole only", .timeLimit(.minutes(2)))
    func pieces() async throws {
        let central = try await RawCentral()
        let peripheral = BlueZPeripheral(session: Rig.session("hci0"))
        let (events, heard) = AsyncStream.makeStream(of: PeripheralEvent.self)
        let (answers, answer) = AsyncStream.makeStream(of: PeripheralError?.self)
        await peripheral.start { heard.yield($0) }
        for await case .state(.poweredOn) in events { break }
        let name = AttributeID(1)
        let characteristic = LocalCharacteristic(id: name, uuid: BluetoothUUID(assigned: 0xFF01), flags: [.write, .authorize])
        let service = LocalService(uuid: BluetoothUUID(assigned: 0xFF10), characteristics: [characteristic])
        _ = await peripheral.publish([service]) { answer.yield($0) }
        #expect(await answers.first { _ in true } == .some(nil))
        _ = await peripheral.advertise(LocalAdvertisement()) { answer.yield($0) }
        #expect(await answers.first { _ in true } == .some(nil))
        try await central.connect()
        try await central.do("prepare FF01 0 010203")
        try await central.do("prepare FF01 3 0405")
        async let code = central.code("execute")
        var written: [[UInt8]] = []
        for await event in events {
            guard case .write(let request, name, let value, _, _) = event else { continue }
            await peripheral.respond(to: request, with: .success([]))
            written.append(value)
            if value.count == 5 { break }
        }
        #expect(try await code == 0)
        #expect(written == [[1, 2, 3, 4, 5]])
    }

    @Test("D66: what is open when the delegate or the manager goes is answered at once: unlikely", .timeLimit(.minutes(2)))
    func leaving() async throws {
        let (program, central, _) = try await Self.begin()
        let open = Locked<CBATTRequest?>(nil)
        program.answering.withLock { $0 = { _, request in open.withLock { $0 = request } } }
        for command in ["read FF01", "write FF01 0102"] {
            async let code = central.code(command)
            #expect(await program.next()?.hasPrefix(command.prefix(9)) == true)
            let start = ContinuousClock.now
            program.manager.delegate = nil
            #expect(try await code == 0x0E)
            #expect(start.duration(to: .now) < .seconds(3), "bluetoothd would have answered so by itself")
            #expect(try await central.code("read FF01") == 0x06, "and there is nobody now")
            program.manager.delegate = program
        }
        async let code = central.code("read FF01")
        #expect(await program.next() == "read FF01 at 0")
        let start = ContinuousClock.now
        program.letGo()
        #expect(try await code == 0x0E)
        #expect(start.duration(to: .now) < .seconds(3))
        #expect(try await central.hearsNothing())
        let services = try await central.do("discover").services ?? []
        #expect(!services.contains { $0.uuid == "FF10" })
    }
}
