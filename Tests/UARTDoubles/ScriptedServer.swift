package import EventLoops
package import GATT
import UART

/// A peripheral in the hands of a test: it does nothing by itself, and remembers what it was asked.
package actor ScriptedServer: Peripheral {
    package nonisolated let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    package let address = BluetoothAddress("00:AA:01:00:00:00")
    package private(set) var updates: [[UInt8]] = []
    package private(set) var services: [LocalService] = []
    package private(set) var advertisement: LocalAdvertisement?
    private var answers: [RequestID: Result<[UInt8], ATTError>] = [:]
    private var journal: [String] = []
    private var handler: (@Sendable (PeripheralEvent) -> Void)?
    private var flushes: [@Sendable () -> Void] = []
    private var isPatient = false
    private var refusals: [PeripheralError] = []
    private var lastNumber: UInt64 = 0

    package init(loop: any EventLoop) { self.loop = loop }

    // MARK: The test's hand

    package func tell(_ event: PeripheralEvent) { handler?(event) }

    /// From now on questions wait for the test.
    package func wait() { isPatient = true }

    package func answerFlush() { flushes.removeFirst()() }

    package var waitingFlushes: Int { flushes.count }

    /// The next attempts to publish or to advertise fail so.
    package func refuse(_ errors: PeripheralError...) { refusals = errors }

    private func id(_ uuid: BluetoothUUID) -> AttributeID { services[0].characteristics.first { $0.uuid == uuid }!.id }

    package func subscribe(_ central: RemoteCentral) { tell(.subscribed(id(UARTGATT.toClient), central)) }

    package func unsubscribeAll() { tell(.allUnsubscribed(id(UARTGATT.toClient))) }

    /// A central writes. Returns what it is answered.
    package func write(_ value: [UInt8], offset: Int = 0, by central: RemoteCentral) -> Result<[UInt8], ATTError>? {
        let request = RequestID(next())
        tell(.write(request, id(UARTGATT.toServer), value: value, offset: offset, central))
        return answers.removeValue(forKey: request)
    }

    package func takeJournal() -> [String] {
        defer { journal = [] }
        return journal
    }

    private func next() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Peripheral

    package func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void) { self.handler = handler }

    package func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID {
        journal.append("publish")
        let error = takeRefusal()
        if error == nil { self.services = services }
        loop.execute { completion(error) }
        return PublicationID(next())
    }

    package func unpublish(_ id: PublicationID) { journal.append("unpublish") }

    package func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID {
        journal.append("advertise")
        let error = takeRefusal()
        if error == nil { self.advertisement = advertisement }
        loop.execute { completion(error) }
        return AdvertisementID(next())
    }

    private func takeRefusal() -> PeripheralError? { refusals.isEmpty ? nil : refusals.removeFirst() }

    package func stopAdvertising(_ id: AdvertisementID) {
        journal.append("stop")
        advertisement = nil
    }

    package func update(_ value: [UInt8], of characteristic: AttributeID) {
        if characteristic == id(UARTGATT.toClient) { updates.append(value) }
    }

    package func flushUpdates(_ completion: @escaping @Sendable () -> Void) {
        if isPatient { flushes.append(completion) } else { loop.execute(completion) }
    }

    package func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) { answers[request] = answer }

    package func disconnect(_ central: BluetoothAddress) { journal.append("disconnect \(central)") }
}
