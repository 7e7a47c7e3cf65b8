public import EventLoops

/// A central where there is no Bluetooth: its state is `unsupported` for ever, and no link is ever made.
public actor AbsentCentral: Central {
    /// Where handlers are called.
    public nonisolated let loop: any EventLoop

    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var lastLink: UInt64 = 0

    /// - Parameter loop: Where handlers are called.
    public init(loop: any EventLoop = DispatchLoop()) {
        self.loop = loop
    }

    /// Tells the state, and nothing else ever.
    public func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        loop.execute { handler(.state(.unsupported(.missing))) }
    }

    /// Without effect.
    public func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {}

    /// Tells that the link is closed.
    public func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        lastLink += 1
        loop.execute { handler(.closed(LinkError(.notPoweredOn, detail: "There is no Bluetooth here."))) }
        return LinkID(lastLink)
    }

    /// Nothing is known.
    public func remembered(_ address: BluetoothAddress) -> Advertisement? { nil }

    /// Tells that nothing was sent.
    public func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        guard let completion else { return }
        loop.execute { completion(LinkError(.notPoweredOn, detail: "There is no Bluetooth here.")) }
    }

    /// Nobody can have one.
    public func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { false }

    /// Without effect.
    public func close(_ link: LinkID, _ ending: LinkEnding) {}
}
