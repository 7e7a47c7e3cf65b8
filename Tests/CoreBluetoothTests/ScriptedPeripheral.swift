import EventLoops
import GATT

/// A transport in the hands of a test: it does nothing by itself, and remembers what it was asked.
actor ScriptedPeripheral: Peripheral {
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var address: BluetoothAddress? = BluetoothAddress("00:AA:01:00:00:00")

    private(set) var published: [PublicationID: [LocalService]] = [:]
    private(set) var advertised: [AdvertisementID: LocalAdvertisement] = [:]
    private(set) var updates: [(value: [UInt8], name: AttributeID)] = []
    private(set) var answers: [RequestID: Result<[UInt8], ATTError>] = [:]
    /// What was asked, in words.
    private(set) var journal: [String] = []

    private var handler: (@Sendable (PeripheralEvent) -> Void)?
    private var publications: [(id: PublicationID, completion: @Sendable (PeripheralError?) -> Void)] = []
    private var advertisements: [(id: AdvertisementID, completion: @Sendable (PeripheralError?) -> Void)] = []
    private var flushes: [@Sendable () -> Void] = []
    private var isPatient = false
    private var lastNumber: UInt64 = 0

    init(loop: any EventLoop = DispatchLoop(label: "scripted")) { self.loop = loop }

    // MARK: The test's hand

    func tell(_ event: PeripheralEvent) { handler?(event) }

    /// From now on attempts to publish and advertise, and questions, wait for the test.
    func wait() { isPatient = true }

    /// The oldest publication is answered.
    func answerPublication(_ error: PeripheralError? = nil) {
        let (id, completion) = publications.removeFirst()
        if error != nil { published[id] = nil }
        loop.execute { completion(error) }
    }

    /// The oldest advertisement is answered.
    func answerAdvertisement(_ error: PeripheralError? = nil) {
        let (id, completion) = advertisements.removeFirst()
        if error != nil { advertised[id] = nil }
        loop.execute { completion(error) }
    }

    /// The oldest question is answered.
    func answerFlush() { flushes.removeFirst()() }

    var waitingFlushes: Int { flushes.count }

    func setAddress(_ address: BluetoothAddress?) { self.address = address }

    /// The services that are published, in the order in which they were.
    var services: [[LocalService]] { published.sorted { "\($0.key)" < "\($1.key)" }.map(\.value) }

    /// The name of a characteristic that is published.
    func name(_ uuid: String) -> AttributeID? {
        published.values.joined().flatMap(\.characteristics).first { $0.uuid == BluetoothUUID(uuid) }?.id
    }

    func takeJournal() -> [String] {
        defer { journal = [] }
        return journal
    }

    private func next() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Peripheral

    func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void) { self.handler = handler }

    func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID {
        let id = PublicationID(next())
        journal.append("publish \(services.map(\.uuid.short).joined(separator: "+"))")
        published[id] = services
        if isPatient {
            publications.append((id, completion))
        } else {
            loop.execute { completion(nil) }
        }
        return id
    }

    func unpublish(_ id: PublicationID) {
        guard let services = published.removeValue(forKey: id) else { return }
        journal.append("unpublish \(services.map(\.uuid.short).joined(separator: "+"))")
    }

    func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID {
        let id = AdvertisementID(next())
        journal.append("advertise")
        advertised[id] = advertisement
        if isPatient {
            advertisements.append((id, completion))
        } else {
            loop.execute { completion(nil) }
        }
        return id
    }

    func stopAdvertising(_ id: AdvertisementID) {
        if advertised.removeValue(forKey: id) != nil { journal.append("stop") }
    }

    func update(_ value: [UInt8], of characteristic: AttributeID) { updates.append((value, characteristic)) }

    func flushUpdates(_ completion: @escaping @Sendable () -> Void) {
        if isPatient { flushes.append(completion) } else { loop.execute(completion) }
    }

    func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {
        if answers[request] == nil { answers[request] = answer }
    }

    func disconnect(_ central: BluetoothAddress) { journal.append("disconnect \(central)") }
}

extension BluetoothUUID {
    /// The first eight digits.
    var short: String { String(description.prefix(8)) }
}
