import EventLoops
import FlicProtocol
import FoundationEssentials
import GATT
import Logs

/// What goes to the central and comes from it.
extension Flic {
    // MARK: Discovery

    func heard(_ advertisement: Advertisement) {
        if let id = identifiers[advertisement.address] { heard(id, isPublic: advertisement.isPublicFlic) }
        if advertisement.isPublicFlic { for listener in listeners.values { listener.yield(advertisement) } }
        pairingHeard(advertisement)
    }

    /// A paired button was heard.
    private func heard(_ id: UUID, isPublic: Bool) {
        guard state == .poweredOn, let connection = entries[id]?.connection else { return }
        let now = loop.now
        switch connection.phase {
        case .waiting where connection.canOpen(now: now):
            planner.heard(id, now: now)
            followPlan()
        case .up where !isPublic:  // in pairing mode it advertises beside its link
            update(id) { $0.probe(now: now, into: &$1) }
        case .none, .waiting, .opening, .up, .closing: break
        }
    }

    /// Others have a link to a button, which is then not heard: their link is shared.
    func join(_ address: BluetoothAddress) {
        guard state == .poweredOn, let id = identifiers[address] else { return }
        let now = loop.now
        update(id) { $0.join(now: now, into: &$1) }
    }

    func joinOthers(_ address: BluetoothAddress) {
        guard central.assumeIsolated({ $0.isLinkedByOthers(address) }) else { return }
        loop.execute { [weak self] in self?.assumeIsolated { $0.join(address) } }
    }

    /// The computer was asleep. Whether the links have outlived that is asked of the buttons.
    func resumed() {
        let now = loop.now
        planner.adapterFound(now: now)
        for id in order { update(id) { $0.probe(now: now, into: &$1) } }
        followPlan()
    }

    // MARK: The plan

    /// Does what the plan says.
    func followPlan() {
        guard !isPlanning else {
            isPlanChanged = true
            return
        }
        guard state == .poweredOn, phase == .running else { return listen(for: nil) }
        isPlanning = true
        repeat {
            isPlanChanged = false
            let now = loop.now
            for step in planner.steps(now: now, isIdle: { [entries] in entries[$0]?.connection.isIdle ?? false }) { carryOut(step, now: now) }
            if planner.isCrowded != isCrowded { setCrowded(planner.isCrowded, now: now) }
        } while isPlanChanged
        isPlanning = false
        updateDiscovery()
        planTimer.set(planner.deadline(now: loop.now), on: loop) { [weak self] in
            self?.assumeIsolated { flic in
                flic.planTimer.fired()
                flic.followPlan()
            }
        }
    }

    private func carryOut(_ step: ConnectionPlanner.Step, now: Duration) {
        switch step {
        case .open(let id): update(id) { $0.open(now: now, into: &$1) }
        case .openForPairing: openForPairing()
        case .makeRoom(let id): update(id) { $0.hangUp(into: &$1) }
        case .tellLimit(let links):
            configuration.log(
                .notice,
                LogArea.session.remark(
                    "The adapter holds \(links) connections, and there are more buttons: they take turns. Idle ones are hung up on, and come back when pressed."
                )
            )
        }
    }

    private func setCrowded(_ isCrowded: Bool, now: Duration) {
        self.isCrowded = isCrowded
        for id in order { update(id) { $0.setCrowded(isCrowded, now: now, into: &$1) } }
    }

    /// Listens for what is wanted, and not at all when nothing is.
    func updateDiscovery() {
        guard state == .poweredOn, phase == .running else { return listen(for: nil) }
        // A paired button advertises without its service, so a filter would hide it (protocol 2.2).
        let filter: DiscoveryFilter = planner.isSeeking ? .any : .services(FlicGATT.services)
        if pairing?.attempt.wantsDiscovery == true || !listeners.isEmpty {
            listen(for: Discovery(filter: filter, reach: .all))
        } else {
            listen(for: planner.listening(now: loop.now).map { Discovery(filter: filter, reach: $0) })
        }
    }

    func listen(for wanted: Discovery?) {
        guard wanted != discovery else { return }
        discovery = wanted
        central.assumeIsolated { $0.discover(wanted?.filter, on: wanted?.reach ?? .chosen) }
    }

    // MARK: Links

    /// Makes a link to a button.
    func open(_ id: UUID) {
        guard let record = entries[id]?.connection.record else { return }
        let (link, attempt) = open(record.address, record.product, for: .button(id))
        entries[id]?.attempt = attempt
        entries[id]?.connection.opened(link)
    }

    /// Something happened to a link.
    private func receive(_ event: LinkEvent, _ attempt: LinkAttempt) {
        guard phase == .running || phase == .stopping, let owner = linkOwners[attempt] else { return }
        if case .closed = event {
            linkOwners[attempt] = nil
        }
        defer { if linkOwners.isEmpty { linksEnded() } }
        if case .closed(let error?) = event, error.code == .limitReached { planner.refused(now: loop.now) }
        switch owner {
        case .pairing: receiveForPairing(event)
        case .button(let id):
            guard entries[id]?.attempt == attempt, let link = entries[id]?.connection.linkID else { return }
            let now = loop.now
            update(id) { $0.receive(event, on: link, now: now, random: HostSession.Randomness.fresh, into: &$1) }
        }
    }

    func open(_ address: BluetoothAddress, _ product: FlicProduct, for owner: LinkOwner) -> (LinkID, LinkAttempt) {
        let attempt = LinkAttempt(nextNumber())
        linkOwners[attempt] = owner
        let timeout = if case .pairing = owner { FlicGATT.linkTimeout } else { FlicGATT.relinkTimeout }
        let link = central.assumeIsolated { central in
            central.open(FlicGATT.request(for: address, product, timeout: timeout)) { [weak self] event in
                self?.assumeIsolated { $0.receive(event, attempt) }
            }
        }
        return (link, attempt)
    }

    func write(_ frame: [UInt8], to link: LinkID, of product: FlicProduct) {
        central.assumeIsolated { $0.write(frame, to: product.gatt.toButton, on: link) }
    }

    func close(_ link: LinkID, _ ending: LinkEnding) {
        central.assumeIsolated { $0.close(link, ending) }
    }

    /// A number that was not used before.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
