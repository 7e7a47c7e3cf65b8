import GATT
import Testing

@Suite("Bluetooth UUIDs")
struct BluetoothUUIDTests {
    @Test(
        "The text form comes back in lower case",
        arguments: [
            "00420000-8f59-4420-870d-84f3b617e493", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "00000000-0000-0000-0000-000000000000",
        ]
    )
    func text(_ text: String) {
        #expect(BluetoothUUID(text)?.description == text.lowercased())
    }

    @Test("Assigned numbers stand for the long form")
    func assigned() {
        #expect(BluetoothUUID("180A")?.description == "0000180a-0000-1000-8000-00805f9b34fb")
        #expect(BluetoothUUID("2a27") == BluetoothUUID(assigned: 0x2A27))
        #expect(BluetoothUUID("0000180a-0000-1000-8000-00805f9b34fb") == BluetoothUUID(assigned: 0x180A))
    }

    @Test("Bytes are in the order of the text")
    func bytes() {
        let bytes = (0..<16).map { UInt8($0 * 17) }
        #expect(BluetoothUUID(bytes: bytes)?.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(BluetoothUUID(bytes: bytes)?.bytes == bytes)
        #expect(BluetoothUUID(assigned: 0x2A27).bytes.starts(with: [0, 0, 0x2A, 0x27, 0, 0, 0x10, 0, 0x80]))
        #expect(BluetoothUUID(bytes: bytes.dropLast()) == nil)
        #expect(BluetoothUUID(bytes: bytes + [0]) == nil)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "180", "180AB", "+80A", "-80A", "-000", " 80A", "18０A",
            "00420000-8f59-4420-870d-84f3b617e49", "00420000-8f59-4420-870d-84f3b617e4933",
            "00420000_8f59-4420-870d-84f3b617e493", "0042000-08f59-4420-870d-84f3b617e493", "0042000g-8f59-4420-870d-84f3b617e493",
            "004200008f594420870d84f3b617e493", "ééééééééééééééééée",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }
}
