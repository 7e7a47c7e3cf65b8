import GATT
import Testing

@testable import VirtualRadio

@Suite("What the virtual button and its controller say to each other")
struct HCITests {
    @Test("Events")
    func events() {
        #expect(HCI.event([4, 0x0E, 10, 1, 0x09, 0x10, 0, 7, 0, 7, 1, 0xAA, 0]) == .address(BluetoothAddress("00:AA:01:07:00:07")!))
        let linked: [UInt8] = [4, 0x3E, 19, 1, 0, 3, 0, 1, 0, 2, 0, 2, 1, 0xAA, 0, 24, 0, 0, 0, 42, 0, 0]
        #expect(HCI.event(linked) == .linked(handle: 3, BluetoothAddress("00:AA:01:02:00:02")!))
        #expect(HCI.event([4, 0x05, 4, 0, 3, 0, 0x13]) == .unlinked(handle: 3, reason: 0x13))
        #expect(HCI.event([4, 0x13, 5, 1, 3, 0, 1, 0]) == .sent(1))
        #expect(HCI.event([2, 3, 0x20, 7, 0, 3, 0, 4, 0, 0x0A, 1, 0]) == .attribute(handle: 3, [0x0A, 1, 0]))
        for length in 0..<linked.count where length < 15 { #expect(HCI.event(Array(linked.prefix(length))) == .other) }
        #expect(HCI.event([2, 3, 0x20, 7, 0, 4, 0, 4, 0, 0x0A, 1, 0]) == .other, "cut short")
        #expect(HCI.event([2, 3, 0x20, 7, 0, 3, 0, 6, 0, 0x0A, 1, 0]) == .other, "another channel")
    }

    @Test("Commands and data")
    func commands() {
        #expect(HCI.disconnect(3) == [1, 0x06, 0x04, 3, 3, 0, 0x13])
        #expect(HCI.attribute(3, [0x0B, 9]) == [2, 3, 0, 6, 0, 2, 0, 4, 0, 0x0B, 9])
        var advertisement = LocalAdvertisement()
        advertisement.name = "F210AAAA"
        advertisement.interval = .milliseconds(100)...(.milliseconds(100))
        let commands = HCI.advertise(advertisement)
        #expect(commands[0] == [1, 0x06, 0x20, 15, 160, 0, 160, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        #expect(commands[1].prefix(8) == [1, 0x08, 0x20, 32, 3, 2, 1, 6])
        #expect(commands[2].prefix(7) == [1, 0x09, 0x20, 32, 10, 9, 9])
        #expect(commands.map(\.count) == [19, 36, 36, 5])
    }
}
