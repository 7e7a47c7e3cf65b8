import GATT
import Testing

@testable import VirtualRadio

@Suite("Attribute server of the virtual button")
struct AttributeServerTests {
    static let toButton = AttributeID(1)
    static let fromButton = AttributeID(2)

    static let service = LocalService(
        uuid: BluetoothUUID("00420000-8f59-4420-870d-84f3b617e493")!,
        characteristics: [
            LocalCharacteristic(id: toButton, uuid: BluetoothUUID("00420001-8f59-4420-870d-84f3b617e493")!, flags: [.writeWithoutResponse]),
            LocalCharacteristic(id: fromButton, uuid: BluetoothUUID("00420002-8f59-4420-870d-84f3b617e493")!, flags: [.notify]),
        ]
    )

    static func table(base: UInt16 = 0x20, tellsChanges: Bool = true) -> AttributeTable {
        AttributeTable([service], base: base, tellsChanges: tellsChanges)
    }

    var server = AttributeServer(table())

    /// 93 E4 … 42 00: the service's UUID as on the air, its third byte from the end being `number`.
    func uuid(_ number: UInt8) -> [UInt8] {
        [0x93, 0xE4, 0x17, 0xB6, 0xF3, 0x84, 0x0D, 0x87, 0x20, 0x44, 0x59, 0x8F, number, 0x00, 0x42, 0x00]
    }

    @Test("A client finds services, characteristics and the descriptor, as bluetoothd looks for them")
    mutating func discovery() {
        #expect(server.receive([0x02, 0x05, 0x02]) == [.send([0x03, 140, 0])])
        #expect(server.mtu == 140)
        #expect(
            server.receive([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28])
                == [.send([0x11, 6, 1, 0, 3, 0, 0x00, 0x18, 8, 0, 11, 0, 0x01, 0x18])]
        )
        #expect(server.receive([0x10, 12, 0, 0xFF, 0xFF, 0x00, 0x28]) == [.send([0x11, 20, 0x20, 0, 0x25, 0] + uuid(0))])
        #expect(server.receive([0x10, 0x26, 0, 0xFF, 0xFF, 0x00, 0x28]) == [.send([0x01, 0x10, 0x26, 0, 0x0A])])
        #expect(
            server.receive([0x08, 0x20, 0, 0x25, 0, 0x03, 0x28])
                == [.send([0x09, 21, 0x21, 0, 0x04, 0x22, 0] + uuid(1) + [0x23, 0, 0x10, 0x24, 0] + uuid(2))]
        )
        #expect(server.receive([0x04, 0x25, 0, 0x25, 0]) == [.send([0x05, 1, 0x25, 0, 0x02, 0x29])])
        #expect(server.receive([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28] + uuid(0)) == [.send([0x07, 0x20, 0, 0x25, 0])])
    }

    @Test("What does not fit into a small packet is left for the next request")
    mutating func smallPackets() {
        #expect(server.receive([0x08, 0x20, 0, 0x25, 0, 0x03, 0x28]) == [.send([0x09, 21, 0x21, 0, 0x04, 0x22, 0] + uuid(1))])
        #expect(server.receive([0x04, 1, 0, 6, 0]) == [.send([0x05, 1, 1, 0, 0x00, 0x28, 2, 0, 0x03, 0x28, 3, 0, 0x00, 0x2A])])
        #expect(server.receive([0x0A, 3, 0]) == [.send([0x0B] + Array("Flic 2".utf8))])
        #expect(server.receive([0x0C, 3, 0, 4, 0]) == [.send([0x0D] + Array(" 2".utf8))])
        #expect(server.receive([0x0C, 3, 0, 7, 0]) == [.send([0x01, 0x0C, 3, 0, 0x07])])
    }

    @Test("Values are written by commands and come as notifications once they are switched on")
    mutating func values() {
        #expect(server.receive([0x52, 0x22, 0, 1, 2, 3]) == [.written(Self.toButton, [1, 2, 3])])
        #expect(server.receive([0x52, 0x24, 0, 1]) == [])
        #expect(server.notification([1], of: Self.fromButton) == nil)
        #expect(server.receive([0x12, 0x25, 0, 1, 0]) == [.send([0x13]), .switched(Self.fromButton, isOn: true)])
        #expect(server.notification([1], of: Self.fromButton) == [0x1B, 0x24, 0, 1])
        #expect(server.notification([UInt8](repeating: 7, count: 30), of: Self.fromButton)?.count == 23)
        #expect(server.receive([0x0A, 0x25, 0]) == [.send([0x0B, 1, 0])])
        #expect(server.receive([0x12, 0x25, 0, 0, 0]) == [.send([0x13]), .switched(Self.fromButton, isOn: false)])
        #expect(server.notification([1], of: Self.fromButton) == nil)
    }

    @Test("Handles move; who listens for it is told, and old handles are no more")
    mutating func moved() {
        #expect(server.replace(Self.table(base: 0x21)) == nil)
        #expect(server.receive([0x12, 11, 0, 2, 0]) == [.send([0x13])])
        _ = server.receive([0x12, 0x26, 0, 1, 0])
        #expect(server.replace(Self.table(base: 0x30)) == [0x1D, 10, 0, 1, 0, 0xFF, 0xFF])
        #expect(server.notification([1], of: Self.fromButton) == nil)
        #expect(server.receive([0x12, 0x26, 0, 1, 0]) == [.send([0x01, 0x12, 0x26, 0, 0x01])])
        server = AttributeServer(Self.table(tellsChanges: false))
        #expect(server.receive([0x0A, 11, 0]) == [.send([0x01, 0x0A, 11, 0, 0x01])])
    }

    @Test(
        "What makes no sense is refused, or ignored if it is a command",
        arguments: [
            ([], nil), ([0x52], nil), ([0xD2, 1, 0, 0], nil), ([0x1E], nil), ([0x02, 1], [0x01, 0x02, 0, 0, 0x06]),
            ([0x04, 5, 0, 4, 0], [0x01, 0x04, 5, 0, 0x01]), ([0x08, 0, 0, 4, 0, 3, 0x28], [0x01, 0x08, 0, 0, 0x01]),
            ([0x12, 0x22, 0, 1], [0x01, 0x12, 0x22, 0, 0x03]), ([0x12, 0x25, 0, 1], [0x01, 0x12, 0x25, 0, 0x0D]),
            ([0x0A, 0x24, 0], [0x01, 0x0A, 0x24, 0, 0x02]), ([0x20, 1, 0, 2, 0], [0x01, 0x20, 0, 0, 0x06]),
            ([0x10, 1, 0, 2, 0, 0x01, 0x28], [0x01, 0x10, 1, 0, 0x10]),
        ] as [([UInt8], [UInt8]?)]
    )
    mutating func refused(packet: [UInt8], answer: [UInt8]?) {
        #expect(server.receive(packet) == (answer.map { [.send($0)] } ?? []))
    }
}
