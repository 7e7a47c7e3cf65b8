import EventLoops
import FlicClient
import GATT

/// The life of links.
extension SimulatedAir {
    // MARK: Opening

    func open(_ request: LinkRequest, for key: Use.Key) {
        var use = Use(key: key, request: request)
        use.timeout = loop.schedule(after: request.timeout) { [weak self] in
            self?.assumeIsolated { $0.finish(key, LinkError(.timeout, detail: "no link to \(request.address)")) }
        }
        uses.append(use)
        loop.execute { [weak self] in
            self?.assumeIsolated { $0.pursue(key) }
        }
    }

    private func use(_ key: Use.Key) -> Use? { uses.first { $0.key.isSame(as: key) } }

    private func setStage(_ stage: Use.Stage, _ key: Use.Key) {
        guard let index = uses.firstIndex(where: { $0.key.isSame(as: key) }) else { return }
        uses[index].stage = stage
        uses[index].timeout?.cancel()
    }

    /// Joins a link that is there, or waits for the button to advertise.
    private func pursue(_ key: Use.Key) {
        guard let use = use(key), use.stage == .waiting else { return }
        guard state == .poweredOn else {
            finish(key, LinkError(.notPoweredOn))
            return
        }
        if let link = links[use.request.address], link.phase == .up, !link.isEnding {
            connected(key)
        } else {
            updateBeat(of: use.request.address)
        }
    }

    /// The button was heard: whoever waits for it gets a link.
    func connectWaiting(to address: BluetoothAddress) {
        guard links[address] == nil, uses.contains(where: { $0.request.address == address && $0.stage == .waiting }),
            let faults = faults(of: address), faults.link != .unanswered, !faults.isConnectedElsewhere
        else { return }
        let link = RadioLink(number: nextLinkNumber())
        links[address] = link
        loop.schedule(after: timing.link) { [weak self] in
            self?.assumeIsolated { $0.finishConnecting(to: address, link.number) }
        }
    }

    private func finishConnecting(to address: BluetoothAddress, _ number: UInt64) {
        guard links[address]?.number == number else { return }
        let waiting = uses.filter { $0.request.address == address && $0.stage == .waiting }
        guard let presence = presences[address], interval(of: presence) != nil, !waiting.isEmpty else {
            links[address] = nil  // it fell silent, or nobody wants it any more
            return
        }
        let refusal: LinkError.Code? =
            switch faults(of: address)?.link {
            case .refused: .failed
            case .limitReached: .limitReached
            default: nil
            }
        if let refusal {
            links[address] = nil
            for use in waiting { finish(use.key, LinkError(refusal, detail: "fault of the simulation")) }
            return
        }
        let admitted = waiting.filter { hasRoom($0.key.central) }
        for use in waiting where !admitted.contains(where: { $0.key.isSame(as: use.key) }) {
            finish(use.key, LinkError(.limitReached, detail: "the adapter holds as many links as it can"))
        }
        guard !admitted.isEmpty else {
            links[address] = nil
            return
        }
        links[address]?.phase = .up
        presence.button.assumeIsolated { [mtu] button in button.input { $0.linkUp(mtu: mtu, at: $1) } }
        updateBeat(of: address)
        for use in admitted { connected(use.key) }
        for listener in listeners {
            guard let central = listener.central, !isUsed(address, by: central) else { continue }
            central.assumeIsolated { $0.tell(.linkedByOthers(address)) }
        }
    }

    private func hasRoom(_ central: SimulatedCentral) -> Bool {
        guard let limit = central.assumeIsolated({ $0.linkLimit }) else { return true }
        return Set(uses.filter { $0.key.central === central && $0.stage != .waiting }.map(\.request.address)).count < limit
    }

    private func connected(_ key: Use.Key) {
        setStage(.connected, key)
        tell(key, .connected)
        loop.schedule(after: timing.services) { [weak self] in
            self?.assumeIsolated { $0.servicesFound(key) }
        }
    }

    private func servicesFound(_ key: Use.Key) {
        guard let use = use(key), use.stage == .connected else { return }
        let gatt = gatt(of: use.request.address)
        let known: Set = [gatt.toButton, gatt.fromButton]
        let isThere = use.request.service == gatt.service && known.isSuperset(of: use.request.notifying + use.request.writable)
        switch faults(of: use.request.address)?.link {
        case .serviceMissing: finish(key, LinkError(.serviceNotFound))
        case .notifyRefused: finish(key, LinkError(.notifyRefused))
        case .bondingRequired: finish(key, LinkError(.bondingRequired))
        case _ where !isThere: finish(key, LinkError(.serviceNotFound))
        default:
            setStage(.ready, key)
            tell(key, .ready(mtu: min(mtu, 140)))
        }
    }

    // MARK: Closing

    func close(_ key: Use.Key, _ ending: LinkEnding) {
        guard let use = use(key) else { return }
        let address = use.request.address
        if ending == .forEverybody, use.stage != .waiting {
            links[address]?.isEnding = true
            for other in uses where other.request.address == address && other.stage != .waiting && !other.key.isSame(as: key) {
                finish(other.key, LinkError(.failed, detail: "closed by another app"))
            }
        }
        guard use.stage != .waiting else { return finish(key, nil) }
        setStage(.closing, key)
        loop.schedule(after: timing.close) { [weak self] in
            self?.assumeIsolated { $0.finish(key, nil) }
        }
    }

    /// Ends a use of a link. A link without users is closed.
    func finish(_ key: Use.Key, _ error: LinkError?) {
        guard let use = use(key) else { return }
        uses.removeAll { $0.key.isSame(as: key) }
        use.timeout?.cancel()
        tell(key, .closed(error))
        let address = use.request.address
        updateBeat(of: address)
        let hasUsers = uses.contains { $0.request.address == address && $0.stage != .waiting }
        if let link = links[address], link.phase == .up, !hasUsers {
            links[address]?.phase = .closing
            // What was written before leaves before.
            loop.schedule(after: max(link.lastToButton - loop.now, .zero)) { [weak self] in
                self?.assumeIsolated { $0.hostClosedLink(address, link.number) }
            }
        } else if links[address]?.phase == .up, !isUsed(address, by: key.central) {
            key.central.assumeIsolated { $0.tell(.linkedByOthers(address)) }
        }
    }

    private func hostClosedLink(_ address: BluetoothAddress, _ number: UInt64) {
        guard links[address]?.number == number else { return }
        links[address] = nil
        presences[address]?.button.assumeIsolated { button in button.input { $0.linkLost(.closedByHost, at: $1) } }
        updateBeat(of: address)
    }

    func buttonClosedLink(_ address: BluetoothAddress) {
        guard let link = links[address], link.phase != .closing else { return }
        links[address]?.phase = .closing
        // What was sent before arrives before.
        let arrival = max(link.lastFromButton, loop.now + timing.frame)
        loop.schedule(after: arrival - loop.now) { [weak self] in
            self?.assumeIsolated { air in
                if air.links[address]?.number == link.number { air.dropLink(to: address, error: LinkError(.closedByPeer)) }
            }
        }
    }

    /// Ends a link on the adapter's side. What is on its way is lost.
    func dropLink(to address: BluetoothAddress, error: LinkError) {
        guard links.removeValue(forKey: address) != nil else { return }
        for use in uses where use.request.address == address && use.stage != .waiting { finish(use.key, error) }
        updateBeat(of: address)
    }

    // MARK: Frames

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, _ key: Use.Key) {
        guard let use = use(key), use.stage == .ready, characteristic == gatt(of: use.request.address).toButton, value.count <= min(mtu, 140) - 3
        else { return }
        let address = use.request.address
        guard let link = links[address], link.phase == .up else { return }
        let arrival = max(link.lastToButton, loop.now + timing.frame + (faults(of: address)?.frameDelay ?? .zero))
        links[address]?.lastToButton = arrival
        loop.schedule(after: arrival - loop.now) { [weak self] in
            self?.assumeIsolated { air in
                guard air.links[address]?.number == link.number else { return }
                air.presences[address]?.button.assumeIsolated { button in button.input { $0.receive(value, at: $1) } }
            }
        }
    }

    func send(_ frame: [UInt8], from address: BluetoothAddress) {
        guard let link = links[address], link.phase == .up else { return }
        let arrival = max(link.lastFromButton, loop.now + timing.frame + (faults(of: address)?.frameDelay ?? .zero))
        links[address]?.lastFromButton = arrival
        loop.schedule(after: arrival - loop.now) { [weak self] in
            self?.assumeIsolated { air in
                guard air.links[address]?.number == link.number else { return }
                let notifying = air.gatt(of: address).fromButton
                for use in air.uses where use.request.address == address && use.stage == .ready && use.request.notifying.contains(notifying) {
                    air.tell(use.key, .value(frame, from: notifying))
                }
            }
        }
    }

    /// The service of a button.
    func gatt(of address: BluetoothAddress) -> FlicGATT.Service { presences[address]?.button.identity.product.gatt ?? FlicGATT.flic2 }

    private func faults(of address: BluetoothAddress) -> Faults? { presences[address]?.button.assumeIsolated { $0.firmware.faults } }

    private func tell(_ key: Use.Key, _ event: LinkEvent) {
        key.central.assumeIsolated { $0.tell(event, on: key.link) }
    }
}
