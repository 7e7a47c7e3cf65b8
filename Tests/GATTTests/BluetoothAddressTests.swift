import GATT
import Testing

@Suite("Bluetooth addresses")
struct BluetoothAddressTests {
    @Test("Text, wire order and value are the same address")
    func forms() throws {
        let address = try #require(BluetoothAddress("80:e4:Da:12:34:56"))
        #expect(address.description == "80:E4:DA:12:34:56")
        #expect(address.wireBytes == [0x56, 0x34, 0x12, 0xDA, 0xE4, 0x80])
        #expect(BluetoothAddress(wireBytes: address.wireBytes) == address)
        #expect(BluetoothAddress(value: 0xFFFF_80E4_DA12_3456) == address)
        #expect(BluetoothAddress("00:00:00:00:00:01")?.description == "00:00:00:00:00:01")
    }

    @Test("The kind is part of the address")
    func kind() {
        #expect(BluetoothAddress("80:E4:DA:12:34:56", kind: .random) != BluetoothAddress("80:E4:DA:12:34:56"))
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "80:E4:DA:12:34", "80:E4:DA:12:34:56:78", "80E4DA123456", "80:E4:DA:12:34:5", "80:E4:DA:12:34:5G", "+0:E4:DA:12:34:56",
            "80:E4:DA:12:34:", ":::::", "80-E4-DA-12-34-56", "８0:E4:DA:12:34:56",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
        #expect(BluetoothAddress(wireBytes: [1, 2, 3, 4, 5]) == nil)
    }
}
