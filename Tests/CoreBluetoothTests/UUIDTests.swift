import GATT
import Testing

@testable import CoreBluetooth

@Suite("CBUUID")
struct UUIDTests {
    private static let long = "7A3B0001-52C8-4D5E-9F10-6C1B2E3D4F50"
    private static let battery = "0000180F-0000-1000-8000-00805F9B34FB"

    @Test(
        "D130: text of 4, 8 or 36 characters comes back in upper case, with the bytes that it stands for",
        arguments: [
            ("180F", [0x18, 0x0F]), ("180f", [0x18, 0x0F]), ("0000180F", [0, 0, 0x18, 0x0F]), ("12ab34CD", [0x12, 0xAB, 0x34, 0xCD]),
            ("7a3b0001-52C8-4d5e-9F10-6c1b2e3d4f50", [0x7A, 0x3B, 0, 1, 0x52, 0xC8, 0x4D, 0x5E, 0x9F, 0x10, 0x6C, 0x1B, 0x2E, 0x3D, 0x4F, 0x50]),
            (UUIDTests.battery, [0, 0, 0x18, 0x0F, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]),
        ] as [(String, [UInt8])]
    )
    func forms(_ text: String, bytes: [UInt8]) {
        let uuid = CBUUID(string: text)
        #expect(uuid.uuidString == text.uppercased() && uuid.data == Data(bytes) && "\(uuid)" == uuid.uuidString)
        let again = CBUUID(data: Data(bytes))
        #expect(again == uuid && again.uuidString == uuid.uuidString && again.data == uuid.data)
        // A slice, whose first index is not 0.
        #expect(CBUUID(data: Data([0xFF] + bytes)[1...]) == uuid)
    }

    @Test("D130: all bits of a UUID of Foundation count")
    func foundation() throws {
        let uuid = try #require(UUID(uuidString: Self.long))
        #expect(CBUUID(nsuuid: uuid) == CBUUID(string: Self.long) && CBUUID(nsuuid: uuid).uuidString == Self.long)
        #expect(CBUUID(nsuuid: try #require(UUID(uuidString: Self.battery))).uuidString == Self.battery)
    }

    @Test("D131: equal by meaning, in dictionaries, sets and patterns")
    func equality() {
        let forms = ["180F", "0000180f", Self.battery, Self.battery.lowercased()].map { CBUUID(string: $0) }
        #expect(Set(forms).count == 1 && Set(forms.map(\.hash)).count == 1)
        #expect([forms[0]: 1][forms[2]] == 1)
        #expect(forms[0] != CBUUID(string: "180A") && forms[0] != CBUUID(string: Self.long))
        #expect(CBUUID(string: "0001180F") != forms[0])
        #expect(!forms[0].isEqual("180F") && !forms[0].isEqual(nil))
        switch forms[2] {
        case CBUUID(string: "180A"): Issue.record("That is another.")
        case forms[0]: break
        default: Issue.record("The pattern does not match.")
        }
    }

    @Test("D132: to BlueZ 36 characters in lower case, back the shortest form")
    func transport() throws {
        #expect(CBUUID(string: "180F").bluetoothUUID.description == Self.battery.lowercased())
        for text in ["180F", "12AB34CD", Self.long, "0000180F-0000-1000-8000-00805F9B34FC"] {
            let uuid = CBUUID(string: text)
            #expect(CBUUID(uuid.bluetoothUUID).uuidString == text && CBUUID(uuid.bluetoothUUID).data == uuid.data)
        }
        #expect(CBUUID(try #require(BluetoothUUID(Self.battery))).uuidString == "180F")
    }

    @Test(
        "D130: anything else is no UUID",
        arguments: [
            "", "180", "180FF", "18 F", "-000", "+80F", "0x18", "18０", "é1é", "180G", "-0000000", "0000180G", "7A3B000152C84D5E9F106C1B2E3D4F50",
            "7A3B0001-52C8-4D5E-9F10-6C1B2E3D4F5", "7A3B0001-52C8-4D5E-9F10-6C1B2E3D4F500", "7A3B0001_52C8-4D5E-9F10-6C1B2E3D4F50",
            "{7A3B0001-52C8-4D5E-9F10-6C1B2E3D4F", String(repeating: "1", count: 1_000_000),
        ]
    )
    func bad(_ text: String) {
        #expect(CBUUID.parse(text) == nil)
    }

    @Test("D130: any other number of bytes is no UUID", arguments: [0, 1, 3, 5, 8, 15, 17, 32])
    func badData(_ count: Int) {
        #expect(CBUUID.parse(Data(count: count)) == nil)
    }

    @Test("D48: what is no UUID ends the program")
    func ending() async {
        await #expect(processExitsWith: .failure) { _ = CBUUID(string: "Battery") }
        await #expect(processExitsWith: .failure) { _ = CBUUID(data: Data([1, 2, 3])) }
        await #expect(processExitsWith: .success) { _ = CBUUID(string: "180F") }
    }
}
