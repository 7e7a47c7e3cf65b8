import DBus
import EventLoops
import GATT

/// Subscriptions of centrals, and what they are told.
extension FakeBlueZ {
    /// After which a central that acknowledges nothing is taken for dead (ATT transaction time).
    private static let transactionTime = Duration.seconds(30)

    // MARK: On and off

    func configure(_ characteristic: BluetoothUUID, _ value: Configuration, for device: String) async throws(FakeCentral.Failure) {
        let attribute = try attribute(characteristic, nil, for: device)
        guard attribute.canNotify || attribute.canIndicate else {
            throw .noSuchAttribute(BluetoothUUID(assigned: 0x2902))
        }
        try checkBond(of: device, attribute, "encrypt-notify", "encrypt-indicate")
        // What is so already is not worth a word to anybody.
        guard centrals[device]?.configurations[attribute.object] ?? .off != value else { return }
        switch value {
        case .off:
            centrals[device]?.configurations[attribute.object] = nil
            return endSubscription(to: attribute.object)
        case .notifications where !attribute.canNotify, .indications where !attribute.canIndicate: throw .refused(0xFD)
        case .notifications, .indications: centrals[device]?.configurations[attribute.object] = value
        }
        await beginSubscription(to: attribute, of: device)
    }

    /// A change between notifications and indications counts once more, too.
    private func beginSubscription(to attribute: RegisteredApplication.Attribute, of device: String) async {
        if attribute.asksWho {
            let result = await withCheckedContinuation { continuation in
                ask(attribute.object, BlueZName.characteristic, "AcquireNotify", [options(of: device, offset: 0)]) {
                    continuation.resume(returning: $1)
                }
            }
            if case .failure(let error) = result, [DBusError.noReply, "org.bluez.Error.Failed"].contains(error.name) { return }
        }
        guard self.attribute(attribute.object) != nil else { return }
        count(attribute.object, 1)
        ask(attribute.object, BlueZName.characteristic, "StartNotify")
    }

    private func endSubscription(to object: RegisteredObject) {
        guard let subscriptions = attribute(object)?.subscriptions, subscriptions > 0 else { return }
        count(object, -1)
        if subscriptions == 1 { ask(object, BlueZName.characteristic, "StopNotify") }
    }

    func forgetConfigurations(of device: String) {
        let configurations = centrals[device]?.configurations ?? [:]
        centrals[device]?.configurations = [:]
        for object in configurations.keys.sorted(by: { $0.path < $1.path }) { endSubscription(to: object) }
    }

    private func attribute(_ object: RegisteredObject) -> RegisteredApplication.Attribute? {
        root(of: object).flatMap { applications[$0]?.attributes[object.path] }
    }

    private func count(_ object: RegisteredObject, _ change: Int) {
        guard let root = root(of: object) else { return }
        applications[root]?.attributes[object.path]?.subscriptions += change
    }

    private func root(of object: RegisteredObject) -> RegisteredObject? {
        applications.keys.first { $0.adapter == object.adapter && $0.client == object.client && applications[$0]?.attributes[object.path] != nil }
    }

    // MARK: Values

    /// A program has changed properties of one of its objects.
    func heard(_ signal: Signal, from root: RegisteredObject) {
        guard let attribute = applications[root]?.attributes[signal.path], attribute.characteristic == nil, signal.arguments.count >= 2,
            signal.arguments[0].string == BlueZName.characteristic, let value = signal.arguments[1].namedValues?["Value"]?.byteArray
        else { return }
        for device in centrals.keys.sorted() where devices[device]?.isUp == true {
            switch centrals[device]?.configurations[attribute.object] {
            case .notifications: tell(value, of: attribute.uuid, to: device)
            case .indications: indicate(value, attribute.object, to: device)
            default: break
            }
        }
    }

    private func tell(_ value: [UInt8], of characteristic: BluetoothUUID, to device: String) {
        let room = min(mtu(device) - 3, Self.longestValue)
        centrals[device]?.values[characteristic, default: []].append(Array(value.prefix(room)))
        noteChange()
    }

    private func indicate(_ value: [UInt8], _ object: RegisteredObject, to device: String) {
        centrals[device]?.indications.append((object, value))
        if centrals[device]?.patience == nil { indicateNext(to: device) }
    }

    private func indicateNext(to device: String) {
        guard let (object, value) = centrals[device]?.indications.first else { return }
        guard let attribute = attribute(object) else {
            centrals[device]?.indications.removeFirst()
            return indicateNext(to: device)
        }
        centrals[device]?.patience = loop.schedule(after: Self.transactionTime) { [weak self] in
            self?.assumeIsolated { $0.unlessHung { $0.lostLink(device) } }
        }
        tell(value, of: attribute.uuid, to: device)
        guard centrals[device]?.confirms == true else { return }
        loop.execute { [weak self] in self?.assumeIsolated { if $0.centrals[device]?.confirms == true { $0.confirm(device) } } }
    }

    /// A central acknowledges what is on its way.
    func confirm(_ device: String) {
        guard let central = centrals[device], let patience = central.patience, let (object, _) = central.indications.first else { return }
        patience.cancel()
        centrals[device]?.patience = nil
        centrals[device]?.indications.removeFirst()
        if attribute(object) != nil { ask(object, BlueZName.characteristic, "Confirm") }
        indicateNext(to: device)
    }
}
