import DBus
public import EventLoops
public import GATT

/// The central's role over bluetoothd: finds devices, makes links, passes values.
///
/// Links are shared with other programs, as bluetoothd shares them: a link that is there is used, notifications come by signals
/// (StartNotify), and a link that others still listen on is left alone when it is closed here.
public actor BlueZCentral: Central {
    /// The loop of the session.
    public nonisolated let loop: any EventLoop
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let session: BlueZSession
    let transfer: ValueTransfer
    var state = CentralState.unknown
    var handler: (@Sendable (CentralEvent) -> Void)?
    var links: [LinkID: BlueZLink] = [:]
    /// Notifying characteristics in use.
    var listeners: [String: (link: LinkID, characteristic: BluetoothUUID)] = [:]
    /// Devices whose links are being cut, or that are being forgotten: nobody begins to use them.
    var cuts: [String: Cut] = [:]
    /// Devices whose last advertisement brought nothing of what they are known for: what bluetoothd shows is from earlier. A Flic that could be
    /// paired a minute ago looks as if it still could.
    private var silent: Set<String> = []
    /// Devices whose links are of our making.
    var ownLinks: Set<String> = []
    /// How often in a row devices could not be made ready.
    var strikes: [String: Int] = [:]
    /// Adapters that had no room for another link; they are tried again when a link has ended.
    var full: Set<String> = []
    /// What to listen for, and where.
    var wanted: DiscoveryFilter?
    var reach = DiscoveryReach.chosen
    /// Our discoveries, by adapter.
    var ears: [String: Ear] = [:]
    var lastNumber: UInt64 = 0
    private var hasJoined = false

    /// A link that is being cut, or a device that is being forgotten.
    struct Cut {
        /// Ends the wait.
        let timer: ScheduledWork
        /// bluetoothd is to forget the device then.
        var isForgotten: Bool
    }

    /// A central on a session. Several centrals and peripherals can stand on one.
    ///
    /// - Parameters:
    ///   - session: The connection to bluetoothd, and the adapter.
    ///   - transfer: How values travel. By messages, as here, unless told otherwise: sockets keep other programs out.
    public init(session: BlueZSession, transfer: ValueTransfer = .messages) {
        self.session = session
        self.transfer = transfer
        loop = session.loop
    }

    /// Starts the central: connects to the bus, if that has not been done, and tells the state.
    public func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        self.handler = handler
        guard !hasJoined else {
            let state = state
            if state != .unknown { loop.execute { handler(.state(state)) } }
            return
        }
        hasJoined = true
        session.assumeIsolated { session in
            session.join { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
    }

    // MARK: What happens

    private func receive(_ event: BlueZSession.Event) {
        switch event {
        case .state(let state):
            self.state = state
            if state != .poweredOn { forgetDevices() }
            handler?(.state(state))
            if state != .poweredOn {
                for link in links.keys { finish(link, LinkError(.notPoweredOn, detail: "\(state)")) }
            } else {
                tellLinksOfOthers()
                updateDiscovery()
            }
        case .ownerVanished:
            ownLinks = []
            forgetDevices()
            for link in links.keys { finish(link, LinkError(.notPoweredOn, detail: "bluetoothd is gone")) }
        case .ownerAppeared:
            updateDiscovery()
        case .tree(.added(let path, BlueZName.device, _)):
            heard(path)
            deviceAppeared(path)
            tellIfLinkedByOthers(path)
        case .resumed:
            handler?(.resumed)
        case .tree(.added(let path, BlueZName.adapter, _)), .tree(.removed(let path, BlueZName.adapter, _)),
            .tree(.changed(let path, BlueZName.adapter, _, _)):
            updateDiscovery()
            if !tree.isOn(path) { adapterLost(path) }
        case .tree(.added(let path, BlueZName.characteristic, _)):
            characteristicAppeared(path)
        case .tree(.added):
            break
        case .tree(.removed(let path, BlueZName.device, _)):
            silent.remove(path)
            strikes[path] = nil
            ownLinks.remove(path)
            cutEnded(path)
            for (id, link) in links where link.device == path { deviceRemoved(id) }
        case .tree(.removed(let path, BlueZName.characteristic, _)):
            characteristicRemoved(path)
        case .tree(.removed):
            break
        case .tree(.changed(let path, BlueZName.device, let changed, let invalidated)):
            deviceChanged(path, changed, invalidated)
        case .tree(.changed(let path, BlueZName.characteristic, let changed, _)):
            if let value = changed["Value"]?.byteArray { received(value, from: path) }
        case .tree(.changed):
            break
        }
    }

    private func forgetDevices() {
        dropEars()
        silent = []
        strikes = [:]
        full = []
        for cut in cuts.values { cut.timer.cancel() }
        cuts = [:]
    }

    private func deviceChanged(_ path: String, _ changed: ObjectTree.Properties, _ invalidated: [String]) {
        // An advertisement shows as a change of RSSI or of its data. Services may be found on a link as well, and names read there.
        let isLinked = tree.isTrue("Connected", of: path) || changed["ServicesResolved"] != nil
        if changed["ManufacturerData"] != nil || changed["ServiceData"] != nil || changed["UUIDs"] != nil && !isLinked {
            silent.remove(path)
        } else if changed["RSSI"] != nil, !silent.contains(path), tree.canSpeak(path) {
            silent.insert(path)
        }
        if !Set(["RSSI", "ManufacturerData", "ServiceData", "UUIDs", "Name"]).isDisjoint(with: changed.keys) { heard(path) }
        if let isConnected = changed["Connected"]?.bool {
            let users = links.filter { $0.value.device == path }.keys
            if isConnected { tellIfLinkedByOthers(path) } else { unlinked(path) }
            for id in users { isConnected ? connectedSeen(id) : connectionLost(id) }
        }
        if changed["ServicesResolved"]?.bool == true {
            for (id, link) in links where link.device == path { servicesResolved(id, link) }
        }
    }

    func heard(_ device: String) {
        guard wanted != nil, isListening(toThatOf: device), tree.properties(device, BlueZName.device)?["RSSI"] != nil,
            var advertisement = tree.advertisement(of: device)
        else { return }
        advertisement.hidden = hiddenServices(of: device, showing: advertisement.services)
        if silent.contains(device) {
            advertisement.services = []
            advertisement.manufacturerData = [:]
        }
        handler?(.advertisement(advertisement))
    }

    /// A device has no link any more.
    private func unlinked(_ device: String) {
        ownLinks.remove(device)
        if let adapter = tree.adapter(of: device) { full.remove(adapter) }
        cutEnded(device)
    }

    /// Whether a device is on one of the adapters that may be used.
    func isUsable(_ device: String) -> Bool { tree.adapter(of: device).map(adapters.contains) ?? false }

    private func tellLinksOfOthers() {
        for path in tree.paths(with: BlueZName.device) { tellIfLinkedByOthers(path) }
    }

    func tellIfLinkedByOthers(_ device: String) {
        guard isLinkedByOthers(device), let address = tree.address(of: device) else { return }
        handler?(.linkedByOthers(address))
    }

    /// A link that is just being cut here is nobody's.
    private func isLinkedByOthers(_ device: String) -> Bool {
        state == .poweredOn && isUsable(device) && tree.isTrue("Connected", of: device) && cuts[device] == nil
            && !links.values.contains { $0.device == device }
    }

    /// Whether others have a link to a device.
    public func isLinkedByOthers(_ address: BluetoothAddress) -> Bool {
        adapters.contains { adapter in tree.device(address, on: adapter).map { isLinkedByOthers($0) } ?? false }
    }

    /// What bluetoothd knows of a device.
    public func remembered(_ address: BluetoothAddress) -> Advertisement? {
        let device = adapters.lazy.compactMap { [tree] in tree.device(address, on: $0) }.first
        return device.flatMap { tree.advertisement(of: $0) }
    }

    // MARK: Links

    /// Uses the link that is there, or makes one.
    public func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        let id = LinkID(nextNumber())
        links[id] = BlueZLink(request: request, handler: handler)
        // bluetoothd gives up after about 41 s, or never answers: the time is ours (bluez-facts, surprises 1 and 9).
        links[id]?.timer = loop.schedule(after: request.timeout) { [weak self] in
            self?.assumeIsolated { $0.timedOut(id) }
        }
        loop.execute { [weak self] in self?.assumeIsolated { $0.begin(id) } }
        return id
    }

    /// Ends a link. It is cut only if nobody else listens on it, unless it is to end for everybody.
    public func close(_ link: LinkID, _ ending: LinkEnding) {
        guard let current = links[link], current.stage != .closing else { return }
        links[link]?.ending = ending
        beginClosing(link)
    }

    // MARK: On the session

    var tree: ObjectTree { session.assumeIsolated { $0.tree } }

    var adapters: [String] { session.assumeIsolated { $0.adapters } }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func log(_ text: String) { session.assumeIsolated { $0.log(text) } }

    /// Calls a method and answers here, if the central is still there.
    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25),
        isLong: Bool = false,
        then: @escaping @Sendable (isolated BlueZCentral, Result<[DBusValue], DBusError>) -> Void
    ) {
        session.assumeIsolated { session in
            session.call(path, interface, member, arguments, timeout: timeout, isLong: isLong) { [weak self] result in
                self?.assumeIsolated { then($0, result) }
            }
        }
    }
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
