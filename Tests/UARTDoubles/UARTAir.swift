package import EventLoops
package import GATT
import UART

/// A peripheral and a central on the two ends of one link, without anything between them but time: a packet needs a millisecond.
package actor UARTAir: Peripheral, Central {
    package nonisolated let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    package let address = BluetoothAddress("00:AA:01:01:00:01")
    private static let phone = BluetoothAddress("00:AA:01:00:00:00")!
    private static let packetTime = Duration.milliseconds(1)

    private let mtu: Int
    private var services: [LocalService] = []
    private var advertisement: LocalAdvertisement?
    private var peripheralHandler: (@Sendable (PeripheralEvent) -> Void)?
    private var centralHandler: (@Sendable (CentralEvent) -> Void)?
    private var isListening = false
    private var link: (id: LinkID, handler: @Sendable (LinkEvent) -> Void)?
    private var lastNumber: UInt64 = 0

    package init(loop: any EventLoop, mtu: Int) {
        self.loop = loop
        self.mtu = mtu
    }

    /// The link is lost, with what is under way.
    package func drop() { end(LinkError(.timeout, detail: "the link was lost")) }

    package var isLinked: Bool { link != nil }

    private func end(_ error: LinkError?) {
        guard let link else { return }
        self.link = nil
        peripheralHandler?(.disconnected(Self.phone))
        link.handler(.closed(error))
    }

    private func later(_ body: @escaping @Sendable (isolated UARTAir) -> Void) {
        loop.schedule(after: Self.packetTime) { self.assumeIsolated { body($0) } }
    }

    /// Happens after the time of a packet, unless the link has ended.
    private func onLink(_ body: @escaping @Sendable (isolated UARTAir) -> Void) {
        let id = link?.id
        later { air in if air.link?.id == id, id != nil { body(air) } }
    }

    private func id(_ uuid: BluetoothUUID) -> AttributeID? { services.first?.characteristics.first { $0.uuid == uuid }?.id }

    private func next() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Peripheral

    package func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void) {
        peripheralHandler = handler
        loop.execute { handler(.state(.poweredOn)) }
    }

    package func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID {
        self.services = services
        loop.execute { completion(nil) }
        return PublicationID(next())
    }

    package func unpublish(_ id: PublicationID) { services = [] }

    package func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID {
        self.advertisement = advertisement
        loop.execute { completion(nil) }
        hear()
        return AdvertisementID(next())
    }

    package func stopAdvertising(_ id: AdvertisementID) { advertisement = nil }

    package func update(_ value: [UInt8], of characteristic: AttributeID) {
        guard characteristic == id(UARTGATT.toClient), value.count <= mtu - 3 else { return }
        onLink { $0.link?.handler(.value(value, from: UARTGATT.toClient)) }
    }

    package func flushUpdates(_ completion: @escaping @Sendable () -> Void) { later { _ in completion() } }

    package func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {}

    package func disconnect(_ central: BluetoothAddress) { later { $0.end(LinkError(.closedByPeer)) } }

    // MARK: Central

    package func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        centralHandler = handler
        loop.execute { handler(.state(.poweredOn)) }
    }

    package func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        isListening = filter != nil
        hear()
    }

    private func hear() {
        later { air in
            guard air.isListening, let advertisement = air.advertisement, let address = air.address else { return }
            air.centralHandler?(
                .advertisement(Advertisement(address: address, name: advertisement.name, services: advertisement.services, rssi: -50))
            )
        }
    }

    package func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { false }

    package func remembered(_ address: BluetoothAddress) -> Advertisement? { nil }

    package func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        let id = LinkID(next())
        link = (id, handler)
        onLink { air in
            guard let notifying = air.id(UARTGATT.toClient) else { return air.end(LinkError(.serviceNotFound)) }
            handler(.connected)
            air.peripheralHandler?(.subscribed(notifying, RemoteCentral(address: Self.phone, mtu: air.mtu)))
            handler(.ready(mtu: air.mtu))
        }
        return id
    }

    package func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        later { air in
            guard air.link?.id == link, value.count <= air.mtu - 3, let id = air.id(characteristic) else {
                completion?(LinkError(.failed, detail: "not connected"))
                return
            }
            let central = RemoteCentral(address: Self.phone, mtu: air.mtu)
            air.peripheralHandler?(.write(RequestID(air.next()), id, value: value, offset: 0, central))
            completion?(nil)
        }
    }

    package func close(_ link: LinkID, _ ending: LinkEnding) { later { $0.end(nil) } }
}
