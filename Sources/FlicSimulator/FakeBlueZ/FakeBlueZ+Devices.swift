import DBus
import EventLoops
import FlicClient
public import GATT

/// Devices and their links.
extension FakeBlueZ {
    struct Device {
        let address: BluetoothAddress
        /// Path of the adapter.
        let adapter: String
        /// Tells the events of the present link from those of earlier ones.
        var attempt: UInt64 = 0
        var link: LinkID?
        /// The link is up.
        var isUp = false
        /// The Connect that waits for the link.
        var connecting: IncomingCall?
        /// The Disconnects that wait for the end of it.
        var disconnecting: [IncomingCall] = []
        /// ATT MTU of the link.
        var mtu = 23
        /// Its services were found on a link: what it advertises is not added to them.
        var hasBeenLookedUp = false
        /// Handle of the Flic service, as far as the daemon knows.
        var handle = Characteristic.usualHandle
        /// When it was last reported to discoverers.
        var lastReport: Duration?
        /// Removes a device that nobody hears any more.
        var expiry: ScheduledWork?
        /// Clients that have called StartNotify, by characteristic. They outlast the link.
        var notifiers: [String: Set<String>] = [:]
    }

    /// Makes the object of a device known, as if it came from the daemon's storage. Without effect if it is there, or the adapter is not.
    ///
    /// - Returns: Its path.
    @discardableResult
    public func addDevice(_ address: BluetoothAddress, on adapter: String = "hci0") -> String {
        let adapter = BlueZName.root + "/" + adapter
        let path = adapter + "/" + address.pathPart
        if devices[path] == nil, tree[adapter] != nil {
            addDevice(address, on: adapter, [:])
            expireLater(path)
        }
        return path
    }

    /// Removes a device as if it was not heard for half a minute: its link is lost, a waiting Connect gets no answer.
    public func removeDevice(_ address: BluetoothAddress, from adapter: String = "hci0") {
        removeObject(at: BlueZName.root + "/" + adapter + "/" + address.pathPart)
    }

    func addDevice(_ address: BluetoothAddress, on adapter: String, _ heard: FakeObjects.Properties) {
        let path = adapter + "/" + address.pathPart
        devices[path] = Device(address: address, adapter: adapter)
        var properties: FakeObjects.Properties = [
            "Address": .string(address.description), "AddressType": .string(address.kind == .public ? "public" : "random"),
            "Alias": .string(address.description.split(separator: ":").joined(separator: "-")), "Adapter": .objectPath(adapter),
            "UUIDs": .strings([]),
        ]
        for name in ["Paired", "Bonded", "Trusted", "Blocked", "LegacyPairing", "Connected", "ServicesResolved"] {
            properties[name] = .boolean(false)
        }
        properties.merge(heard) { $1 }
        show([BlueZName.device: properties], at: path)
    }

    /// A device that is neither connected nor heard goes away after a while, unless it is bonded.
    func expireLater(_ path: String) {
        devices[path]?.expiry?.cancel()
        guard tree.value("Bonded", of: BlueZName.device, at: path)?.bool != true else { return }
        guard let time = timing.temporary, let device = devices[path], device.link == nil, !device.isUp else { return }
        devices[path]?.expiry = loop.schedule(after: time) { [weak self] in
            self?.assumeIsolated { $0.unlessHung { $0.expire(path) } }
        }
    }

    /// Unless a link was made while the daemon hung.
    private func expire(_ path: String) {
        guard let device = devices[path], device.link == nil, !device.isUp else { return }
        removeObject(at: path)
    }

    func removeDevice(_ call: IncomingCall) {
        guard let path = call.arguments.first?.path, devices[path]?.adapter == call.path else {
            return call.fail(.bluez("DoesNotExist", "Does Not Exist"))
        }
        centrals[path]?.isBonded = false
        removeObject(at: path)
        call.reply()
    }

    /// Forgets a device: its link is lost, and nobody who waits gets an answer.
    func discard(_ path: String) {
        dropLink(of: path)
        centralLeft(path)
        forgetConfigurations(of: path)
        for object in characteristics(of: path) { sockets.removeValue(forKey: object)?.close() }
        devices.removeValue(forKey: path)?.expiry?.cancel()
    }

    // MARK: Connecting

    func connect(_ call: IncomingCall) {
        guard let device = devices[call.path], let adapter = adapters[device.adapter] else { return call.fail(.failed("Not Available")) }
        guard isPowered(device.adapter) else { return call.fail(.failed("Input/output error")) }
        guard !device.isUp else { return call.reply() }
        guard device.connecting == nil else { return call.fail(.failed("Operation already in progress")) }
        let attempt = nextNumber()
        let path = call.path
        let gatt = gatt(of: path)
        let request = LinkRequest(
            address: device.address,
            service: gatt.service,
            notifying: [gatt.fromButton],
            writable: [gatt.toButton],
            timeout: timing.connectLimit
        )
        devices[path]?.expiry?.cancel()
        devices[path]?.connecting = call
        devices[path]?.attempt = attempt
        guard !adapter.isRemote else {
            loop.schedule(after: timing.connectLimit) { [weak self] in
                self?.assumeIsolated { if $0.devices[path]?.attempt == attempt { $0.receive(.closed(LinkError(.timeout)), path) } }
            }
            return
        }
        devices[path]?.link = adapter.central.assumeIsolated { central in
            central.open(request) { [weak self] event in
                self?.assumeIsolated { fake in
                    fake.unlessHung { if $0.devices[path]?.attempt == attempt { $0.receive(event, path) } }
                }
            }
        }
    }

    private func receive(_ event: LinkEvent, _ path: String) {
        switch event {
        case .connected:
            devices[path]?.isUp = true
            if faults.omitsConnected {
                tree.update(["Connected": .boolean(true)], invalidated: [], of: BlueZName.device, at: path)
            } else {
                change(["Connected": .boolean(true)], of: BlueZName.device, at: path)
            }
            takeConnecting(path)?.reply()
        case .ready(let mtu): resolve(path, mtu: mtu)
        case .value(let value, let characteristic): notify(value, of: characteristic, on: path)
        case .closed(let error):
            devices[path]?.link = nil
            takeConnecting(path)?.fail(.failed(Self.reason(error)))
            lostLink(path)
        }
        noteChange()
    }

    private func takeConnecting(_ path: String) -> IncomingCall? {
        defer { devices[path]?.connecting = nil }
        return devices[path]?.connecting
    }

    private static func reason(_ error: LinkError?) -> String {
        switch error?.code {
        case .timeout: "le-connection-abort-by-local"
        case .limitReached: "le-connection-concurrent-connection-limit"
        case .failed: "le-connection-refused"
        default: "le-connection-unknown"
        }
    }

    /// Whether a device has no link and nobody waits for one.
    func isIdle(_ path: String) -> Bool {
        guard let device = devices[path] else { return false }
        return isPowered(device.adapter) && !device.isUp && device.connecting == nil
    }

    /// The link comes up, is lost, and only then the call fails.
    func flap(_ call: IncomingCall, _ time: Duration) {
        devices[call.path]?.connecting = call
        change(["Connected": .boolean(true)], of: BlueZName.device, at: call.path)
        loop.schedule(after: time) { [weak self] in
            self?.assumeIsolated { fake in
                guard fake.devices[call.path]?.link == nil else { return }
                fake.change(["Connected": .boolean(false)], of: BlueZName.device, at: call.path)
                fake.takeConnecting(call.path)?.fail(.failed("le-connection-abort-by-local"))
            }
        }
    }

    // MARK: Disconnecting

    func disconnect(_ call: IncomingCall) {
        let path = call.path
        guard let device = devices[path], device.link != nil || device.isUp else { return call.reply() }
        guard device.isUp else {
            dropLink(of: path)
            takeConnecting(path)?.fail(.failed("br-connection-canceled"))
            expireLater(path)
            return call.reply()
        }
        devices[path]?.disconnecting.append(call)
        guard device.disconnecting.isEmpty else { return }
        changeIfNew(["ServicesResolved": .boolean(false)], of: BlueZName.device, at: path)
        loop.schedule(after: timing.disconnect) { [weak self] in
            self?.assumeIsolated { fake in
                guard let current = fake.devices[path], current.attempt == device.attempt else { return }
                fake.replyToDisconnects(path)
                guard let link = current.link else { return fake.lostLink(path) }
                fake.adapters[current.adapter]?.central.assumeIsolated { $0.close(link, .forEverybody) }
            }
        }
    }

    private func replyToDisconnects(_ path: String) {
        let calls = devices[path]?.disconnecting ?? []
        devices[path]?.disconnecting = []
        for call in calls { call.reply() }
    }

    /// Ends a link, or the attempt to make one, from the radio's side, and hears no more of it.
    func dropLink(of path: String) {
        guard let device = devices[path], let link = device.link else { return }
        devices[path]?.link = nil
        devices[path]?.attempt = nextNumber()
        if device.isUp {
            air.assumeIsolated { $0.loseLink(to: device.address) }
        } else {
            adapters[device.adapter]?.central.assumeIsolated { $0.close(link, .keepingShared) }
        }
    }

    /// The link to a button is lost and the daemon does not notice: the device stays connected for it, what is written goes nowhere, and only a
    /// Disconnect, or the end of the adapter, puts that right. Without effect if there is no link.
    public func loseLinkUnnoticed(to address: BluetoothAddress) {
        for path in devices.keys.sorted() where devices[path]?.address == address && devices[path]?.isUp == true { dropLink(of: path) }
    }

    /// Tells that a link is gone: both properties in one signal, unless the services went before.
    func lostLink(_ path: String) {
        guard devices[path]?.isUp == true else { return expireLater(path) }
        devices[path]?.isUp = false
        changeIfNew(["ServicesResolved": .boolean(false), "Connected": .boolean(false)], of: BlueZName.device, at: path)
        for object in characteristics(of: path) {
            release(object)
            setMTU(nil, at: object)
        }
        centralLeft(path)
        replyToDisconnects(path)
        expireLater(path)
    }
}
