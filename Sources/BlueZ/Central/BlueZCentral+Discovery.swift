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
        /// As far as can be seen no other program listens on the adapter: then bluetoothd passes on what our filter admits, and nothing else.
        var isAlone = false
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
        ears[adapter]?.isAlone = step == .start && !isDiscovering(adapter)
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

    /// Whether anybody listens on an adapter. Before we begin that is another program.
    private func isDiscovering(_ adapter: String) -> Bool { tree.properties(adapter, BlueZName.adapter)?["Discovering"]?.bool == true }

    /// What a device may offer beyond the services that bluetoothd shows. Once it has looked them up it adds none that are advertised later
    /// (device_add_eir_uuids), but passes on only what matches a filter of somebody (is_filter_match): RSSI changes with each advertisement.
    func hiddenServices(of device: String, showing services: [BluetoothUUID]) -> HiddenServices {
        guard case .services(let sought) = wanted, !sought.contains(where: { services.contains($0) }), let adapter = tree.adapter(of: device) else {
            return .none
        }
        // Every device has Generic Access, and none advertises it; what is known of a paired one outlasts bluetoothd.
        guard services.contains(BluetoothUUID(assigned: 0x1800)) || tree.isTrue("Paired", of: device) else {
            ears[adapter]?.isAlone = false  // it was passed on for somebody else
            return .none
        }
        return ears[adapter]?.isAlone == true ? .likely : .possible
    }

    func dropEars() {
        for adapter in ears.keys { dropEar(adapter) }
    }

    private func dropEar(_ adapter: String) {
        ears.removeValue(forKey: adapter)?.timer?.cancel()
    }
}
