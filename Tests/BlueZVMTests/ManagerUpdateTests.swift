import EventLoops
import Foundation
import Testing

@testable import CoreBluetooth

extension OverTheAirTests.Managers {
    /// A service with FF01, which can be read; FF02, which notifies; and FF03, which does so or indicates, as centrals like.
    private struct Desk {
        let program = ServingProgram()
        let ticks = CBMutableCharacteristic(type: CBUUID(string: "FF02"), properties: [.read, .notify], value: nil, permissions: .readable)
        let either = CBMutableCharacteristic(type: CBUUID(string: "FF03"), properties: [.notify, .indicate], value: nil, permissions: [])

        init() async {
            #expect(await program.next() == "state poweredOn")
            let service = CBMutableService(type: CBUUID(string: "FF10"), primary: true)
            let value = CBMutableCharacteristic(type: CBUUID(string: "FF01"), properties: .read, value: nil, permissions: .readable)
            service.characteristics = [value, ticks, either]
            program.manager.add(service)
            #expect(await program.next() == "added FF10")
            program.manager.startAdvertising(nil)
            #expect(await program.next() == "advertising true")
        }

        func update(_ count: Int, _ first: UInt8, of characteristic: CBMutableCharacteristic, for centrals: [CBCentral]?) -> Bool {
            let value = Data([first]) + Data(repeating: 0xAA, count: count - 1)
            return program.manager.updateValue(value, for: characteristic, onSubscribedCentrals: centrals)
        }
    }

    private static func notification(_ count: Int, _ first: UInt8) -> RawCentral.Value {
        RawCentral.Value(kind: "notification", uuid: "FF02", bytes: [first] + [UInt8](repeating: 0xAA, count: count - 1))
    }

    @Test("D18, D80, D90 to D93, D96, D97: updates for all, for some and for none, cut for whom they are meant", .timeLimit(.minutes(2)))
    func audiences() async throws {
        let desk = await Desk()
        let program = desk.program
        let (slow, fast, other) = (try await RawCentral(), try await RawCentral(), try await RawCentral())
        try await slow.connect()
        try await fast.connect(mtu: 517)
        try await other.connect()
        for (central, room) in [(slow, 20), (fast, 512)] {
            try await central.do("subscribe FF02 notify")
            #expect(await program.next() == "subscribed FF02 \(room)")
        }
        // Known only because it reads.
        let visitor = Locked<CBCentral?>(nil)
        program.answering.withLock {
            $0 = { manager, request in
                if visitor.withLock({ $0 }) == nil { visitor.withLock { $0 = request.central } }
                ServingProgram.serve(manager, request)
            }
        }
        try await other.do("read FF02")
        #expect(await program.next() == "read FF02 at 0")
        let subscribers = try #require(desk.ticks.subscribedCentrals)
        let stranger = try #require(visitor.withLock { $0 })
        #expect(subscribers.map(\.maximumUpdateValueLength) == [20, 512] && !subscribers.contains(stranger))

        #expect(desk.update(600, 1, of: desk.ticks, for: nil))
        #expect(desk.update(600, 2, of: desk.ticks, for: subscribers))
        #expect(desk.update(600, 3, of: desk.ticks, for: [subscribers[1]]))
        #expect(desk.update(600, 4, of: desk.ticks, for: [stranger]))
        #expect(desk.update(600, 5, of: desk.ticks, for: []))
        #expect(desk.update(600, 6, of: desk.ticks, for: [stranger, subscribers[0]]))
        #expect(desk.update(7, 7, of: desk.ticks, for: nil))
        // The answer of the program comes after the updates before it.
        for central in [slow, fast, other] {
            try await central.do("read FF01")
            #expect(await program.next() == "read FF01 at 0")
        }
        let short = [Self.notification(20, 1), Self.notification(20, 2), Self.notification(20, 3), Self.notification(20, 6), Self.notification(7, 7)]
        #expect(try await slow.values(5) == short)
        let long = [Self.notification(20, 1), Self.notification(20, 2), Self.notification(512, 3), Self.notification(20, 6), Self.notification(7, 7)]
        #expect(try await fast.values(5) == long)
        #expect(try await other.values(0) == [])
        #expect(desk.ticks.subscribedCentrals == subscribers)
    }

    @Test("D82, D85: a central changes from notifications to indications; its last word may be lost, and its leaving is not", .timeLimit(.minutes(2)))
    func change() async throws {
        let desk = await Desk()
        let program = desk.program
        let central = try await RawCentral()
        try await central.connect()
        try await central.do("subscribe FF03 notify")
        #expect(await program.next() == "subscribed FF03 20")
        #expect(desk.update(3, 1, of: desk.either, for: nil))
        #expect(try await central.values(1) == [RawCentral.Value(kind: "notification", uuid: "FF03", bytes: [1, 0xAA, 0xAA])])
        try await central.do("subscribe FF03 indicate")
        #expect(await program.next() == "unsubscribed FF03 20")
        #expect(await program.next() == "subscribed FF03 20")
        #expect(desk.either.subscribedCentrals?.count == 1)
        #expect(desk.update(3, 2, of: desk.either, for: nil))
        #expect(try await central.values(1) == [RawCentral.Value(kind: "indication", uuid: "FF03", bytes: [2, 0xAA, 0xAA])])
        try await central.do("subscribe FF03 off")
        #expect(desk.update(3, 3, of: desk.either, for: nil))
        try await central.do("read FF01")
        #expect(try await central.values(0) == [])
        try await central.do("disconnect")
        let calls = await program.calls(until: "unsubscribed FF03 20")
        #expect(calls.filter { $0 != "read FF01 at 0" } == ["unsubscribed FF03 20"])
        Rig.note("unsubscribed \(calls.count == 1 ? "when it switched off" : "when it left")")
        #expect(desk.either.subscribedCentrals == [])
    }
}
