import EventLoops
import GATT

/// A central whose notifications have their times taken as they come.
actor StampedCentral: Central {
    private let base: any Central
    private let times: PressTimes
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ base: any Central, _ times: PressTimes) {
        self.base = base
        self.times = times
        loop = base.loop
    }

    func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) { base.assumeIsolated { $0.start(handler) } }

    func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) { base.assumeIsolated { $0.discover(filter, on: reach) } }

    func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { base.assumeIsolated { $0.isLinkedByOthers(address) } }

    func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        base.assumeIsolated { [times] base in
            base.open(request) { event in
                if case .value = event { times.notified() }
                handler(event)
            }
        }
    }

    func remembered(_ address: BluetoothAddress) -> Advertisement? { base.assumeIsolated { $0.remembered(address) } }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        base.assumeIsolated { $0.write(value, to: characteristic, on: link, completion: completion) }
    }

    func close(_ link: LinkID, _ ending: LinkEnding) { base.assumeIsolated { $0.close(link, ending) } }
}
