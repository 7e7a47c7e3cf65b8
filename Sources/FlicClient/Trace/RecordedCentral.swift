import EventLoops
import GATT

/// A central whose links, values and states are recorded.
actor RecordedCentral: Central {
    private let base: any Central
    private let recorder: TraceRecorder
    nonisolated let loop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The links of `base`, by those that are handed out here.
    private var links: [LinkID: LinkID] = [:]
    private var linkCount: UInt64 = 0

    init(_ base: any Central, _ recorder: TraceRecorder) {
        self.base = base
        self.recorder = recorder
        loop = base.loop
    }

    private func note(_ event: TraceEvent) { recorder.note(event, at: loop.now) }

    func start(_ handler: @escaping @Sendable (CentralEvent) -> Void) {
        base.assumeIsolated { base in
            base.start { [recorder, loop] event in
                switch event {
                case .state(let state): recorder.note(.adapter(state), at: loop.now)
                case .resumed: recorder.note(.resumed, at: loop.now)
                case .advertisement, .linkedByOthers: break  // what is in the neighbourhood is nobody's business
                }
                handler(event)
            }
        }
    }

    func discover(_ filter: DiscoveryFilter?, on reach: DiscoveryReach) {
        note(.discovery(filter, reach))
        base.assumeIsolated { $0.discover(filter, on: reach) }
    }

    func isLinkedByOthers(_ address: BluetoothAddress) -> Bool { base.assumeIsolated { $0.isLinkedByOthers(address) } }

    func open(_ request: LinkRequest, handler: @escaping @Sendable (LinkEvent) -> Void) -> LinkID {
        linkCount += 1
        let link = LinkID(linkCount)
        note(.open(link.number, request.address, request.service == FlicGATT.twist.service ? .twist : .flic2))
        links[link] = base.assumeIsolated { base in
            base.open(request) { [weak self, recorder, loop] event in
                recorder.note(.link(link.number, event), at: loop.now)
                if case .closed = event { self?.assumeIsolated { $0.links[link] = nil } }
                handler(event)
            }
        }
        return link
    }

    func remembered(_ address: BluetoothAddress) -> Advertisement? { base.assumeIsolated { $0.remembered(address) } }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, on link: LinkID, completion: (@Sendable (LinkError?) -> Void)?) {
        // One that is closed is not known to the base either, which says so.
        if links[link] != nil { note(.write(link.number, value)) }
        let known = links[link] ?? LinkID(0)
        base.assumeIsolated { $0.write(value, to: characteristic, on: known, completion: completion) }
    }

    func close(_ link: LinkID, _ ending: LinkEnding) {
        guard let known = links[link] else { return }
        note(.close(link.number, ending))
        base.assumeIsolated { $0.close(known, ending) }
    }
}
