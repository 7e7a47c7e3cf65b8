import EventLoops
import FlicProtocol
import FoundationEssentials
import GATT

/// What goes to the central and comes from it.
extension Flic {
    // MARK: Discovery

    func heard(_ advertisement: Advertisement) {
        heard(at: advertisement.address, isLinked: false)
        if advertisement.isPublicFlic { for listener in listeners.values { listener.yield(advertisement) } }
        pairingHeard(advertisement)
    }

    /// - Parameter isLinked: Others have a link to it, so that it will not be heard again.
    func heard(at address: BluetoothAddress, isLinked: Bool) {
        guard state == .poweredOn, let id = identifiers[address], entries[id]?.connection.wantsDiscovery == true else { return }
        let now = loop.now
        update(id) { $0.heard(isLinked: isLinked, now: now, into: &$1) }
    }

    /// A button that others have a link to is not heard: their link is shared.
    func joinOthers(_ address: BluetoothAddress) {
        guard central.assumeIsolated({ $0.isLinkedByOthers(address) }) else { return }
        loop.execute { [weak self] in self?.assumeIsolated { $0.heard(at: address, isLinked: true) } }
    }

    /// Listens for what is wanted, and not at all when nothing is.
    func updateDiscovery() {
        guard state == .poweredOn, phase == .running else { return listen(for: nil) }
        // A paired button advertises without its service, so a filter would hide it (protocol 2.2).
        if waitingButtons > 0 { return listen(for: .any) }
        listen(for: pairing?.attempt.wantsDiscovery == true || !listeners.isEmpty ? .service(FlicGATT.service) : nil)
    }

    func listen(for filter: DiscoveryFilter?) {
        guard filter != discovery else { return }
        discovery = filter
        central.assumeIsolated { $0.discover(filter) }
    }

    // MARK: Links

    /// Makes a link to a button.
    func open(_ id: UUID) {
        guard let address = entries[id]?.connection.record.address else { return }
        let (link, attempt) = open(address, for: .button(id))
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
        switch owner {
        case .pairing: receiveForPairing(event)
        case .button(let id):
            guard entries[id]?.attempt == attempt, let link = entries[id]?.connection.linkID else { return }
            let now = loop.now
            update(id) { $0.receive(event, on: link, now: now, random: HostSession.Randomness.fresh, into: &$1) }
        }
    }

    func open(_ address: BluetoothAddress, for owner: LinkOwner) -> (LinkID, LinkAttempt) {
        let attempt = LinkAttempt(nextNumber())
        linkOwners[attempt] = owner
        let link = central.assumeIsolated { central in
            central.open(FlicGATT.request(for: address)) { [weak self] event in
                self?.assumeIsolated { $0.receive(event, attempt) }
            }
        }
        return (link, attempt)
    }

    func write(_ frame: [UInt8], to link: LinkID) {
        central.assumeIsolated { $0.write(frame, to: FlicGATT.toButton, on: link) }
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
