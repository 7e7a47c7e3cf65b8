package import EventLoops
package import GATT
import UART

/// A central in the hands of a test: it does nothing by itself, and remembers what it was asked.
package actor ScriptedCentral: Central {
    package nonisolated let loop: any EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What was asked, in words.
    private var journal: [String] = []
    /// What was written.
    package private(set) var pieces: [[UInt8]] = []
    private var handler: (@Sendable (CentralEvent) -> Void)?
    private var link: (id: LinkID, handler: @Sendable (LinkEvent) -> Void)?
    private var linkCount: UInt64 = 0
    private var completions: [@Sendable (LinkError?) -> Void] = []
    private var isPatient = false
    private var memories: [BluetoothAddress: Advertisement] = [:]
    private var others: Set<BluetoothAddress> = []
    private var listener: AsyncStream<Void>.Continuation?

    package init(loop: any EventLoop) { self.loop = loop }

    // MARK: The test's hand

    package func tell(_ event: CentralEvent) { handler?(event) }

    /// Something happens on the link.
    package func tell(_ event: LinkEvent) {
        guard let link else { return }
        if case .closed = event {
            self.link = nil
            refuse(LinkError(.failed, detail: "not connected"))
        }
        link.handler(event)
    }

    /// A device is heard. It names the service, unless told otherwise.
    package func hear(
        _ address: BluetoothAddress,
        _ name: String?,
        services: [BluetoothUUID] = [UARTGATT.service],
        hidden: HiddenServices = .none
    ) {
        handler?(.advertisement(Advertisement(address: address, name: name, services: services, hidden: hidden)))
    }

    /// The link is made and can be used.
    package func connect(mtu: Int = 23) {
        tell(.connected)
        tell(.ready(mtu: mtu))
    }

    package func remember(_ address: BluetoothAddress, _ name: String?, services: [BluetoothUUID] = [UARTGATT.service]) {
        memories[address] = Advertisement(address: address, name: name, services: services)
    }

    /// Another program has a link.
    package func setLinkedByOthers(_ address: BluetoothAddress) {
        others.insert(address)
        handler?(.linkedByOthers(address))
    }

    /// From now on what is written waits for the test.
    package func wait() { isPatient = true }

    /// Waits until a condition about what was written holds, or the test's time is over. There can be one waiter at a time.
    package func waitForPieces(_ condition: ([[UInt8]]) -> Bool) async {
        let (updates, continuation) = AsyncStream.makeStream(of: Void.self)
        listener = continuation
        continuation.yield()
        for await _ in updates where condition(pieces) { return }
    }

    package var waitingPieces: Int { completions.count }

    /// The oldest piece that waits is taken.
    package func take() { completions.removeFirst()(nil) }

    /// What waits is refused.
    package func refuse(_ error: LinkError) {
        let refused = completions
        completions = []
        for completion in refused { completion(error) }
    }

    package func takeJournal() -> [String] {
        defer { journal = [] }
        return journal
    }

    // MARK: Central

    package func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) { self.handler = handler }

    package func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        switch filter {
        case nil: journal.append("stop")
        case .any: journal.append("listen")
        case .services(let services): journal.append(services == [UARTGATT.service] ? "listen for uart" : "listen for \(services)")
        }
    }

    package func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { others.contains(address) }

    package func remembered(_ address: BluetoothAddress) -> Advertisement? { memories[address] }

    package func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        linkCount += 1
        let isRight = request.service == UARTGATT.service && request.notifying == [UARTGATT.toClient] && request.writable == [UARTGATT.toServer]
        journal.append("open \(request.address)\(isRight ? "" : " for something else")")
        link = (LinkID(linkCount), handler)
        return LinkID(linkCount)
    }

    package func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        guard let completion else { return journal.append("write without waiting") }
        guard link == self.link?.id, characteristic == UARTGATT.toServer else {
            return loop.execute { completion(LinkError(.failed, detail: "no such link")) }
        }
        pieces.append(value)
        listener?.yield()
        if isPatient { completions.append(completion) } else { loop.execute { completion(nil) } }
    }

    /// The test says when it is closed.
    package func close(_ link: LinkID, _ ending: LinkEnding) {
        if link == self.link?.id { journal.append("close") }
    }
}
