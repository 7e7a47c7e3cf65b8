public import EventLoops
public import FlicClient
public import GATT

/// A simulated button on a real radio: anybody with a Bluetooth adapter can find it, pair with it and press it from afar.
///
/// ```swift
/// let onAir = ButtonOnAir(peripheral: peripheral)
/// let button = try await onAir.start(seed: 1)
/// await button.enterPublicMode()
/// ```
///
/// The button lives under the adapter's own address, and its certificate is for that address. It has one host at a time, like a real one (protocol 2.2);
/// the link counts from the moment at which the host switches notifications on. The flags of private mode and all of public mode are on the air
/// as the firmware wants them, except that most systems send the manufacturer data in the advertisement and the name in the scan response.
///
/// A transport does not tell why a link ended. A host that has ended its sessions before counts as one that closed it on purpose, after which the
/// button is silent until it is pressed (protocol 2.3); else the link counts as lost. ``Faults/link`` and ``Faults/frameDelay`` are without effect.
public actor ButtonOnAir {
    /// The loop of the peripheral.
    public nonisolated var loop: any EventLoop { peripheral.loop }
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { peripheral.loop.asUnownedSerialExecutor() }

    nonisolated let peripheral: any Peripheral
    private let log: @Sendable (String) -> Void
    private let hostChanged: @Sendable (BluetoothAddress?) -> Void
    private var phase = Phase.off
    private var publication: PublicationID?
    private var advertising: (number: Int, id: AdvertisementID, content: LocalAdvertisement)?
    private var advertisementCount = 0
    private var host: Host?

    private typealias Start = CheckedContinuation<Result<SimulatedButton, PeripheralError>, Never>

    private enum Phase {
        case off
        case waiting(make: @Sendable (BluetoothAddress) -> SimulatedButton, patience: ScheduledWork, Start)
        case publishing(SimulatedButton, Start)
        case onAir(SimulatedButton)
    }

    /// Who has the button's link.
    private struct Host {
        let address: BluetoothAddress
        /// The button has closed the link, the radio has not.
        var isClosing = false
    }

    /// The longest ATT MTU of a button (protocol 2.3).
    private static let largestMTU = 140
    /// Between attempts to advertise.
    private static let retryTime = Duration.seconds(10)

    /// - Parameters:
    ///   - peripheral: Carries the button, and nothing else.
    ///   - log: Hears what goes wrong.
    ///   - hostChanged: Hears who has the button's link, and nil when nobody has any more.
    public init(
        peripheral: any Peripheral,
        log: @escaping @Sendable (String) -> Void = { _ in },
        hostChanged: @escaping @Sendable (BluetoothAddress?) -> Void = { _ in }
    ) {
        self.peripheral = peripheral
        self.log = log
        self.hostChanged = hostChanged
    }

    deinit {
        peripheral.loop.execute { [peripheral, publication, id = advertising?.id] in
            peripheral.assumeIsolated { peripheral in
                if let publication { peripheral.unpublish(publication) }
                if let id { peripheral.stopAdvertising(id) }
            }
        }
    }

    // MARK: On and off

    /// Puts a new button on the air, as soon as there is an adapter that is switched on.
    ///
    /// - Parameters:
    ///   - seed: Everything but the address follows from it.
    ///   - product: What kind of device it is.
    ///   - settings: How it was made and used so far.
    ///   - faults: What goes wrong with it.
    ///   - patience: How long to wait for the adapter.
    /// - Returns: The button, lying still and not public yet. It stays on the air as long as this object exists, or until ``stop()``.
    /// - Throws: Why it could not be done.
    public func start(
        seed: UInt64,
        product: FlicProduct = .flic2,
        settings: ButtonSettings = ButtonSettings(),
        faults: Faults = Faults(),
        patience: Duration = .seconds(30)
    ) async throws(PeripheralError) -> SimulatedButton {
        let result = await withCheckedContinuation { (start: CheckedContinuation<Result<SimulatedButton, PeripheralError>, Never>) in
            guard case .off = phase else {
                return start.resume(returning: .failure(PeripheralError(.failed, detail: "A button is on the air already.")))
            }
            let make = { @Sendable [loop] (address: BluetoothAddress) in
                let identity = ButtonIdentity.make(seed: seed, address: address, product: product)
                return SimulatedButton(identity: identity, seed: seed, settings: settings, faults: faults, loop: loop)
            }
            let patience = loop.schedule(after: patience) { [weak self] in
                self?.assumeIsolated { $0.fail(PeripheralError(.notPoweredOn)) }
            }
            phase = .waiting(make: make, patience: patience, start)
            peripheral.assumeIsolated { peripheral in
                peripheral.start { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
            }
        }
        return try result.get()
    }

    /// Takes the button off the air and ends its link.
    public func stop() {
        if let host { disconnect(host.address) }
        host = nil
        let button = button
        fail(PeripheralError(.failed, detail: "stopped"))
        button?.assumeIsolated { button in
            button.input { $0.linkLost(.lost, at: $1) }
            button.radio = nil
        }
    }

    /// The button on the air.
    private var button: SimulatedButton? { if case .onAir(let button) = phase { button } else { nil } }

    private func fail(_ error: PeripheralError) {
        let former = phase
        phase = .off
        refreshAdvertising()
        if let publication { peripheral.assumeIsolated { $0.unpublish(publication) } }
        publication = nil
        switch former {
        case .waiting(_, let patience, let start):
            patience.cancel()
            start.resume(returning: .failure(error))
        case .publishing(_, let start): start.resume(returning: .failure(error))
        case .off, .onAir: break
        }
    }

    private func publish() {
        guard case .waiting(let make, let patience, let start) = phase, let address = peripheral.assumeIsolated({ $0.address }) else { return }
        patience.cancel()
        let button = make(address)
        phase = .publishing(button, start)
        publication = peripheral.assumeIsolated { peripheral in
            peripheral.publish([LocalService(button.identity.product.gatt)]) { [weak self] error in self?.assumeIsolated { $0.published(error) } }
        }
    }

    private func published(_ error: PeripheralError?) {
        guard case .publishing(let button, let start) = phase else { return }
        if let error { return fail(error) }
        phase = .onAir(button)
        button.assumeIsolated { $0.radio = self }
        refreshAdvertising()
        start.resume(returning: .success(button))
    }

    // MARK: From the peripheral

    private func receive(_ event: PeripheralEvent) {
        switch event {
        case .state(.poweredOn):
            publish()
            refreshAdvertising()
        case .subscribed(.fromButton, let central):
            listens(central)
        case .write(let request, let characteristic, let value, _, let central):
            peripheral.assumeIsolated { $0.respond(to: request, with: .success([])) }
            guard characteristic == .toButton, let host, host.address == central.address, !host.isClosing else { return }
            button?.assumeIsolated { button in button.input { $0.receive(value, at: $1) } }
        case .read(let request, _, _, _):
            peripheral.assumeIsolated { $0.respond(to: request, with: .failure(.readNotPermitted)) }
        case .disconnected(let address):
            disconnected(address)
        case .state, .subscribed, .allUnsubscribed, .connected, .expired:
            break
        }
    }

    /// A host has the link ready. Others are sent away: the button can have one only.
    private func listens(_ central: RemoteCentral) {
        guard let button else { return }
        if let host {
            if host.address != central.address { disconnect(central.address) }
            return
        }
        host = Host(address: central.address)
        hostChanged(central.address)
        button.assumeIsolated { button in button.input { $0.linkUp(mtu: min(max(central.mtu, 23), Self.largestMTU), at: $1) } }
        refreshAdvertising()
    }

    private func disconnected(_ address: BluetoothAddress) {
        guard host?.address == address else { return }
        host = nil
        hostChanged(nil)
        button?.assumeIsolated { button in
            let end: ButtonFirmware.LinkEnd = button.firmware.sessionCount == 0 ? .closedByHost : .lost
            button.input { $0.linkLost(end, at: $1) }
        }
        refreshAdvertising()
    }

    private func disconnect(_ address: BluetoothAddress) {
        peripheral.assumeIsolated { $0.disconnect(address) }
    }

    // MARK: Advertising

    /// Brings what is on the air in line with what the firmware wants.
    private func refreshAdvertising() {
        let wanted = button.flatMap { button in button.assumeIsolated { LocalAdvertisement($0.firmware) } }
        guard wanted != advertising?.content else { return }
        if let id = advertising?.id { peripheral.assumeIsolated { $0.stopAdvertising(id) } }
        advertising = nil
        guard let wanted else { return }
        advertisementCount += 1
        let number = advertisementCount
        let id = peripheral.assumeIsolated { peripheral in
            peripheral.advertise(wanted) { [weak self] error in self?.assumeIsolated { $0.advertised(number, error) } }
        }
        advertising = (number, id, wanted)
    }

    private func advertised(_ number: Int, _ error: PeripheralError?) {
        guard let error, advertising?.number == number else { return }
        advertising = nil
        guard error.code != .notPoweredOn else { return }  // its time comes with the power
        log("not advertising: \(error)")
        loop.schedule(after: Self.retryTime) { [weak self] in self?.assumeIsolated { $0.refreshAdvertising() } }
    }
}

// MARK: From the button

extension ButtonOnAir: Radio {
    func send(_ frame: [UInt8], from address: BluetoothAddress) {
        guard let host, !host.isClosing else { return }
        peripheral.assumeIsolated { $0.update(frame, of: .fromButton) }
    }

    func buttonClosedLink(_ address: BluetoothAddress) {
        guard let host, !host.isClosing else { return }
        self.host?.isClosing = true
        disconnect(host.address)
    }

    func buttonDied(_ address: BluetoothAddress) { buttonClosedLink(address) }

    func advertisingChanged(of address: BluetoothAddress) { refreshAdvertising() }

    func faultsChanged(of address: BluetoothAddress) { refreshAdvertising() }
}
