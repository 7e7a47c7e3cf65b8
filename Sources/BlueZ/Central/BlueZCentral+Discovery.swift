import DBus
import EventLoops
public import GATT

/// Listening for devices, on each adapter that is asked for.
extension BlueZCentral {
    /// Our discovery on one adapter.
    struct Ear {
        /// Tells the answers to this one from those to earlier ones.
        let number: UInt64
        var discovery = BlueZDiscovery()
        var timer: ScheduledWork?
    }

    /// Listens on the adapter in use, or on all that may be used, beside other programs that do so.
    public func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        wanted = filter
        self.reach = reach
        updateDiscovery()
        // What other programs' discovery has just found need not be waited for.
        guard filter != nil, state == .poweredOn else { return }
        loop.execute { [weak self] in
            self?.assumeIsolated { central in
                for device in central.tree.paths(with: BlueZName.device) { central.heard(device) }
            }
        }
    }

    /// Whether the adapter of a device is listened on.
    func isListening(toThatOf device: String) -> Bool {
        guard let adapter = tree.adapter(of: device) else { return false }
        return reach == .all ? adapters.contains(adapter) : adapter == adapters.first
    }

    /// Brings each adapter in line with what is wanted.
    func updateDiscovery() {
        guard state == .poweredOn else { return }
        let adapters = adapters
        // What is gone or off has ended its discoveries by itself.
        for adapter in ears.keys where !adapters.contains(adapter) { dropEar(adapter) }
        for adapter in adapters {
            let isMeant = reach == .all || adapter == adapters.first
            guard isMeant || ears[adapter] != nil else { continue }
            ears[adapter, default: Ear(number: nextNumber())].discovery.want(isMeant ? wanted : nil)
            proceed(adapter)
        }
    }

    private func proceed(_ adapter: String) {
        guard let step = ears[adapter]?.discovery.next(), let number = ears[adapter]?.number else { return }
        let (member, arguments): (String, [DBusValue]) =
            switch step {
            case .setFilter(let filter): ("SetDiscoveryFilter", BlueZDiscovery.arguments(filter))
            case .start: ("StartDiscovery", [])
            case .stop: ("StopDiscovery", [])
            }
        call(adapter, BlueZName.adapter, member, arguments) { central, result in
            guard central.ears[adapter]?.number == number else { return }
            if let error = result.failure { central.log("\(error)") }
            let pause = central.ears[adapter]?.discovery.answered(step, result.failure) ?? .zero
            guard pause > .zero else { return central.proceed(adapter) }
            central.ears[adapter]?.timer?.cancel()
            central.ears[adapter]?.timer = central.loop.schedule(after: pause) { [weak central] in
                central?.assumeIsolated { if $0.ears[adapter]?.number == number { $0.proceed(adapter) } }
            }
        }
    }

    func dropEars() {
        for adapter in ears.keys { dropEar(adapter) }
    }

    private func dropEar(_ adapter: String) {
        ears.removeValue(forKey: adapter)?.timer?.cancel()
    }
}
