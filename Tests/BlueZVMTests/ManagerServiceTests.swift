import Foundation
import Testing

@testable import CoreBluetooth

extension OverTheAirTests.Managers {
    /// A sensor with FF11, which notifies, and a hub with FF21, which includes the sensor.
    private struct Home {
        let program = ServingProgram()
        let sensor = CBMutableService(type: CBUUID(string: "FF10"), primary: true)
        let ticks = CBMutableCharacteristic(type: CBUUID(string: "FF11"), properties: .notify, value: nil, permissions: [])
        let hub = CBMutableService(type: CBUUID(string: "FF20"), primary: true)

        init() async {
            let name = CBMutableCharacteristic(type: CBUUID(string: "FF21"), properties: .read, value: Data([7]), permissions: .readable)
            sensor.characteristics = [ticks]
            hub.characteristics = [name]
            hub.includedServices = [sensor]
            #expect(await program.next() == "state poweredOn")
        }
    }

    /// What a central finds of the two now, as often as it is there.
    private static func found(by central: RawCentral) async throws -> [RawCentral.Service] {
        let services = try await central.do("discover").services ?? []
        return services.filter { ["FF10", "FF20"].contains($0.uuid) }
    }

    @Test("D45: a service is there once, with one that includes it and without; whoever had subscribed does so again", .timeLimit(.minutes(2)))
    func inclusion() async throws {
        let central = try await RawCentral()
        let home = await Home()
        let (program, manager) = (home.program, try #require(home.program.manager))
        manager.add(home.hub)
        #expect(await program.next() == "added FF20, \(CBError.Code.invalidParameters.rawValue)", "not before the sensor")
        manager.add(home.sensor)
        #expect(await program.next() == "added FF10")
        manager.startAdvertising(nil)
        #expect(await program.next() == "advertising true")
        #expect(try await central.connect().map(\.uuid).filter { $0.hasPrefix("FF") } == ["FF10"])
        try await central.do("subscribe FF11 notify")
        #expect(await program.next() == "subscribed FF11 20")

        manager.add(home.hub)
        #expect(await program.next() == "unsubscribed FF11 20")
        #expect(await program.next() == "added FF20")
        let both = try await Self.found(by: central)
        #expect(both.map(\.uuid) == ["FF10", "FF20"])
        let (sensor, hub) = (try #require(both.first), try #require(both.last))
        #expect(hub.includes.map(\.start) == [sensor.start] && hub.includes.map(\.end) == [sensor.end])
        #expect(manager.updateValue(Data([1]), for: home.ticks, onSubscribedCentrals: nil))
        #expect(try await central.do("read FF21").value == "07")
        #expect(try await central.values(0) == [], "nobody is subscribed")
        try await central.do("subscribe FF11 notify")
        #expect(await program.next() == "subscribed FF11 20")
        #expect(manager.updateValue(Data([2]), for: home.ticks, onSubscribedCentrals: nil))
        #expect(try await central.values(1) == [RawCentral.Value(kind: "notification", uuid: "FF11", bytes: [2])])

        manager.remove(home.sensor)
        #expect(program.takeRemarks().count == 1, "still included")
        #expect(try await Self.found(by: central).count == 2)
        manager.remove(home.hub)
        #expect(await program.next() == "unsubscribed FF11 20")
        // Nobody is told when the sensor is there again, but what is added later comes after it.
        manager.add(Self.service("FF30"))
        #expect(await program.next() == "added FF30")
        #expect(try await Self.found(by: central).map(\.uuid) == ["FF10"])
    }

    @Test("D45: what is changed in a published service centrals do not see until it is removed and added again", .timeLimit(.minutes(2)))
    func changes() async throws {
        let central = try await RawCentral()
        let program = ServingProgram()
        let manager = try #require(program.manager)
        #expect(await program.next() == "state poweredOn")
        let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)
        let value = CBMutableCharacteristic(
            type: CBUUID(string: "FF11"),
            properties: [.read, .write],
            value: nil,
            permissions: [.readable, .writeable]
        )
        let stated = CBMutableCharacteristic(type: CBUUID(string: "FF12"), properties: .read, value: Data([1]), permissions: .readable)
        service.characteristics = [value, stated]
        manager.add(service)
        #expect(await program.next() == "added FF10")
        manager.startAdvertising(nil)
        #expect(await program.next() == "advertising true")
        value.properties = .read
        value.permissions = .readable
        stated.value = Data([2])
        let more = CBMutableCharacteristic(type: CBUUID(string: "FF13"), properties: .read, value: Data([3]), permissions: .readable)
        service.characteristics = [value, stated, more]

        let before = try #require(try await central.connect().first { $0.uuid == "FF10" })
        #expect(before.characteristics.map(\.uuid) == ["FF11", "FF12"] && before.characteristics.map(\.properties) == [0x0A, 0x02])
        #expect(try await central.code("write FF11 05") == 0)
        #expect(await program.next() == "write FF11 at 0: 1 bytes")
        #expect(try await central.do("read FF12").value == "01")

        manager.remove(service)
        manager.add(service)
        #expect(await program.next() == "added FF10")
        let after = try #require(try await Self.found(by: central).first)
        #expect(after.characteristics.map(\.uuid) == ["FF11", "FF12", "FF13"] && after.characteristics.map(\.properties) == [2, 2, 2])
        #expect(try await central.code("write FF11 05") == 0x03)
        #expect(try await central.do("read FF12").value == "02")
    }

    @Test("D43, D44, D46: properties as centrals see them, and which of them need an encrypted link", .timeLimit(.minutes(2)))
    func properties() async throws {
        typealias Row = (properties: CBCharacteristicProperties, permissions: CBAttributePermissions, seen: UInt8, secret: String?)
        let rows: [Row] = [
            (.read, .readable, 0x02, nil), (.read, .readEncryptionRequired, 0x02, "read"), (.write, .writeable, 0x08, nil),
            (.writeWithoutResponse, .writeable, 0x04, nil), ([.write, .writeWithoutResponse], .writeable, 0x0C, nil),
            (.write, .writeEncryptionRequired, 0x08, "write"), ([.write, .writeWithoutResponse], .writeEncryptionRequired, 0x0C, "write"),
            (.writeWithoutResponse, .writeEncryptionRequired, 0x0C, "write"), (.notify, [], 0x10, nil), (.indicate, [], 0x20, nil),
            (.notifyEncryptionRequired, [], 0x10, "notify"), (.indicateEncryptionRequired, [], 0x20, "indicate"),
            (.authenticatedSignedWrites, .writeable, 0x40, nil),
        ]
        let central = try await RawCentral()
        let program = ServingProgram()
        #expect(await program.next() == "state poweredOn")
        func uuid(_ number: Int) -> String { String(format: "FF%02X", 0x20 + number) }
        let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)
        service.characteristics = rows.enumerated().map { number, row in
            let uuid = CBUUID(string: uuid(number))
            return CBMutableCharacteristic(type: uuid, properties: row.properties, value: nil, permissions: row.permissions)
        }
        program.manager.add(service)
        #expect(await program.next() == "added FF10")
        program.manager.startAdvertising(nil)
        #expect(await program.next() == "advertising true")
        let characteristics = try await central.connect().first { $0.uuid == "FF10" }?.characteristics ?? []
        // The highest bit: bluetoothd tells more in a descriptor of its own.
        #expect(characteristics.map { $0.properties & 0x7F } == rows.map(\.seen))
        let needsSecurity: Set = [0x05, 0x0F]
        for (number, row) in rows.enumerated() {
            let name = uuid(number)
            let commands =
                [("read", 0x02, "read \(name)"), ("write", 0x08, "write \(name) 01")]
                + [("notify", 0x10), ("indicate", 0x20)].map { ($0, $1, "subscribe \(name) \($0)") }
            for (kind, bit, command) in commands where row.seen & UInt8(bit) != 0 {
                let code = try await central.code(command)
                #expect(kind == row.secret ? needsSecurity.contains(code) : code == 0, "\(command): \(code)")
            }
        }
        // Nobody was asked for what is secret.
        let names = Set(rows.indices.filter { rows[$0].secret != nil }.map { uuid($0) })
        program.manager.stopAdvertising()
        program.manager.startAdvertising(nil)
        let calls = await program.calls(until: "advertising true")
        #expect(!calls.contains { call in names.contains { call.contains($0) } }, "\(calls)")
    }

    @Test("D49: programs may have services of some kinds that bluetoothd has, too, and no others", .timeLimit(.minutes(2)))
    func reserved() async throws {
        let central = try await RawCentral()
        let program = ServingProgram()
        #expect(await program.next() == "state poweredOn")
        for uuid in ["1800", "1801", "1805"] {
            program.manager.add(Self.service(uuid))
            #expect(await program.next() == "added \(uuid), \(CBError.Code.uuidNotAllowed.rawValue)")
        }
        for uuid in ["180A", "180F"] {
            program.manager.add(Self.service(uuid))
            #expect(await program.next() == "added \(uuid)")
        }
        program.manager.startAdvertising(nil)
        #expect(await program.next() == "advertising true")
        let services = try await central.connect()
        for uuid in ["180A", "180F"] {
            let ours = services.filter { service in service.uuid == uuid && service.characteristics.map(\.uuid) == ["FF01"] }
            #expect(ours.count == 1, "\(uuid)")
        }
        #expect(try await central.do("read FF01").value == "01")
    }
}
