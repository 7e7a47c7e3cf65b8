import EventLoops
import GATT
import Testing

@testable import CoreBluetooth

@Suite("Centrals and requests")
struct PeerTests {
    private static let address = BluetoothAddress(kind: .random, value: 0xC0DE_1234_5678)

    @Test(
        "D96: updates have the bytes that the link takes, at most 512",
        arguments: [
            (Int.min, 20), (0, 20), (22, 20), (23, 20), (24, 21), (185, 182), (514, 511), (515, 512), (517, 512), (65535, 512), (Int.max, 512),
        ]
    )
    func length(mtu: Int, length: Int) {
        #expect(CBCentral(address: Self.address, mtu: mtu).maximumUpdateValueLength == length)
        let central = CBCentral(address: Self.address, mtu: 23)
        central.learn(mtu: mtu)
        #expect(central.maximumUpdateValueLength == length)
    }

    @Test("D96: the identifier is that of the address, of version 8, and tells both kinds of address apart")
    func identifier() {
        let identifier = CBCentral(address: Self.address, mtu: 23).identifier
        #expect(identifier == CBCentral(address: Self.address, mtu: 185).identifier)
        #expect(identifier.uuidString == "F11CCE27-5A1D-8000-8001-C0DE12345678")
        let others = [BluetoothAddress(value: Self.address.value), BluetoothAddress(kind: .random, value: 0), BluetoothAddress(value: 0)]
        #expect(Set(others.map { CBCentral(address: $0, mtu: 23).identifier } + [identifier]).count == 4)
    }

    @Test("A23: UUIDs and centrals may be sent to other threads")
    func sendable() {
        func check(_ value: some Sendable) -> Bool { true }
        #expect(check(CBUUID(string: "180F")) && check(CBCentral(address: Self.address, mtu: 23)) && check(CBError(.unknown)))
    }

    private static func request(value: Data?) -> CBATTRequest {
        CBATTRequest(
            id: RequestID(7),
            central: CBCentral(address: address, mtu: 23),
            characteristic: CBMutableCharacteristic(type: CBUUID(string: "2A19"), properties: .read, value: nil, permissions: .readable),
            offset: 22,
            value: value
        )
    }

    @Test("D60: a request has central, characteristic, offset and value; the value may be set")
    func request() {
        let request = Self.request(value: nil)
        #expect(request.offset == 22 && request.value == nil && request.characteristic.uuid == CBUUID(string: "2A19"))
        #expect((request.central as CBPeer).identifier == request.central.identifier)
        request.value = Data([1])
        #expect(request.value == Data([1]) && Self.request(value: Data([2])).value == Data([2]))
    }
}
