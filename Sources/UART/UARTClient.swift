public import EventLoops
public import GATT

/// The client of the Nordic UART Service: finds a device, connects, and connects again when the link is lost.
///
/// ```swift
/// let client = UARTClient(central: BlueZCentral(session: BlueZSession()))
/// await client.connect(to: .named("Weather"))
/// for await notice in client.notices {
///     guard case .connected(let connection) = notice else { continue }
///     try await connection.write("report\n")
///     for await line in connection.lines() { print(line) }
/// }
/// ```
///
/// A device is found by its advertisement, which has to name the service; one to which others are connected already is used with them, if it is known to
/// have the service. Where the system hides what an advertisement names (`HiddenServices`), the device is connected to see whether it has the service, if it
/// is the one that was asked for, or if the service is likely to be there. While nothing is found the adapter listens without a pause; while a link is made,
/// and while there is one, it does not (contract C23).
public actor UARTClient {
    /// The loop of the central.
    public nonisolated var loop: any EventLoop { central.loop }
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { central.loop.asUnownedSerialExecutor() }

    /// What happens. There can be one reader only; one that is more than 256 notices behind misses the oldest.
    public nonisolated let notices: AsyncStream<UARTNotice>

    private nonisolated let central: any Central
    private let tell: AsyncStream<UARTNotice>.Continuation
    private var search = UARTSearch()
    private var hasStarted = false
    /// Devices to which others may have links.
    private var linkedByOthers: Set<BluetoothAddress> = []
    private var link: LinkID?
    private var device: (address: BluetoothAddress, name: String?, isLook: Bool)?
    private var emptyLooks = EmptyLooks()
    private var connection: UARTConnection?
    /// Those who wait until there is no link.
    private var endings: [CheckedContinuation<Void, Never>] = []

    /// More are not remembered.
    private static let mostLinkedByOthers = 64

    /// Nothing happens before a connection is asked for.
    ///
    /// - Parameter central: Serves this client alone.
    public init(central: any Central) {
        self.central = central
        (notices, tell) = AsyncStream.makeStream(of: UARTNotice.self, bufferingPolicy: .bufferingNewest(256))
    }

    deinit {
        central.loop.execute { [central, link, connection] in
            central.assumeIsolated { central in
                central.discover(nil)
                if let link { central.close(link, .keepingShared) }
            }
            connection?.assumeIsolated { $0.end(nil) }
        }
        tell.finish()
    }

    // MARK: Wishes

    /// Asks Bluetooth for its state, which ``notices`` tells. ``connect(to:)`` does it as well.
    public func start() {
        guard !hasStarted else { return }
        hasStarted = true
        central.assumeIsolated { central in
            central.start { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
    }

    /// Whether another link is made after one has ended, to the device that was asked for last. It is, unless told otherwise.
    public func setKeepsConnected(_ keepsConnected: Bool) { search.keepsConnected = keepsConnected }

    /// Searches for a device and connects to it, as soon as Bluetooth is on and it is there. Replaces an earlier wish that has not been fulfilled; without
    /// effect while there is a connection.
    public func connect(to choice: UARTChoice) {
        start()
        perform(search.connect(choice))
    }

    /// Takes up the last wish again, or that for any device, where none is left.
    public func resume() {
        start()
        perform(search.resume())
    }

    /// Ends the connection, or the search for one, and forgets what was searched for. The link stays if others use it.
    public func disconnect() { perform(search.disconnect()) }

    /// The same, and returns when the link is gone, which takes about 2 s: one that is left to bluetoothd by a program that ends stays.
    public func end() async {
        await withCheckedContinuation { continuation in
            endings.append(continuation)
            disconnect()
            if link == nil { ended() }
        }
    }

    private func ended() {
        for ending in endings { ending.resume() }
        endings = []
    }

    // MARK: Doing

    private func perform(_ actions: [UARTSearch.Action]) {
        for action in actions {
            switch action {
            case .listen: listen()
            case .stopListening: central.assumeIsolated { $0.discover(nil) }
            case .open(let address): open(address)
            case .close:
                guard let link else { continue }
                central.assumeIsolated { $0.close(link, .keepingShared) }
            case .pause(let time, let number):
                loop.schedule(after: time) { [weak self] in
                    self?.assumeIsolated { $0.perform($0.search.pauseIsOver(number)) }
                }
            case .tell(.idle): tell.yield(.idle)
            case .tell(.searching): tell.yield(.searching)
            case .tell(.connected): if let connection { tell.yield(.connected(connection)) }
            }
        }
    }

    private func listen() {
        central.assumeIsolated { $0.discover(.service(UARTGATT.service)) }
        for address in linkedByOthers { lookAtLinkOfOthers(address) }
    }

    private func open(_ address: BluetoothAddress) {
        link = central.assumeIsolated { central in
            central.open(UARTGATT.request(for: address)) { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        }
    }

    // MARK: From the central

    private func receive(_ event: CentralEvent) {
        switch event {
        case .state(let state):
            tell.yield(.bluetooth(state))
            if state != .poweredOn { linkedByOthers = [] }
            perform(search.power(state == .poweredOn))
        case .advertisement(let advertisement): heard(advertisement.address, advertisement)
        case .linkedByOthers(let address):
            if linkedByOthers.count < Self.mostLinkedByOthers { linkedByOthers.insert(address) }
            lookAtLinkOfOthers(address)
        case .resumed: break
        }
    }

    /// Such a device is not heard (contract C22).
    private func lookAtLinkOfOthers(_ address: BluetoothAddress) {
        guard central.assumeIsolated({ $0.isLinkedByOthers(address) }) else {
            linkedByOthers.remove(address)
            return
        }
        heard(address, nil)
    }

    /// The service of a device, and its name, may be known from earlier rather than from what it says now.
    private func heard(_ address: BluetoothAddress, _ advertisement: Advertisement?) {
        guard search.isSearching else { return }
        let known = central.assumeIsolated { $0.remembered(address) }
        let name = advertisement?.name ?? known?.name
        let hasService = [advertisement, known].contains { $0?.services.contains(UARTGATT.service) == true }
        guard hasService || isWorthALook(address, advertisement), search.choice.matches(address, name: name) else { return }
        device = (address, name, isLook: !hasService)
        perform(search.found(address))
    }

    /// Whether a device may have the service though nobody says so.
    private func isWorthALook(_ address: BluetoothAddress, _ advertisement: Advertisement?) -> Bool {
        guard let hidden = advertisement?.hidden, emptyLooks.admits(address, now: loop.now) else { return false }
        return switch hidden {
        case .none: false
        case .possible: search.choice.isDefinite
        case .likely: true
        }
    }

    private func receive(_ event: LinkEvent) {
        switch event {
        case .connected: break
        case .ready(let mtu): ready(mtu)
        case .value(let value, from: UARTGATT.toClient): connection?.assumeIsolated { $0.received(value) }
        case .value: break
        case .closed(let error): closed(error)
        }
    }

    private func ready(_ mtu: Int) {
        guard let link, let device else { return }
        emptyLooks.remove(device.address)
        connection = UARTConnection(
            loop: loop,
            address: device.address,
            name: device.name,
            mtu: mtu,
            window: 1,
            send: { [weak self] piece in self?.assumeIsolated { $0.send(piece, on: link) } },
            hangUp: { [weak self] in
                self?.assumeIsolated { client in
                    if client.link == link { client.perform(client.search.hangUp()) }
                }
            }
        )
        perform(search.ready())
    }

    private func send(_ piece: [UInt8], on link: LinkID) {
        let connection = connection
        central.assumeIsolated { central in
            central.write(piece, to: UARTGATT.toServer, on: link) { [weak connection] error in
                connection?.assumeIsolated { connection in
                    if let error { connection.refused(error) } else { connection.taken(1) }
                }
            }
        }
    }

    private func closed(_ error: LinkError?) {
        link = nil
        let former = connection
        connection = nil
        former?.assumeIsolated { $0.end(error) }
        var wasInVain = false
        if former == nil, let error, let device {
            tell.yield(.failed(device.address, error))
            wasInVain = device.isLook && error.code == .serviceNotFound
            if wasInVain { emptyLooks.add(device.address, now: loop.now) }
        }
        perform(search.closed(wasInVain: wasInVain))
        ended()
    }
}
