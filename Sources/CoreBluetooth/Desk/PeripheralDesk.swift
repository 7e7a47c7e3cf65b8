import BlueZ
import EventLoops
import GATT

/// The part of a ``CBPeripheralManager`` that lives on the loop of the transport: it knows what the program has asked for, and brings the
/// transport there.
///
/// It deals in values only. The program's objects, and what they show at which time, are the manager's.
actor PeripheralDesk {
    /// The loop of the transport.
    nonisolated var loop: any EventLoop { peripheral.loop }
    /// The actor runs on the loop.
    nonisolated var unownedExecutor: UnownedSerialExecutor { peripheral.loop.asUnownedSerialExecutor() }

    nonisolated let peripheral: any Peripheral
    nonisolated let log: @Sendable (String) -> Void
    nonisolated let tell: @Sendable (DeskNotice) -> Void

    private(set) var state = CentralState.unknown
    private var table = ServiceTable()
    /// A group may be taken back and published again before the transport has answered for the first time; attempts tell those apart.
    private var publications: [ServiceTable.Group: (id: PublicationID, attempt: Int)] = [:]
    private var attempts = 0
    var advertising = Advertising.off
    /// Subscribed centrals, in the order in which they came.
    private var subscribers: [AttributeID: [RemoteCentral]] = [:]
    private var flow = UpdateFlow()
    var listeners: [CBL2CAPPSM: ChannelListener] = [:]
    /// What an earlier run of the program had published, until there is an adapter for it.
    private var restored: [RestoredService] = []

    /// A service of an earlier run of the program.
    struct RestoredService: Sendable {
        let id: ServiceTable.ID
        let service: LocalService
        let includes: [ServiceTable.ID]
    }

    /// Before what had been published is tried again.
    private static let retryTime = Duration.seconds(5)

    /// - Parameter tell: Called on the loop.
    init(peripheral: any Peripheral, log: @escaping @Sendable (String) -> Void, tell: @escaping @Sendable (DeskNotice) -> Void) {
        self.peripheral = peripheral
        self.log = log
        self.tell = tell
    }

    deinit {
        peripheral.loop.execute { [peripheral, publications, advertisement = advertising.id] in
            peripheral.assumeIsolated { peripheral in
                for publication in publications.values { peripheral.unpublish(publication.id) }
                if let advertisement { peripheral.stopAdvertising(advertisement) }
            }
        }
    }

    /// Begins to tell.
    ///
    /// - Parameters:
    ///   - restored: What is to be published as soon as there is an adapter.
    ///   - advertisement: What is to be advertised as soon as there is power, as start number 0.
    func start(restored: [RestoredService], _ advertisement: LocalAdvertisement?) {
        self.restored = restored
        if let advertisement { advertising = .held(0, advertisement) }
        peripheral.assumeIsolated { peripheral in
            peripheral.start { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
    }

    /// Calls the transport.
    func transport<Result: Sendable>(_ body: @Sendable (isolated any Peripheral) -> Result) -> Result {
        peripheral.assumeIsolated { body($0) }
    }

    // MARK: From the transport

    private func receive(_ event: PeripheralEvent) {
        switch event {
        case .state(let state): changed(state)
        case .subscribed(let id, let central): subscribed(id, central)
        case .allUnsubscribed(let id): unsubscribeAll(id)
        case .disconnected(let address): disconnected(address)
        case .read(let request, let id, let offset, let central): tell(.read(request, id, offset: offset, central))
        case .write(let request, let id, let value, let offset, let central):
            tell(.write(request, id, value: value, offset: offset, central))
        case .expired(let request): tell(.expired(request))
        case .connected: break
        }
    }

    /// A central that has lost its link has lost its subscriptions, and the program hears that before it hears why. Below `poweredOff`
    /// nothing is left of services and advertising (contract D30).
    private func changed(_ state: CentralState) {
        guard state != self.state else { return }
        self.state = state
        if state != .poweredOn {
            for id in Array(subscribers.keys) { unsubscribeAll(id) }
        }
        // Before the program hears why, too: it may look whether it advertises (contract D12).
        if ![.poweredOn, .poweredOff].contains(state) { tell(.forgotten) }
        tell(.state(state))
        switch state {
        case .poweredOn, .poweredOff:
            checkListeners()
            publishRestored()
            if state == .poweredOn { advertiseHeld() }
        case .unknown, .resetting, .unsupported, .unauthorized:
            forgetAdvertising()
            perform(table.removeAll(Refusal(.unknown)))
            if case .unsupported = state { abandonListeners() }
        }
    }

    // MARK: Services

    func add(_ id: ServiceTable.ID, _ content: Result<LocalService, Refusal>, includes: [ServiceTable.ID]) {
        perform(table.add(id, content, includes: includes))
    }

    func remove(_ id: ServiceTable.ID) {
        for characteristic in table.characteristics(of: id) { subscribers[characteristic] = nil }
        perform(table.remove(id))
    }

    func removeAllServices() {
        subscribers = [:]
        perform(table.removeAll())
    }

    private func publishRestored() {
        let services = restored
        restored = []
        for service in services { add(service.id, .success(service.service), includes: service.includes) }
    }

    private func perform(_ actions: [ServiceTable.Action]) {
        for action in actions {
            switch action {
            case .publish(let group): publish(group)
            case .unpublish(let group):
                guard let publication = publications.removeValue(forKey: group) else { continue }
                transport { $0.unpublish(publication.id) }
            case .answer(let id, let error): tell(.added(id, error))
            case .interrupt(let id):
                for characteristic in table.characteristics(of: id) { unsubscribeAll(characteristic) }
            case .retryLater:
                loop.schedule(after: Self.retryTime) { [weak self] in
                    self?.assumeIsolated { $0.perform($0.table.retry()) }
                }
            }
        }
    }

    private func publish(_ group: ServiceTable.Group) {
        let services = table.services(of: group)
        attempts += 1
        let attempt = attempts
        let id = transport { peripheral in
            peripheral.publish(services) { [weak self] error in
                self?.assumeIsolated { $0.published(group, attempt, error) }
            }
        }
        publications[group] = (id, attempt)
    }

    private func published(_ group: ServiceTable.Group, _ attempt: Int, _ error: PeripheralError?) {
        guard publications[group]?.attempt == attempt else { return }
        if let error {
            log("services are not published: \(error)")
            publications[group] = nil
        }
        perform(table.answered(group, error.map { Refusal($0) }))
    }

    // MARK: Subscriptions

    /// One that is subscribed already had unsubscribed unseen (contract D82).
    private func subscribed(_ id: AttributeID, _ central: RemoteCentral) {
        unsubscribe(id, central.address)
        subscribers[id, default: []].append(central)
        tell(.subscribed(id, central))
    }

    private func unsubscribe(_ id: AttributeID, _ address: BluetoothAddress) {
        guard let index = subscribers[id]?.firstIndex(where: { $0.address == address }) else { return }
        subscribers[id]?.remove(at: index)
        tell(.unsubscribed(id, address))
    }

    private func unsubscribeAll(_ id: AttributeID) {
        for central in subscribers[id] ?? [] { unsubscribe(id, central.address) }
        subscribers[id] = nil
    }

    private func disconnected(_ address: BluetoothAddress) {
        for id in Array(subscribers.keys) { unsubscribe(id, address) }
        tell(.disconnected(address))
    }

    // MARK: Updates

    func update(_ value: [UInt8], of id: AttributeID) {
        transport { $0.update(value, of: id) }
        if flow.sent() { flush() }
    }

    /// bluetoothd is asked whether it has taken what was sent, once at a time (contract D94).
    private func flush() {
        let count = flow.ask()
        transport { peripheral in
            peripheral.flushUpdates { [weak self] in
                self?.assumeIsolated { desk in
                    desk.tell(.sent(count))
                    if desk.flow.answered() { desk.flush() }
                }
            }
        }
    }

    // MARK: Requests

    func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {
        transport { $0.respond(to: request, with: answer) }
    }
}
