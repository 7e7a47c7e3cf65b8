import GATT

/// What a ``CBPeripheralManager`` knows of its program's objects, and what it shows.
struct ManagerRecords {
    /// A service that was added.
    struct Service {
        let id: ServiceTable.ID
        let service: CBMutableService
        /// Its characteristics, which cannot be exchanged while it is published.
        let attributes: [AttributeID]
        let includes: [ServiceTable.ID]
        /// From an earlier run of the program: its adding is not told.
        let isRestored: Bool
        /// The adding has been answered well.
        var isPublished = false
        /// The program has taken it back before that.
        var isRemoved = false
    }

    /// A characteristic of one of them.
    struct Characteristic {
        let object: CBMutableCharacteristic
        let mayRead: Bool
        let mayWrite: Bool
        /// In the order in which they came.
        var subscribers: [CBCentral] = []
    }

    weak var delegate: (any CBPeripheralManagerDelegate)?
    /// In the order in which they were added.
    private(set) var services: [Service] = []
    private(set) var characteristics: [AttributeID: Characteristic] = [:]
    private var names: [ObjectIdentifier: AttributeID] = [:]
    private var centrals: [BluetoothAddress: CBCentral] = [:]
    private var requests: [RequestID: CBATTRequest] = [:]
    private var lastNumber: UInt64 = 0

    init(delegate: (any CBPeripheralManagerDelegate)?) {
        self.delegate = delegate
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Services

    /// Takes note of a service that is being added.
    ///
    /// - Parameter isRestored: See ``Service/isRestored``.
    /// - Returns: Its name, and how it looks to the transport, or what is wrong with it.
    mutating func add(
        _ service: CBMutableService,
        isRestored: Bool = false
    ) -> (id: ServiceTable.ID, content: Result<LocalService, Refusal>, includes: [ServiceTable.ID]) {
        let id = ServiceTable.ID(number: nextNumber())
        let objects = (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }
        let attributes = objects.map { _ in AttributeID(nextNumber()) }
        let (content, includes) = content(of: service, attributes)
        if case .success = content {
            for (name, object) in zip(attributes, objects) {
                characteristics[name] = Characteristic(object)
                names[ObjectIdentifier(object)] = name
            }
        }
        let known = (try? content.get()) == nil ? [] : attributes
        services.append(Service(id: id, service: service, attributes: known, includes: includes, isRestored: isRestored))
        return (id, content, includes)
    }

    private func content(
        of service: CBMutableService,
        _ attributes: [AttributeID]
    ) -> (Result<LocalService, Refusal>, [ServiceTable.ID]) {
        do throws(Refusal) {
            let present = services.filter { !$0.isRemoved }
            // The same objects can be published once (contract D48).
            let objects = (service.characteristics ?? []).map { ObjectIdentifier($0) }
            let isNew = !present.contains { $0.service === service } && !objects.contains { names[$0] != nil } && Set(objects).count == objects.count
            guard isNew else { throw Refusal(.invalidParameters) }
            var includes: [ServiceTable.ID] = []
            for included in service.includedServices ?? [] {
                guard let record = present.first(where: { $0.service === included }) else { throw Refusal(.invalidParameters) }
                includes.append(record.id)
            }
            return (.success(try LocalService(service, names: attributes)), includes)
        } catch {
            return (.failure(error), [])
        }
    }

    /// The adding of a service has been answered.
    ///
    /// - Returns: The service; nil if the program is not to hear of it.
    mutating func answered(_ id: ServiceTable.ID, _ refusal: Refusal?) -> Service? {
        guard let index = services.firstIndex(where: { $0.id == id }) else { return nil }
        let record = services[index]
        if refusal == nil, !record.isRemoved { services[index].isPublished = true } else { drop(at: index) }
        return record.isRestored ? nil : record
    }

    /// What came of taking a service back.
    enum Removal {
        case removed(ServiceTable.ID)
        /// There is no such service.
        case unknown
        /// Others include it; they have to be removed first (contract D16).
        case included
    }

    /// The program takes a service back.
    mutating func remove(_ service: CBMutableService) -> Removal {
        guard let index = services.firstIndex(where: { $0.service === service && !$0.isRemoved }) else { return .unknown }
        let id = services[index].id
        guard !services.contains(where: { !$0.isRemoved && $0.includes.contains(id) }) else { return .included }
        markRemoved(at: index)
        return .removed(id)
    }

    /// The program takes everything back.
    mutating func removeAll() {
        for index in services.indices.reversed() where !services[index].isRemoved { markRemoved(at: index) }
    }

    /// Bluetooth has gone: what was published is published no more. What is being added will be answered.
    mutating func forget() {
        isAdvertising = false
        for index in services.indices.reversed() where services[index].isPublished { drop(at: index) }
    }

    /// One whose adding has not been answered stays until it is.
    private mutating func markRemoved(at index: Int) {
        if services[index].isPublished { return drop(at: index) }
        services[index].isRemoved = true
        forgetCharacteristics(of: services[index])
    }

    private mutating func drop(at index: Int) { forgetCharacteristics(of: services.remove(at: index)) }

    private mutating func forgetCharacteristics(of service: Service) {
        for name in service.attributes {
            guard let characteristic = characteristics.removeValue(forKey: name) else { continue }
            names[ObjectIdentifier(characteristic.object)] = nil
            characteristic.object.setSubscribers([])
        }
    }

    /// A published characteristic by the program's object.
    func name(of characteristic: CBCharacteristic) -> AttributeID? { names[ObjectIdentifier(characteristic)] }

    // MARK: Centrals

    /// The object that stands for a central as long as it is connected (contract D96).
    mutating func central(_ remote: RemoteCentral) -> CBCentral {
        if let central = centrals[remote.address] {
            central.learn(mtu: remote.mtu)
            return central
        }
        let central = CBCentral(address: remote.address, mtu: remote.mtu)
        centrals[remote.address] = central
        return central
    }

    /// The next time it is another object.
    mutating func disconnected(_ address: BluetoothAddress) { centrals[address] = nil }

    /// - Returns: Who and what it is about; nil if the characteristic is not published any more.
    mutating func subscribe(_ name: AttributeID, _ remote: RemoteCentral) -> (CBCentral, CBMutableCharacteristic)? {
        guard let object = characteristics[name]?.object else { return nil }
        let central = central(remote)
        characteristics[name]?.subscribers.append(central)
        object.setSubscribers(characteristics[name]?.subscribers ?? [])
        return (central, object)
    }

    /// - Returns: Who and what it is about; nil if the characteristic is not published any more.
    mutating func unsubscribe(_ name: AttributeID, _ address: BluetoothAddress) -> (CBCentral, CBMutableCharacteristic)? {
        guard let characteristic = characteristics[name], let central = characteristic.subscribers.first(where: { $0.address == address }) else {
            return nil
        }
        characteristics[name]?.subscribers.removeAll { $0 === central }
        characteristic.object.setSubscribers(characteristics[name]?.subscribers ?? [])
        return (central, characteristic.object)
    }

    // MARK: Requests

    /// A request that waits for the program.
    mutating func open(_ id: RequestID, _ name: AttributeID, _ remote: RemoteCentral, offset: Int, value: Data?) -> CBATTRequest? {
        guard let object = characteristics[name]?.object else { return nil }
        let request = CBATTRequest(id: id, central: central(remote), characteristic: object, offset: offset, value: value)
        requests[id] = request
        return request
    }

    /// It is answered, once.
    ///
    /// - Returns: Whether it was waiting.
    mutating func close(_ id: RequestID) -> Bool { requests.removeValue(forKey: id) != nil }

    /// All that wait are answered.
    mutating func takeRequests() -> [RequestID] {
        defer { requests = [:] }
        return Array(requests.keys)
    }

    // MARK: Advertising

    private(set) var isAdvertising = false
    /// What was last asked for.
    private(set) var advertisement: LocalAdvertisement?
    private var starts = 0
    /// The last start that has been stopped.
    private var stopped = -1

    /// - Returns: The number of the start.
    mutating func startAdvertising(_ content: LocalAdvertisement) -> Int {
        starts += 1
        if !isAdvertising { advertisement = content }
        return starts
    }

    mutating func stopAdvertising() {
        stopped = starts
        isAdvertising = false
        advertisement = nil
    }

    /// A start has succeeded; it is not shown if it has been stopped since. Number 0 is that of an earlier run of the program.
    mutating func advertising(_ start: Int) {
        if start > stopped { isAdvertising = true }
    }

    mutating func restoreAdvertisement(_ content: LocalAdvertisement) { advertisement = content }

    // MARK: Updates

    /// Updates that bluetoothd may have before it (contract D94, F16).
    private static let mostOutstanding = 16
    private var outstanding = 0
    private var isRoomAwaited = false

    /// Whether one more update can be sent. If not, ``taken(_:)`` will tell.
    mutating func takeRoom() -> Bool {
        guard outstanding < Self.mostOutstanding else {
            isRoomAwaited = true
            return false
        }
        outstanding += 1
        return true
    }

    /// bluetoothd has taken so many.
    ///
    /// - Returns: Whether somebody waits for that.
    mutating func taken(_ count: Int) -> Bool {
        outstanding -= count
        defer { isRoomAwaited = false }
        return isRoomAwaited
    }
}

extension ManagerRecords.Characteristic {
    init(_ object: CBMutableCharacteristic) {
        let (properties, permissions) = (object.properties, object.permissions)
        let writes: CBCharacteristicProperties = [.write, .writeWithoutResponse, .authenticatedSignedWrites]
        self.init(
            object: object,
            mayRead: properties.contains(.read) && !permissions.isDisjoint(with: [.readable, .readEncryptionRequired]),
            mayWrite: !properties.isDisjoint(with: writes) && !permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
        )
    }
}
