/// Time.
extension FakeBlueZ {
    /// How long things take, and how long they are kept.
    public struct Timing: Sendable, Equatable {
        /// How long a Connect may take: 41 s with bluetoothd.
        public var connectLimit: Duration = .seconds(41)
        /// From Disconnect to the end of the link: 2 s with bluetoothd.
        public var disconnect: Duration = .milliseconds(20)
        /// How long an unpaired device is kept after it was last heard or connected: 30 s with bluetoothd. Nil for ever.
        public var temporary: Duration?
        /// From owning the name to the first adapter: up to seconds with bluetoothd.
        public var adapters: Duration = .zero
        /// Time in which a device is reported once while discovering: 10.24 s with strict controllers. Nil reports each advertisement.
        public var scanRound: Duration?
        /// From a link to the discovery that remembered services are out of date.
        public var rediscovery: Duration = .milliseconds(20)
        /// The radio.
        public var air: SimulatedAir.Timing

        /// Short times.
        public init() {
            air = SimulatedAir.Timing()
            air.link = .milliseconds(5)
            air.services = .milliseconds(5)
            air.frame = .milliseconds(1)
            air.close = .milliseconds(1)
        }

        /// The times of bluetoothd, for simulated time.
        public static var likeBluetoothd: Timing {
            var timing = Timing()
            timing.disconnect = .seconds(2)
            timing.temporary = .seconds(30)
            timing.adapters = .seconds(3)
            timing.scanRound = .milliseconds(10_240)
            timing.rediscovery = .seconds(1)
            timing.air = SimulatedAir.Timing()
            return timing
        }
    }
}
