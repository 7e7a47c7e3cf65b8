import GATT
import Testing

@testable import UART

@Suite("Devices that were looked at in vain")
struct EmptyLooksTests {
    @Test("So many are remembered; the one that may be looked at soonest is forgotten")
    func bounded() {
        var looks = EmptyLooks()
        for value in 0...EmptyLooks.most { looks.add(BluetoothAddress(value: UInt64(value)), now: .milliseconds(value)) }
        let now = Duration.milliseconds(EmptyLooks.most)
        let admitted = (0...EmptyLooks.most).filter { looks.admits(BluetoothAddress(value: UInt64($0)), now: now) }
        #expect(admitted == [0])
        looks.add(BluetoothAddress(value: 0), now: now)
        #expect(!looks.admits(BluetoothAddress(value: 0), now: now))
    }

    @Test("A device is let be for an hour at most")
    func longest() {
        var looks = EmptyLooks()
        let device = BluetoothAddress(value: 1)
        for _ in 0..<100 { looks.add(device, now: .zero) }
        #expect(!looks.admits(device, now: .seconds(3599)))
        #expect(looks.admits(device, now: .seconds(3600)))
    }
}
