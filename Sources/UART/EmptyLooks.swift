import EventLoops
import GATT

/// Devices that were connected to see whether they have the service, which their advertisements did not show, and have not.
///
/// They are let be for a while, longer each time: they are strangers, who have other things to do.
struct EmptyLooks {
    /// Between two looks at the same device.
    static let pause: ClosedRange<Duration> = .seconds(60)...(.seconds(3600))
    /// More are not remembered; the one that may be looked at soonest is forgotten.
    static let most = 64

    private var looks: [BluetoothAddress: (count: Int, until: Duration)] = [:]

    /// Whether a device may be looked at.
    func admits(_ address: BluetoothAddress, now: Duration) -> Bool { (looks[address]?.until ?? now) <= now }

    /// A look was in vain.
    mutating func add(_ address: BluetoothAddress, now: Duration) {
        let count = (looks[address]?.count ?? 0) + 1
        if looks[address] == nil, looks.count == Self.most, let soonest = looks.min(by: { $0.value.until < $1.value.until })?.key {
            looks[soonest] = nil
        }
        looks[address] = (count, now + Self.pause.backOff(after: count))
    }

    /// A device has the service after all.
    mutating func remove(_ address: BluetoothAddress) { looks[address] = nil }
}
