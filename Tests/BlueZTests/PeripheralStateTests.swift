import DBus
import FlicSimulator
import GATT
import Testing

@testable import BlueZ

@Suite("Whether a peripheral can be used", .timeLimit(.minutes(1)), .virtualTime)
struct PeripheralStateTests {
    private static let gatt = "org.bluez.GattManager1"
    private static let advertising = "org.bluez.LEAdvertisingManager1"
    private static let adapter = "org.bluez.Adapter1"

    @Test("D1: an adapter that cannot publish services, or not advertise, is of no use until it can", arguments: [gatt, advertising])
    func managers(missing: String) async throws {
        let stage = try await FakeStage(nil)
        let peripheral = BlueZPeripheral(session: BlueZSession(bus: stage.bus.address, loop: VirtualTime.makeLoop("program")))
        let states = FakeTranscript()
        await peripheral.start { event in
            if case .state(let state) = event { states.note(state == .unsupported(.missing) ? "unsupported" : "\(state)") }
        }
        await states.wait { !$0.isEmpty }
        #expect(states.take() == ["unsupported"])
        let properties: [String: DBusValue] = [
            "Address": .string("00:AA:01:01:00:00"), "AddressType": .string("public"), "Powered": .boolean(true), "PowerState": .string("on"),
            "Roles": .strings(["central", "peripheral"]),
        ]
        let present = missing == Self.gatt ? Self.advertising : Self.gatt
        await stage.fake.addObject(at: FakeStage.adapter, [Self.adapter: properties, present: [:]])
        await stage.fake.changeProperties(["Powered": .boolean(false), "PowerState": .string("off")], of: Self.adapter, at: FakeStage.adapter)
        await stage.fake.addObject(at: FakeStage.adapter, [missing: [:]])
        await states.wait(for: "poweredOff")
        await stage.fake.changeProperties(["Powered": .boolean(true), "PowerState": .string("on")], of: Self.adapter, at: FakeStage.adapter)
        await states.wait(for: "poweredOn")
        #expect(states.take() == ["poweredOff", "poweredOn"])
    }
}
