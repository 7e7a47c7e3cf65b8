import DBus
import EventLoops
public import GATT

/// Subscriptions, notifications and indications.
extension BlueZPeripheral {
    /// How long the acknowledgement of an indication is waited for (contract D95).
    private static let indicationTime = Duration.seconds(30)

    // MARK: Serving

    /// The characteristics of an offer now have these objects.
    func serve(_ offer: Offer, root: String) {
        guard case .services(let services) = offer.content else { return }
        for object in ApplicationTree(services, root: root).objects {
            guard case .characteristic(let characteristic) = object.role else { continue }
            served[characteristic.id] = ServedCharacteristic(
                path: object.path,
                value: characteristic.value,
                onlyIndicates: characteristic.onlyIndicates
            )
        }
    }

    /// Nothing of them is left: no subscriber, no update that waits, no request, nothing for those who read on. What was withdrawn and published
    /// anew meanwhile has other objects and stays.
    func stopServing(below root: String) {
        for (id, characteristic) in served where characteristic.path.hasPrefix(root + "/") {
            served[id]?.abandon()
            served[id] = nil
            longReads.forget { $0.attribute == id }
        }
        for (request, open) in requests where open.call.path.hasPrefix(root + "/") { expire(request) }
        flushIfPossible()
    }

    // MARK: Subscriptions

    /// A central subscribes. The socket that it is about is refused, upon which bluetoothd listens to signals (contract D80).
    func acquireNotify(_ id: AttributeID, _ call: IncomingCall) {
        guard let (options, central) = asker(call.arguments[0]) else { return refuse(call) }
        call.fail(DBusError(name: "org.bluez.Error.NotSupported"))
        guard served[id]?.path == call.path, served[id]?.subscribe(options.device, mtu: options.mtu) == true else { return }
        tell(.subscribed(id, central))
    }

    /// The last central has unsubscribed. Of the others bluetoothd tells nothing (contract D84).
    func stopNotify(_ id: AttributeID, _ call: IncomingCall) {
        call.reply()
        guard served[id]?.path == call.path else { return }
        served[id]?.unsubscribeAll()
        flushIfPossible()
        tell(.allUnsubscribed(id))
    }

    /// The link of a central has ended.
    func left(_ device: String) {
        longReads.forget { $0.device == device }
        let isBonded = isBonded(device)
        for id in served.keys {
            if let next = served[id]?.left(device, isBonded: isBonded) { send(next, id) }
        }
        flushIfPossible()
    }

    /// A central has a link again: bluetoothd has kept its subscriptions if it is bonded, and says nothing about that (contract D86).
    func returned(_ device: String, _ address: BluetoothAddress) {
        let isBonded = isBonded(device)
        for id in served.sorted(by: { $0.value.path < $1.value.path }).map(\.key) {
            guard let mtu = served[id]?.returned(device, isBonded: isBonded) else { continue }
            tell(.subscribed(id, RemoteCentral(address: address, mtu: mtu)))
        }
    }

    /// bluetoothd knows a device no longer.
    func forget(_ device: String) {
        for id in served.keys { served[id]?.forget(device) }
    }

    /// Versions without the one property mean the same by the other.
    private func isBonded(_ device: String) -> Bool {
        let properties = tree.properties(device, BlueZName.device)
        return (properties?["Bonded"] ?? properties?["Paired"])?.bool == true
    }

    // MARK: Updates

    /// Sends a value to all who have subscribed. Indications go out one by one, each when the one before has been acknowledged.
    public func update(_ value: [UInt8], of characteristic: AttributeID) {
        guard served[characteristic]?.admits(value) == true else { return }
        send(value, characteristic)
    }

    private func send(_ value: [UInt8], _ id: AttributeID) {
        guard let current = served[id] else { return }
        if current.onlyIndicates, !current.subscribers.isEmpty {
            let patience = loop.schedule(after: Self.indicationTime) { [weak self] in
                self?.assumeIsolated { $0.sendNext(id, $0.served[id]?.gaveUp()) }
            }
            served[id]?.sent(patience)
        }
        // Sent as a signal even if the value is what it was: each update counts (contract D91).
        let arguments: [DBusValue] = [.string(BlueZName.characteristic), .properties(["Value": .bytes(value)]), .strings([])]
        let signal = Signal(at: current.path, BlueZName.properties, "PropertiesChanged", arguments)
        session.assumeIsolated { $0.connection }.assumeIsolated { $0.send(signal) }
    }

    /// A central has acknowledged an indication.
    func confirm(_ id: AttributeID, _ call: IncomingCall) {
        call.reply()
        guard served[id]?.path == call.path else { return }
        sendNext(id, served[id]?.acknowledged())
    }

    private func sendNext(_ id: AttributeID, _ next: [UInt8]?) {
        if let next { send(next, id) }
        flushIfPossible()
    }

    // MARK: Flow

    /// Calls back once bluetoothd has taken all updates so far.
    public func flushUpdates(_ completion: @escaping @Sendable () -> Void) {
        flushes.append(completion)
        flushIfPossible()
    }

    /// Asks bluetoothd for a sign of life when no indication is held back here: it answers after it has taken what was sent before
    /// (contract D94).
    private func flushIfPossible() {
        guard !flushes.isEmpty, served.values.allSatisfy(\.held.isEmpty) else { return }
        let completions = flushes
        flushes = []
        session.assumeIsolated { session in
            session.call("/org/bluez", "org.freedesktop.DBus.Peer", "Ping") { _ in
                for completion in completions { completion() }
            }
        }
    }
}
