public import EventLoops
public import GATT

/// The transport of one app in a ``SimulatedAir``. Several centrals of the same air stand for several apps that share an adapter.
public actor SimulatedCentral: Central {
    /// What the app hears.
    public nonisolated let air: SimulatedAir
    /// The loop of the air.
    public nonisolated var loop: any EventLoop { air.loop }
    /// The loop of the air.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { air.loop.asUnownedSerialExecutor() }

    /// How many links the adapter can hold; nil for any number.
    public private(set) var linkLimit: Int?

    private var handler: (@Sendable (CentralEvent) -> Void)?
    private var linkHandlers: [LinkID: @Sendable (LinkEvent) -> Void] = [:]
    private var linkCount: UInt64 = 0

    /// An app that has not started yet.
    public init(air: SimulatedAir) {
        self.air = air
    }

    /// Sets how many links the adapter can hold: an attempt to make another one fails with `limitReached`. Links that are there stay.
    public func setLinkLimit(_ limit: Int?) { linkLimit = limit }

    /// Tells the state of the adapter, and links that others have made, on the next turn of the loop.
    public func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        self.handler = handler
        air.assumeIsolated { $0.attach(self) }
    }

    /// Hears the buttons in range each time they advertise.
    public func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        air.assumeIsolated { $0.setFilter(filter, of: self) }
    }

    /// Whether another central of the air has a link to a button.
    public func isLinkedByOthers(_ address: BluetoothAddress) -> Bool {
        air.assumeIsolated { $0.links[address]?.phase == .up && !$0.isUsed(address, by: self) }
    }

    /// Joins the link to a button, or waits until it advertises and can be connected.
    public func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        linkCount += 1
        let link = LinkID(linkCount)
        linkHandlers[link] = handler
        air.assumeIsolated { $0.open(request, for: Use.Key(central: self, link: link)) }
        return link
    }

    /// Nothing: the app hears what buttons say now.
    public func remembered(_ address: BluetoothAddress) -> Advertisement? { nil }

    /// Sends a value to the button, where it arrives in its time. A value that does not fit the MTU is dropped. There is always room for more.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        air.assumeIsolated { $0.write(value, to: characteristic, Use.Key(central: self, link: link)) }
        guard let completion else { return }
        let error = linkHandlers[link] == nil ? LinkError(.failed, detail: "the link is closed") : nil
        loop.execute { completion(error) }
    }

    /// Ends the use of a link. What was written before still arrives.
    public func close(_ link: LinkID, _ ending: LinkEnding) {
        air.assumeIsolated { $0.close(Use.Key(central: self, link: link), ending) }
    }

    // MARK: From the air

    /// In order, but never inside the call of the app that caused it.
    func tell(_ event: CentralEvent) {
        loop.execute { [weak self] in
            self?.assumeIsolated { $0.handler?(event) }
        }
    }

    func tell(_ event: LinkEvent, on link: LinkID) {
        loop.execute {
            self.assumeIsolated { central in
                guard let handler = central.linkHandlers[link] else { return }
                if case .closed = event { central.linkHandlers[link] = nil }
                handler(event)
            }
        }
    }
}
