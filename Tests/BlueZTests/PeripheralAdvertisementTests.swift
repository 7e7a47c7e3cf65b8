import DBus
import GATT
import Testing

@testable import BlueZ

@Suite("What fits into an advertisement, and how it is asked for (contract D51, D52)")
struct PeripheralAdvertisementTests {
    private static let long = BluetoothUUID("00420000-8f59-4420-870d-84f3b617e493").map { [$0] } ?? []

    private static func make(
        name: String? = nil,
        services: [BluetoothUUID] = [],
        data: [UInt16: [UInt8]] = [:],
        isConnectable: Bool = true
    ) -> LocalAdvertisement {
        var advertisement = LocalAdvertisement()
        advertisement.name = name
        advertisement.services = services
        advertisement.manufacturerData = data
        advertisement.isConnectable = isConnectable
        return advertisement
    }

    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test(
        "Sizes are those on the air",
        arguments: [
            (make(), 3, 0),
            (make(isConnectable: false), 0, 0),
            (make(services: long), 21, 0),
            (make(services: [BluetoothUUID(assigned: 0x180F), BluetoothUUID(assigned: 0x180A)]), 9, 0),
            (make(services: long + [BluetoothUUID(assigned: 0x180F)]), 25, 0),
            (make(name: "F210d1wF", services: long, data: [0x030F: bytes(5)]), 30, 10),
            (make(name: "Knöpfchen"), 3, 12),
            (make(data: [1: bytes(1), 2: bytes(2)]), 14, 0),
        ]
    )
    func sizes(advertisement: LocalAdvertisement, advertisementSize: Int, scanResponseSize: Int) {
        #expect(advertisement.advertisementSize == advertisementSize)
        #expect(advertisement.scanResponseSize == scanResponseSize)
        #expect(advertisement.excess == nil)
    }

    @Test("The numbers of 32 bits are sent in full")
    func longNumbers() {
        let uuids = ["00010001-0000-1000-8000-00805f9b34fb"].compactMap { BluetoothUUID($0) }
        #expect(Self.make(services: uuids).advertisementSize == 21)
    }

    @Test(
        "What does not fit is named, with the number of bytes",
        arguments: [
            (make(data: [1: bytes(24)]), nil),
            (make(data: [1: bytes(25)]), "services and manufacturer data are 1 bytes too long"),
            (make(data: [1: bytes(27)], isConnectable: false), nil),
            (make(services: long + long), "services and manufacturer data are 6 bytes too long"),
            (make(name: String(repeating: "a", count: 29)), nil),
            (make(name: String(repeating: "ä", count: 15)), "the name is 1 bytes too long"),
            (
                make(name: String(repeating: "a", count: 40), services: long + long),
                "services and manufacturer data are 6 bytes too long, the name is 11 bytes too long"
            ),
        ] as [(LocalAdvertisement, String?)]
    )
    func excess(advertisement: LocalAdvertisement, excess: String?) {
        #expect(advertisement.excess == excess)
    }

    @Test("Flags only")
    func flagsOnly() {
        #expect(Self.make(name: "").properties(hasInterval: true) == ["Type": .string("peripheral"), "Discoverable": .boolean(true)])
        #expect(Self.make(isConnectable: false).properties(hasInterval: true) == ["Type": .string("broadcast")])
    }

    @Test("A button in public mode")
    func publicButton() {
        let advertisement = Self.make(name: "F210d1wF", services: Self.long, data: [0x030F: [1, 2]])
        #expect(
            advertisement.properties(hasInterval: true) == [
                "Type": .string("peripheral"),
                "Discoverable": .boolean(true),
                "ServiceUUIDs": .strings(["00420000-8f59-4420-870d-84f3b617e493"]),
                "LocalName": .string("F210d1wF"),
                "ManufacturerData": .dictionary(key: "q", value: "v", [.uint16(0x030F): .variant(.bytes([1, 2]))]),
            ]
        )
    }

    @Test(
        "The interval is in milliseconds, within what bluetoothd takes, and can be left out",
        arguments: [
            (Duration.milliseconds(100), Duration.milliseconds(150), UInt32(100), UInt32(150)),
            (.milliseconds(1), .seconds(3600), 20, 10_485),
            (.seconds(-1), .microseconds(20_700), 20, 20),
        ]
    )
    func interval(lower: Duration, upper: Duration, minimum: UInt32, maximum: UInt32) {
        var advertisement = Self.make()
        advertisement.interval = lower...upper
        let properties = advertisement.properties(hasInterval: true)
        #expect(properties["MinInterval"] == .uint32(minimum) && properties["MaxInterval"] == .uint32(maximum))
        #expect(advertisement.properties(hasInterval: false) == Self.make().properties(hasInterval: false))
    }
}
