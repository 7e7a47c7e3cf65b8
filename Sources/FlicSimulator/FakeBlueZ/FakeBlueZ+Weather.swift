import DBus
import EventLoops
import GATT

/// Weather.
extension FakeBlueZ {
    /// Lets a spell of trouble pass: begins it, waits on the loop's clock until its time is over, and puts right what does not go away by itself.
    ///
    /// - Parameters:
    ///   - spell: What happens, and for how long.
    ///   - bus: The daemon's bus.
    ///   - clock: The clock of its loop.
    /// - Throws: Why the bus or the daemon cannot be started again.
    public func endure(_ spell: Weather.Spell, bus: PrivateBus, clock: VirtualLoop) async throws {
        let adapter = adapters.keys.min().flatMap { adapters[$0]?.settings }
        note("weather \(spell)")
        begin(spell, adapter, bus, clock)
        await loop.pause(for: spell.span)
        try await end(spell, adapter, bus)
        note("weather \(spell.kind.rawValue) is over")
    }

    private func begin(_ spell: Weather.Spell, _ adapter: AdapterSettings?, _ bus: PrivateBus, _ clock: VirtualLoop) {
        switch spell.kind {
        case .crash: crash()
        case .hang, .hangAndCrash: hang()
        case .busLoss:
            bus.stop()
            clock.noteTraffic()
            crash()
        case .powerOff: if let adapter { setPower(.off, of: adapter.name) }
        case .block: if let adapter { setPower(.blocked, of: adapter.name) }
        case .unplug, .renumber, .exchange: if let adapter { removeAdapter(adapter.name) }
        case .removal: removeDevices(spell.button)
        case .linkLoss: air.assumeIsolated { $0.loseLink(to: spell.button) }
        case .absence: air.assumeIsolated { $0.setInRange(false, spell.button) }
        case .suspend:
            for path in devices.keys.sorted() { if let address = devices[path]?.address { air.assumeIsolated { $0.loseLink(to: address) } } }
            clock.jump(by: spell.span)
        case .flaps: makeTrouble("Device1.Connect", .flap(.milliseconds(40)), spell.button)
        case .busy: makeTrouble(spell.method, .error(.bluez("InProgress", "Operation already in progress")), spell.button)
        case .silence: makeTrouble(spell.method, .silence, spell.button)
        case .lateness: makeTrouble(spell.method, .late(spell.span / 4), spell.button)
        case .vanishing:
            for path in devicePaths(spell.button) { hideServices(of: path) }
        case .phantom: loseLinkUnnoticed(to: spell.button)
        case .moving:
            moveServices(of: spell.button)
            air.assumeIsolated { $0.loseLink(to: spell.button) }
        case .lateSignals:
            faults.signalDelay = .milliseconds(300)
            air.assumeIsolated { $0.loseLink(to: spell.button) }
        case .doubledSignals:
            faults.signalCopies = 2
            air.assumeIsolated { $0.loseLink(to: spell.button) }
        }
    }

    private func end(_ spell: Weather.Spell, _ adapter: AdapterSettings?, _ bus: PrivateBus) async throws {
        switch spell.kind {
        case .crash: try await start()
        case .hang: goOn()
        case .hangAndCrash:
            crash()
            await loop.pause(for: .seconds(1))
            try await start()
        case .busLoss:
            try bus.start()
            try await start()
        case .powerOff, .block: if let adapter { setPower(.on, of: adapter.name) }
        case .unplug: if let adapter { addAdapter(adapter) }
        case .renumber, .exchange:
            guard var adapter else { break }
            adapter.name = adapter.name == "hci0" ? "hci1" : "hci0"
            if spell.kind == .exchange { adapter.address = BluetoothAddress(value: adapter.address.value ^ 1) }
            addAdapter(adapter)
        case .absence: await air.setInRange(true, spell.button)
        case .flaps, .busy, .silence, .lateness: endTrouble()
        case .lateSignals, .doubledSignals:
            faults.signalDelay = .zero
            faults.signalCopies = 1
        case .removal, .linkLoss, .suspend, .vanishing, .phantom, .moving: break
        }
    }

    /// A call goes wrong, and the link is lost so that calls are made.
    private func makeTrouble(_ title: String, _ trouble: Trouble, _ button: BluetoothAddress) {
        self.trouble(with: title, trouble)
        air.assumeIsolated { $0.loseLink(to: button) }
    }

    private func devicePaths(_ button: BluetoothAddress) -> [String] { devices.keys.sorted().filter { devices[$0]?.address == button } }

    private func removeDevices(_ button: BluetoothAddress) {
        for path in devicePaths(button) { removeObject(at: path) }
    }
}
