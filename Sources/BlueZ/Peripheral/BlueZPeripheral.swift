import DBus
public import EventLoops
public import GATT

/// The peripheral's role over bluetoothd: publishes services, advertises, serves centrals.
///
/// Each publication is an application of its own, as bluetoothd reads an application only once (contract D45), and each advertisement
/// an object of its own. What has been published or advertised is registered again after a restart of bluetoothd and at another adapter.
///
/// bluetoothd has limits that show through (contract D.13): it does not tell when one of several centrals unsubscribes, updates reach
/// all that have subscribed, and a request has to be answered within 5 s.
public actor BlueZPeripheral: Peripheral {
    /// The loop of the session.
    public nonisolated let loop: any EventLoop
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let session: BlueZSession
    private var handler: (@Sendable (PeripheralEvent) -> Void)?
    private var sessionState = CentralState.unknown
    private var state = CentralState.unknown
    /// Counts the lives of bluetoothd.
    private(set) var era = 0
    private var hasJoined = false
    private var lastNumber: UInt64 = 0

    var offers: [Offer.Key: Offer] = [:]
    /// Advertisements that bluetoothd is being told to drop.
    var withdrawals = 0
    /// Advertisements that are to be registered after that.
    var waiting: [(key: Offer.Key, attempt: Registration.Attempt)] = []
    /// Advertisements that it is to be told to drop when their adapter is on again.
    var unsent: [(site: Registration.Site, root: String)] = []
    var served: [AttributeID: ServedCharacteristic] = [:]
    var requests: [RequestID: OpenRequest] = [:]
    var longReads = LongReads()
    /// Connected centrals by their objects.
    private var centrals: [String: BluetoothAddress] = [:]
    /// Those who wait until nothing is held back any more.
    var flushes: [@Sendable () -> Void] = []

    /// A peripheral on a session. Several centrals and peripherals can stand on one.
    public init(session: BlueZSession) {
        self.session = session
        loop = session.loop
    }

    deinit {
        for request in requests.values {
            request.timer.cancel()
            request.call.fail(ATTError.unlikely.dbusError)  // contract D66
        }
        let left = offers.values.map { ($0.registration.attempt?.site.adapter, $0.manager, "Unregister" + $0.noun, $0.root, $0.server) }
        loop.execute { [session, flushes] in
            for completion in flushes { completion() }
            for (adapter, manager, member, root, server) in left {
                server?.assumeIsolated { $0.stop() }
                guard let adapter else { continue }
                session.assumeIsolated { $0.call(adapter, manager, member, [.objectPath(root)]) { _ in } }
            }
        }
    }

    /// The adapter's own address.
    public var address: BluetoothAddress? {
        guard let adapter, let properties = tree.properties(adapter, BlueZName.adapter) else { return nil }
        let kind: BluetoothAddress.Kind = properties["AddressType"]?.string == "random" ? .random : .public
        return properties["Address"]?.string.flatMap { BluetoothAddress($0, kind: kind) }
    }

    /// Starts the peripheral: connects to the bus, if that has not been done, and tells the state and which centrals are connected.
    public func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void) {
        self.handler = handler
        guard hasJoined else {
            hasJoined = true
            session.assumeIsolated { session in
                session.join { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
            }
            return
        }
        guard state != .unknown else { return }
        loop.execute { [state, centrals] in
            handler(.state(state))
            for address in centrals.values { handler(.connected(address)) }
        }
    }

    /// Ends the link to a central, for everybody who uses it. Takes about 2 s.
    public func disconnect(_ central: BluetoothAddress) {
        for (device, address) in centrals where address == central {
            call(device, BlueZName.device, "Disconnect") { peripheral, result in
                if let error = result.failure { peripheral.log("\(error)") }
            }
        }
    }

    // MARK: What happens

    private func receive(_ event: BlueZSession.Event) {
        switch event {
        case .state(let state):
            sessionState = state
            refresh()
        case .ownerVanished:
            era += 1
            refresh()
        case .ownerAppeared:
            refresh()
        case .tree(.added(let path, BlueZName.device, _)):
            refreshCentral(path)
        case .tree(.removed(let path, BlueZName.device, _)):
            refreshCentral(path)
            forget(path)
        case .tree(.changed(let path, BlueZName.device, let changed, _)):
            if changed["Connected"] != nil { refreshCentral(path) }
        case .tree(.changed(_, BlueZName.adapter, let changed, _)):
            if changed["PowerState"] != nil { sendWithdrawals() }
        case .tree(.added(let path, _, _)), .tree(.removed(let path, _, _)):
            if path.split(separator: "/").count <= 3 { refresh() }  // an adapter or one of its managers
        case .tree(.changed), .resumed:
            break
        }
    }

    /// Brings everything in line with the tree.
    private func refresh() {
        updateState()
        sendWithdrawals()
        for path in Set(tree.paths(with: BlueZName.device)).union(centrals.keys).sorted() { refreshCentral(path) }
        reconcile()
    }

    private func updateState() {
        var state = sessionState
        switch state {
        case .poweredOn, .poweredOff:
            let managers = [BlueZName.gattManager, BlueZName.advertisingManager]
            if !managers.allSatisfy({ hasInterface($0) }) { state = .unsupported(.missing) }  // contract D1
        default: break
        }
        guard state != self.state else { return }
        self.state = state
        tell(.state(state))
    }

    private func refreshCentral(_ path: String) {
        let isConnected = tree.isTrue("Connected", of: path) && tree.properties(path, BlueZName.device)?["Adapter"]?.path == adapter
        if isConnected, centrals[path] == nil, let address = tree.address(of: path) {
            centrals[path] = address
            tell(.connected(address))
            returned(path, address)
        } else if !isConnected, let address = centrals.removeValue(forKey: path) {
            left(path)
            tell(.disconnected(address))
        }
    }

    // MARK: For the other parts

    /// Where offers are registered now; nil if bluetoothd or the adapter is not there, or the adapter cannot do it.
    func site(for offer: Offer) -> Registration.Site? {
        guard let adapter, hasInterface(offer.manager) else { return nil }
        let site = Registration.Site(adapter: adapter, era: era)
        // What is registered stays so when the adapter is switched off (contract D57); it only cannot begin then.
        return !offer.needsPower || isPoweredOn || offer.registration.attempt?.site == site ? site : nil
    }

    /// Not so while the adapter is being switched off, when bluetoothd fails without saying why.
    var isPoweredOn: Bool { adapter.flatMap { isPoweredOn($0) } ?? false }

    /// Nil if there is no such adapter.
    func isPoweredOn(_ adapter: String) -> Bool? {
        guard let properties = tree.properties(adapter, BlueZName.adapter) else { return nil }
        return properties["Powered"]?.bool == true && (properties["PowerState"]?.string ?? "on") == "on"
    }

    func tell(_ event: PeripheralEvent) { handler?(event) }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    var tree: ObjectTree { session.assumeIsolated { $0.tree } }

    /// Unique name of bluetoothd; nil if it is not there.
    var owner: String? { session.assumeIsolated { $0.owner } }

    private var adapter: String? { session.assumeIsolated { $0.adapter } }

    private func hasInterface(_ interface: String) -> Bool { adapter.map { tree.properties($0, interface) != nil } ?? false }

    func log(_ text: String) { session.assumeIsolated { $0.log(text) } }

    /// Calls a method and answers here, if the peripheral is still there.
    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25),
        then: @escaping @Sendable (isolated BlueZPeripheral, Result<[DBusValue], DBusError>) -> Void
    ) {
        session.assumeIsolated { session in
            session.call(path, interface, member, arguments, timeout: timeout) { [weak self] result in
                self?.assumeIsolated { then($0, result) }
            }
        }
    }
}
