import EventLoops
import GATT

/// A peripheral and a central on the two ends of one link, without anything between them.
actor PeripheralLoopback: Peripheral, Central {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How the central is called.
    static let central = RemoteCentral(address: BluetoothAddress(value: 0xC0), mtu: 517)

    private(set) var address: BluetoothAddress?
    private(set) var published: [LocalService] = []
    private(set) var onAir: [AdvertisementID: LocalAdvertisement] = [:]
    private(set) var disconnected: [BluetoothAddress] = []
    private(set) var answers: [Result<[UInt8], ATTError>] = []
    /// What becomes of attempts to publish or advertise.
    private var refusal: PeripheralError?

    private var peripheralHandler: (@Sendable (PeripheralEvent) -> Void)?
    private var centralHandler: (@Sendable (CentralEvent) -> Void)?
    private var isDiscovering = false
    private var link: (id: LinkID, request: LinkRequest, handler: @Sendable (LinkEvent) -> Void)?
    private var isConnected = false
    private var count: UInt64 = 0

    init(loop: any EventLoop) { self.loop = loop }

    // MARK: Switches

    /// The adapter appears, or is switched on again.
    func powerOn(as address: BluetoothAddress) {
        self.address = address
        tell(.state(.poweredOn))
        centralHandler?(.state(.poweredOn))
    }

    func refuse(_ error: PeripheralError?) { refusal = error }

    func tell(_ event: PeripheralEvent) { peripheralHandler?(event) }

    /// The one advertisement that is on the air.
    var advertisement: LocalAdvertisement? { onAir.count == 1 ? onAir.values.first : nil }

    // MARK: Peripheral

    func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void) {
        peripheralHandler = handler
        if address != nil { loop.execute { handler(.state(.poweredOn)) } }
    }

    func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID {
        published += services
        loop.execute { [refusal] in completion(refusal) }
        return PublicationID(next())
    }

    func unpublish(_ id: PublicationID) { published = [] }

    func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID {
        let id = AdvertisementID(next())
        if refusal == nil { onAir[id] = advertisement }
        loop.execute { [refusal] in completion(refusal) }
        hear()
        return id
    }

    func stopAdvertising(_ id: AdvertisementID) { onAir[id] = nil }

    func update(_ value: [UInt8], of characteristic: AttributeID) {
        guard let link, let uuid = published.first?.characteristics.first(where: { $0.id == characteristic })?.uuid else { return }
        loop.execute { link.handler(.value(value, from: uuid)) }
    }

    func flushUpdates(_ completion: @escaping @Sendable () -> Void) { loop.execute(completion) }

    func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) { answers.append(answer) }

    func disconnect(_ central: BluetoothAddress) {
        disconnected.append(central)
        guard central == Self.central.address else { return }
        loop.execute { self.assumeIsolated { $0.end(LinkError(.closedByPeer)) } }
    }

    // MARK: Central

    func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        centralHandler = handler
        if address != nil { loop.execute { handler(.state(.poweredOn)) } }
    }

    func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        isDiscovering = filter != nil
        hear()
    }

    private func hear() {
        loop.execute {
            self.assumeIsolated { air in
                guard let address = air.address, let advertisement = air.advertisement else { return }
                if air.isDiscovering {
                    let heard = Advertisement(
                        address: address,
                        name: advertisement.name,
                        services: advertisement.services,
                        manufacturerData: advertisement.manufacturerData
                    )
                    air.centralHandler?(.advertisement(heard))
                }
                if advertisement.isConnectable { air.connect() }
            }
        }
    }

    func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { false }

    func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        let id = LinkID(next())
        link = (id, request, handler)
        hear()
        return id
    }

    private func connect() {
        guard !isConnected, let link, let characteristic = published.first?.characteristics.first(where: { $0.flags == [.notify] }) else { return }
        isConnected = true
        tell(.connected(Self.central.address))
        link.handler(.connected)
        tell(.subscribed(characteristic.id, Self.central))
        link.handler(.ready(mtu: 140))
    }

    func remembered(_ address: BluetoothAddress) -> Advertisement? { nil }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        if let completion { loop.execute { completion(nil) } }
        guard let id = published.first?.characteristics.first(where: { $0.uuid == characteristic })?.id else { return }
        let request = RequestID(next())
        loop.execute { self.assumeIsolated { $0.tell(.write(request, id, value: value, offset: 0, Self.central)) } }
    }

    func close(_ link: LinkID, _ ending: LinkEnding) {
        loop.execute { self.assumeIsolated { $0.end(nil) } }
    }

    private func end(_ error: LinkError?) {
        guard let link else { return }
        self.link = nil
        if isConnected { tell(.disconnected(Self.central.address)) }
        isConnected = false
        link.handler(.closed(error))
    }

    private func next() -> UInt64 {
        count += 1
        return count
    }
}
