public import EventLoops
public import GATT

/// The server of the Nordic UART Service: advertises it, and serves one client at a time.
///
/// ```swift
/// let server = UARTServer(peripheral: BlueZPeripheral(session: BlueZSession()), name: "Weather")
/// await server.start()
/// for await notice in server.notices {
///     guard case .connected(let connection) = notice else { continue }
///     for await line in connection.lines() { try await connection.write("you said \(line)\n") }
/// }
/// ```
///
/// A client counts from the moment at which it switches notifications on, and until it switches them off or its link ends. While there is one the server is
/// not advertised; others that find it all the same are sent away, as notifications would reach them, too (contract D92).
public actor UARTServer {
    /// The loop of the peripheral.
    public nonisolated var loop: any EventLoop { peripheral.loop }
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { peripheral.loop.asUnownedSerialExecutor() }

    /// What happens. There can be one reader only; one that is more than 256 notices behind misses the oldest.
    public nonisolated let notices: AsyncStream<UARTServerNotice>
    /// Under which the server is advertised. What is longer than 29 bytes is cut by the system.
    public nonisolated let name: String

    private nonisolated let peripheral: any Peripheral
    private let tell: AsyncStream<UARTServerNotice>.Continuation
    private var isOn = false
    private var isPowered = false
    private var publication: PublicationID?
    private var isPublished = false
    private var advertisement: AdvertisementID?
    /// Tells the answers to the present attempts from older ones.
    private var attempt = 0
    private var connection: UARTConnection?
    private var flow = UpdateFlow()
    /// The client that has been sent away by ``stop()`` and may still have a link, and the end of its time.
    private var leaving: (address: BluetoothAddress, limit: ScheduledWork)?
    /// Those who wait until it has left.
    private var endings: [CheckedContinuation<Void, Never>] = []

    /// Notifications that bluetoothd has not taken yet (contract D94).
    private static let window = 16
    /// Between attempts to publish or to advertise.
    private static let retryTime = Duration.seconds(10)
    /// How long the end of a link is waited for.
    private static let mostLeavingTime = Duration.seconds(10)

    /// - Parameters:
    ///   - peripheral: Serves this server alone.
    ///   - name: Under which it is advertised; "" for none.
    public init(peripheral: any Peripheral, name: String) {
        self.peripheral = peripheral
        self.name = name
        (notices, tell) = AsyncStream.makeStream(of: UARTServerNotice.self, bufferingPolicy: .bufferingNewest(256))
    }

    deinit {
        peripheral.loop.execute { [peripheral, publication, advertisement, connection] in
            peripheral.assumeIsolated { peripheral in
                if let publication { peripheral.unpublish(publication) }
                if let advertisement { peripheral.stopAdvertising(advertisement) }
                if let connection { peripheral.disconnect(connection.address) }
            }
            connection?.assumeIsolated { $0.end(nil) }
        }
        tell.finish()
    }

    // MARK: On and off

    /// Publishes and advertises the service as soon as Bluetooth is on, until ``stop()``; through power cycles and restarts of the Bluetooth service.
    public func start() {
        guard !isOn else { return }
        isOn = true
        peripheral.assumeIsolated { peripheral in
            peripheral.start { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
    }

    /// Takes the service off the air and ends the link of the client.
    public func stop() {
        guard isOn else { return }
        isOn = false
        if let connection {
            leave(connection.address)
            sendAway(connection.address)
        }
        end(nil)
        refresh()
        if let publication { peripheral.assumeIsolated { $0.unpublish(publication) } }
        publication = nil
        isPublished = false
    }

    /// The same, and returns when the link of the client is gone, which takes about 2 s, or after 10 s.
    ///
    /// bluetoothd ends the link by itself if the program ends before, but a client of the next server may be quicker, use it once more, and lose it.
    public func end() async {
        await withCheckedContinuation { continuation in
            endings.append(continuation)
            stop()
            if leaving == nil { left() }
        }
    }

    private func leave(_ address: BluetoothAddress) {
        leaving?.limit.cancel()
        leaving = (address, loop.schedule(after: Self.mostLeavingTime) { [weak self] in self?.assumeIsolated { $0.left() } })
    }

    private func left() {
        leaving?.limit.cancel()
        leaving = nil
        for ending in endings { ending.resume() }
        endings = []
    }

    // MARK: On the air

    /// Brings what is published and advertised in line with what is wanted.
    private func refresh() {
        let wantsAdvertisement = isOn && isPublished && connection == nil
        if isOn, isPowered, publication == nil { publish() }
        if wantsAdvertisement, isPowered, advertisement == nil {
            advertise()
        } else if !wantsAdvertisement, let id = advertisement {
            peripheral.assumeIsolated { $0.stopAdvertising(id) }
            advertisement = nil
        }
    }

    private func publish() {
        attempt += 1
        let attempt = attempt
        publication = peripheral.assumeIsolated { peripheral in
            peripheral.publish([.uart]) { [weak self] error in self?.assumeIsolated { $0.published(attempt, error) } }
        }
    }

    private func published(_ attempt: Int, _ error: PeripheralError?) {
        guard self.attempt == attempt, publication != nil else { return }
        guard let error else {
            isPublished = true
            return refresh()
        }
        publication = nil
        failed(error)
    }

    private func advertise() {
        attempt += 1
        let attempt = attempt
        var content = LocalAdvertisement()
        content.services = [UARTGATT.service]
        content.name = name.isEmpty ? nil : name
        advertisement = peripheral.assumeIsolated { peripheral in
            peripheral.advertise(content) { [weak self] error in self?.assumeIsolated { $0.advertised(attempt, error) } }
        }
    }

    private func advertised(_ attempt: Int, _ error: PeripheralError?) {
        guard self.attempt == attempt, advertisement != nil else { return }
        guard let error else {
            tell.yield(.advertising)
            return
        }
        advertisement = nil
        failed(error)
    }

    private func failed(_ error: PeripheralError) {
        guard error.code != .notPoweredOn, error.code != .withdrawn else { return }  // its time comes with the power
        tell.yield(.failed(error))
        loop.schedule(after: Self.retryTime) { [weak self] in self?.assumeIsolated { $0.refresh() } }
    }

    // MARK: From the peripheral

    private func receive(_ event: PeripheralEvent) {
        switch event {
        case .disconnected(let address) where address == leaving?.address: left()
        case .state(let state) where state != .poweredOn: left()
        default: break
        }
        guard isOn else { return refuse(event) }
        switch event {
        case .state(let state):
            isPowered = state == .poweredOn
            if !isPowered { end(LinkError(.notPoweredOn, detail: "\(state)")) }
            tell.yield(.bluetooth(state))
            refresh()
        case .subscribed(.toClient, let central): subscribed(central)
        case .allUnsubscribed(.toClient): ended(LinkError(.closedByPeer, detail: "notifications were switched off"))
        case .disconnected(let address) where address == connection?.address:
            ended(LinkError(.timeout, detail: "the link to \(address) was lost"))
        case .write(let request, .toServer, let value, let offset, let central): written(value, offset, central, request)
        case .read, .write: refuse(event)
        case .subscribed, .allUnsubscribed, .connected, .disconnected, .expired: break
        }
    }

    /// A client that switches notifications on again had switched them off unseen (contract D82).
    private func subscribed(_ central: RemoteCentral) {
        if let connection, connection.address != central.address { return sendAway(central.address) }
        end(LinkError(.closedByPeer, detail: "notifications were switched off"))
        let address = central.address
        let new = UARTConnection(
            loop: loop,
            address: address,
            name: nil,
            mtu: central.mtu,
            window: Self.window,
            send: { [weak self] piece in self?.assumeIsolated { $0.send(piece) } },
            hangUp: { [weak self] in self?.assumeIsolated { $0.sendAway(address) } }
        )
        connection = new
        flow = UpdateFlow()  // what an earlier client was sent is not this one's
        refresh()
        tell.yield(.connected(new))
    }

    private func ended(_ error: LinkError) {
        end(error)
        refresh()
    }

    private func end(_ error: LinkError?) {
        let former = connection
        connection = nil
        former?.assumeIsolated { $0.end(error) }
    }

    private func sendAway(_ address: BluetoothAddress) {
        peripheral.assumeIsolated { $0.disconnect(address) }
    }

    /// Bytes of a client that does not listen are refused: it would miss what is said to it.
    private func written(_ value: [UInt8], _ offset: Int, _ central: RemoteCentral, _ request: RequestID) {
        guard offset == 0 else { return answer(request, .failure(.invalidOffset)) }
        guard let connection, connection.address == central.address else { return answer(request, .failure(.improperlyConfigured)) }
        answer(request, .success([]))
        connection.assumeIsolated { $0.received(value) }
    }

    private func refuse(_ event: PeripheralEvent) {
        switch event {
        case .read(let request, _, _, _): answer(request, .failure(.readNotPermitted))
        case .write(let request, _, _, _, _): answer(request, .failure(.writeNotPermitted))
        default: break
        }
    }

    private func answer(_ request: RequestID, _ answer: Result<[UInt8], ATTError>) {
        peripheral.assumeIsolated { $0.respond(to: request, with: answer) }
    }

    // MARK: To the client

    private func send(_ piece: [UInt8]) {
        peripheral.assumeIsolated { $0.update(piece, of: .toClient) }
        if flow.sent() { flush() }
    }

    /// bluetoothd is asked whether it has taken what was sent, once at a time (contract D94).
    private func flush() {
        let count = flow.ask()
        let asker = connection
        peripheral.assumeIsolated { peripheral in
            peripheral.flushUpdates { [weak self, weak asker] in
                asker?.assumeIsolated { $0.taken(count) }
                self?.assumeIsolated { if $0.flow.answered() { $0.flush() } }
            }
        }
    }
}
