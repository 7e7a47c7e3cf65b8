public import EventLoops
public import GATT

/// The air around one Bluetooth adapter: the buttons that are near, the apps that use the adapter, and the links between them.
///
/// Buttons are put in with ``place(_:)``; each app gets a ``SimulatedCentral``. As on a real system the apps share the adapter's links:
///
/// - A link to a button is made once. Who opens it later joins it; those who have not are told that it was made elsewhere.
/// - A notification reaches everybody who has the link ready.
/// - The link ends when its last user closes it, when one closes it for all, or when the button or the radio ends it.
///
/// A button can be connected while it advertises (protocol 2.2). An attempt to connect waits for that until its time is over. When the host closes a
/// link, the button stays silent until pressed; when the radio loses it, the button advertises as its clients have configured it.
///
/// Everything takes its time on the loop's clock (``Timing``), and frames never overtake each other.
public actor SimulatedAir {
    /// How long things take.
    public struct Timing: Sendable, Equatable {
        /// From an advertisement to the link.
        public var link: Duration = .milliseconds(50)
        /// Looking up services and switching on notifications.
        public var services: Duration = .milliseconds(100)
        /// From one end of a link to the other.
        public var frame: Duration = .milliseconds(5)
        /// From closing a link to its end.
        public var close: Duration = .milliseconds(20)

        /// Likely times.
        public init() {}
    }

    /// Where the air's time comes from; the buttons in it must be on the same loop.
    public nonisolated let loop: any EventLoop
    /// The same.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// How long things take.
    public let timing: Timing
    /// ATT MTU that the adapter offers.
    public let mtu: Int

    /// State of the adapter.
    public internal(set) var state: CentralState

    var presences: [BluetoothAddress: Presence] = [:]
    var listeners: [Listener] = []
    /// Uses of links and attempts to get one, in the order in which they were opened.
    var uses: [Use] = []
    var links: [BluetoothAddress: RadioLink] = [:]
    private var linkCount: UInt64 = 0

    /// A button near the adapter.
    struct Presence {
        let button: SimulatedButton
        var isInRange = true
        var beat: ScheduledWork?
    }

    /// An app that wants to know what happens.
    struct Listener {
        weak var central: SimulatedCentral?
        var filter: DiscoveryFilter?
    }

    /// - Parameters:
    ///   - loop: Where the air's time comes from.
    ///   - mtu: ATT MTU that the adapter offers, at least 23; buttons take no more than 140.
    ///   - timing: How long things take.
    ///   - state: State of the adapter.
    public init(loop: any EventLoop, mtu: Int = 140, timing: Timing = Timing(), state: CentralState = .poweredOn) {
        self.loop = loop
        self.mtu = max(mtu, 23)
        self.timing = timing
        self.state = state
    }

    // MARK: Buttons

    /// Puts a button into the air, within range. A button of the same address is replaced.
    public func place(_ button: SimulatedButton) {
        remove(button.address)
        presences[button.address] = Presence(button: button)
        button.assumeIsolated { $0.radio = self }
        updateBeat(of: button.address)
    }

    /// Takes a button away for ever.
    public func remove(_ address: BluetoothAddress) {
        loseLink(to: address)
        presences[address]?.beat?.cancel()
        presences[address]?.button.assumeIsolated { $0.radio = nil }
        presences[address] = nil
    }

    /// Carries a button out of range or back. Links are lost at once.
    public func setInRange(_ isInRange: Bool, _ address: BluetoothAddress) {
        presences[address]?.isInRange = isInRange
        if !isInRange { loseLink(to: address) }
        updateBeat(of: address)
    }

    /// A button loses its link, and the adapter does not notice: it believes in a link that carries nothing.
    public func strand(_ address: BluetoothAddress) {
        presences[address]?.button.assumeIsolated { button in button.input { $0.linkLost(.lost, at: $1) } }
        updateBeat(of: address)
    }

    /// The computer wakes up after a sleep: all apps are told.
    public func resume() {
        for listener in listeners { listener.central?.assumeIsolated { $0.tell(.resumed) } }
    }

    /// The radio loses the link to a button. Without effect if there is none.
    public func loseLink(to address: BluetoothAddress) {
        loseLink(to: address, error: LinkError(.timeout, detail: "link lost"))
    }

    private func loseLink(to address: BluetoothAddress, error: LinkError) {
        dropLink(to: address, error: error)
        presences[address]?.button.assumeIsolated { button in button.input { $0.linkLost(.lost, at: $1) } }
    }

    // MARK: Adapter

    /// Switches the adapter, or the Bluetooth service. All links end when it is no longer powered on.
    public func setState(_ state: CentralState) {
        guard state != self.state else { return }
        self.state = state
        for listener in listeners { listener.central?.assumeIsolated { $0.tell(.state(state)) } }
        if state != .poweredOn {
            for address in links.keys.sorted(by: { $0.value < $1.value }) { loseLink(to: address, error: LinkError(.notPoweredOn)) }
            for use in uses { finish(use.key, LinkError(.notPoweredOn)) }
        }
        updateBeats()
    }

    // MARK: Strangers

    /// Lets apps receive a frame that the button did not send, in its turn among those that it did send.
    ///
    /// - Parameters:
    ///   - frame: A GATT value of the notifying characteristic.
    ///   - address: The button that it seems to come from; without effect if there is no link to it.
    public func forge(_ frame: [UInt8], from address: BluetoothAddress) {
        send(frame, from: address)
    }

    // MARK: Advertising

    func advertisingChanged(of address: BluetoothAddress) {
        presences[address]?.beat?.cancel()
        presences[address]?.beat = nil
        updateBeat(of: address)
    }

    func updateBeats() {
        for address in presences.keys.sorted(by: { $0.value < $1.value }) { updateBeat(of: address) }
    }

    /// Sends advertisements as long as the button does so and somebody can hear it.
    func updateBeat(of address: BluetoothAddress) {
        guard let presence = presences[address] else { return }
        guard interval(of: presence) != nil, isHeard(address) else {
            presence.beat?.cancel()
            presences[address]?.beat = nil
            return
        }
        if presence.beat == nil { scheduleBeat(of: address, after: .zero) }
    }

    private func scheduleBeat(of address: BluetoothAddress, after delay: Duration) {
        presences[address]?.beat = loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { $0.beat(of: address) }
        }
    }

    private func beat(of address: BluetoothAddress) {
        presences[address]?.beat = nil
        guard let presence = presences[address], let interval = interval(of: presence), isHeard(address) else { return }
        scheduleBeat(of: address, after: interval)
        var advertisement = presence.button.assumeIsolated { $0.firmware.advertisement }
        advertisement.isConnectedHere = links[address]?.phase == .up
        for listener in listeners where listener.filter?.admits(advertisement) ?? false {
            listener.central?.assumeIsolated { [advertisement] in $0.tell(.advertisement(advertisement)) }
        }
        connectWaiting(to: address)
    }

    /// Time between the advertisements of a button; nil if there are none to be heard.
    func interval(of presence: Presence) -> Duration? {
        guard presence.isInRange, state == .poweredOn else { return nil }
        return presence.button.assumeIsolated { button in
            guard let advertising = button.firmware.advertising, advertising.isPublic || !button.firmware.faults.isConnectedElsewhere else {
                return nil
            }
            return advertising.interval
        }
    }

    private func isHeard(_ address: BluetoothAddress) -> Bool {
        listeners.contains { $0.filter != nil } || uses.contains { $0.request.address == address && $0.stage == .waiting }
    }

    // MARK: Apps

    /// A central starts to listen for states and links.
    func attach(_ central: SimulatedCentral) {
        addListener(central)
        loop.execute { [weak self] in
            self?.assumeIsolated { $0.greet(central) }
        }
    }

    private func greet(_ central: SimulatedCentral) {
        central.assumeIsolated { [state] in $0.tell(.state(state)) }
        for address in links.keys.sorted(by: { $0.value < $1.value }) where links[address]?.phase == .up {
            if !isUsed(address, by: central) { central.assumeIsolated { $0.tell(.linkedByOthers(address)) } }
        }
    }

    private func addListener(_ central: SimulatedCentral) {
        listeners.removeAll { $0.central == nil }
        if !listeners.contains(where: { $0.central === central }) { listeners.append(Listener(central: central)) }
    }

    func setFilter(_ filter: DiscoveryFilter?, of central: SimulatedCentral) {
        addListener(central)
        guard let index = listeners.firstIndex(where: { $0.central === central }) else { return }
        listeners[index].filter = filter
        updateBeats()
    }

    func isUsed(_ address: BluetoothAddress, by central: SimulatedCentral) -> Bool {
        uses.contains { $0.request.address == address && $0.key.central === central }
    }

    func nextLinkNumber() -> UInt64 {
        linkCount += 1
        return linkCount
    }
}

extension DiscoveryFilter {
    fileprivate func admits(_ advertisement: Advertisement) -> Bool {
        switch self {
        case .any: true
        case .services(let services): services.contains { advertisement.services.contains($0) }
        }
    }
}
