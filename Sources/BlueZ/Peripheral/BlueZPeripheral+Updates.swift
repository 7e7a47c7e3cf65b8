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

    /// What was withdrawn and published anew meanwhile has other objects and stays.
    func stopServing(below root: String) {
        for (id, characteristic) in served where characteristic.path.hasPrefix(root + "/") {
            served[id]?.abandoned()
            served[id] = nil
        }
        flushIfPossible()
    }

    // MARK: Subscriptions

    /// A central subscribes. The socket that it is about is refused, upon which bluetoothd listens to signals (contract D80).
    func acquireNotify(_ id: AttributeID, _ call: IncomingCall) {
        call.fail(DBusError(name: "org.bluez.Error.NotSupported"))
        guard served[id] != nil, let options = RequestOptions(call.arguments.first) else { return }
        served[id]?.subscribers.insert(options.device)
        tell(.subscribed(id, central(options)))
    }

    /// The last central has unsubscribed. Of the others bluetoothd tells nothing (contract D84).
    func stopNotify(_ id: AttributeID, _ call: IncomingCall) {
        call.reply()
        guard served[id] != nil else { return }
        served[id]?.subscribers = []
        served[id]?.abandoned()
        flushIfPossible()
        tell(.allUnsubscribed(id))
    }

    /// The link of a central has ended.
    func unsubscribe(_ device: String) {
        for id in served.keys where served[id]?.subscribers.remove(device) != nil {
            if served[id]?.subscribers.isEmpty == true { served[id]?.abandoned() }
        }
        flushIfPossible()
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
            served[id]?.patience = loop.schedule(after: Self.indicationTime) { [weak self] in
                self?.assumeIsolated { $0.sendNext(id) }
            }
        }
        // Sent as a signal even if the value is what it was: each update counts (contract D91).
        let arguments: [DBusValue] = [.string(BlueZName.characteristic), .properties(["Value": .bytes(value)]), .strings([])]
        let signal = Signal(at: current.path, BlueZName.properties, "PropertiesChanged", arguments)
        session.assumeIsolated { $0.connection }.assumeIsolated { $0.send(signal) }
    }

    /// A central has acknowledged an indication.
    func confirm(_ id: AttributeID, _ call: IncomingCall) {
        call.reply()
        sendNext(id)
    }

    private func sendNext(_ id: AttributeID) {
        if let next = served[id]?.acknowledged() { send(next, id) }
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
