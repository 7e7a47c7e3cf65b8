import DBus
import EventLoops
import GATT

/// The steps of a link to where it can be used (see ``BlueZLink``).
extension BlueZCentral {
    // MARK: Connecting

    func begin(_ id: LinkID) {
        guard let link = links[id], link.stage == .searching else { return }
        guard state == .poweredOn else { return finish(id, LinkError(.notPoweredOn)) }
        guard let device = device(for: link.request.address) else { return }  // until it appears, or time is over
        links[id]?.device = device
        guard cuts[device] == nil else { return }  // until that is over
        if tree.isTrue("Connected", of: device) {
            linked(id)
        } else {
            connect(id)
        }
    }

    /// The object by which a device is reached best: one with a link; else that of the first adapter that hears it and has room, the others by how
    /// well they hear it; else that of the first adapter that knows it.
    private func device(for address: BluetoothAddress) -> String? {
        let known = adapters.compactMap { tree.device(address, on: $0) }
        if let linked = known.first(where: { tree.isTrue("Connected", of: $0) }) { return linked }
        let heard = known.filter { tree.rssi(of: $0) != nil && !isFull($0) }
        if let first = heard.first, tree.adapter(of: first) == adapters.first { return first }
        return heard.max { tree.rssi(of: $0) ?? .min < tree.rssi(of: $1) ?? .min } ?? known.first
    }

    private func isFull(_ device: String) -> Bool { tree.adapter(of: device).map(full.contains) ?? false }

    func deviceAppeared(_ path: String) {
        guard isUsable(path) else { return }
        for (id, link) in links where link.stage == .searching && tree.address(of: path) == link.request.address { begin(id) }
    }

    private func connect(_ id: LinkID) {
        guard let device = links[id]?.device, links[id]?.isConnectCalled == false else { return }
        links[id]?.stage = .connecting
        links[id]?.isConnectCalled = true
        // Longer than bluetoothd's own 41 s; the request's time-out ends the wait before.
        call(device, BlueZName.device, "Connect", timeout: .seconds(60), isLong: true) { $0.connectAnswered(id, device, $1) }
    }

    private func connectAnswered(_ id: LinkID, _ device: String, _ result: Result<[DBusValue], DBusError>) {
        guard let link = links[id], link.device == device else { return }
        links[id]?.isConnectCalled = false
        guard link.stage == .connecting else { return }
        guard let error = result.failure else {
            ownLinks.insert(device)
            return linked(id)
        }
        log("\(error)")
        if error.message.contains("le-connection-abort-by-local"), link.aborts < BlueZLink.mostAborts {
            // Crowded air: the link dies before it can be used. Connected was true for a moment, which is no event (hbldh/bleak#993).
            links[id]?.aborts += 1
            return retryConnect(id)
        }
        if error.message.contains("in progress") || error.name == "org.bluez.Error.InProgress" {
            return retryConnect(id)  // another program is at it
        }
        if error.linkError.code == .limitReached, let adapter = tree.adapter(of: device) {
            full.insert(adapter)
            // Another adapter that hears the device may have room.
            if let other = self.device(for: link.request.address), other != device, !isFull(other) {
                links[id]?.stage = .searching
                return begin(id)
            }
            return finish(id, error.linkError)
        }
        finish(id, error.linkError)
        strike(device)
    }

    /// Connects again after a pause, but not before the link that was aborted is seen to be gone.
    private func retryConnect(_ id: LinkID) {
        loop.schedule(after: BlueZLink.abortPause) { [weak self] in
            self?.assumeIsolated { central in
                guard let link = central.links[id], link.stage == .connecting, let device = link.device else { return }
                guard !central.tree.isTrue("Connected", of: device) else { return central.retryConnect(id) }
                central.connect(id)
            }
        }
    }

    /// Connected has become true. While our Connect is under way only its answer counts.
    func connectedSeen(_ id: LinkID) {
        guard let link = links[id], link.stage == .connecting, !link.isConnectCalled else { return }
        linked(id)
    }

    func timedOut(_ id: LinkID) {
        guard let link = links[id], link.stage == .searching || link.stage == .connecting else { return }
        // Ends the attempt in bluetoothd, too, which would go on by itself.
        if let device = link.device, link.isConnectCalled { cut(device) }
        finish(id, LinkError(.timeout, detail: "no link to \(link.request.address) within \(link.request.timeout)"))
        if let device = link.device, link.stage == .connecting { strike(device) }
    }

    // MARK: Services

    private func linked(_ id: LinkID) {
        guard let link = links[id], let device = link.device, link.stage == .searching || link.stage == .connecting else { return }
        links[id]?.stage = .resolving
        links[id]?.isOurs = ownLinks.contains(device)
        links[id]?.timer?.cancel()
        links[id]?.timer = loop.schedule(after: BlueZLink.resolveTime) { [weak self] in
            self?.assumeIsolated { central in
                guard let link = central.links[id], link.stage == .resolving else { return }
                central.fail(id, LinkError(.serviceNotFound, detail: "the services of \(link.request.address) were not found in time"))
            }
        }
        // Now and then bluetoothd makes a link without telling (bluez-facts, "Connecting"). Who is not known to be connected would be waited for in vain
        // once its services have changed, and could be removed with its link.
        if !tree.isTrue("Connected", of: device) {
            session.assumeIsolated { $0.verify("Connected", is: .boolean(true), of: BlueZName.device, at: device) }
        }
        link.handler(.connected)
        if tree.isTrue("ServicesResolved", of: device) { servicesResolved(id) }
    }

    /// ServicesResolved has become true; all GATT objects were announced before.
    func servicesResolved(_ id: LinkID, _ link: BlueZLink) {
        // It proves the link, too, if Connected was never seen (bluez-facts, "Connecting").
        if link.stage == .connecting, !link.isConnectCalled { linked(id) } else { servicesResolved(id) }
    }

    private func servicesResolved(_ id: LinkID) {
        guard let link = links[id], link.stage == .resolving, let device = link.device else { return }
        let request = link.request
        let found = tree.characteristics(of: request.service, on: device) ?? [:]
        let missing = (request.notifying + request.writable).filter { found[$0] == nil }
        guard missing.isEmpty else {
            return awaitServices(id, LinkError(.serviceNotFound, detail: "\(device) has no \(missing.map(\.description).joined(separator: ", "))"))
        }
        links[id]?.characteristics = found
        prepareValues(of: id, request)
    }

    /// What bluetoothd remembers of a device may be out of date; Service Changed then brings what is missing.
    private func awaitServices(_ id: LinkID, _ error: LinkError) {
        guard links[id]?.isAwaitingServices == false else { return }
        links[id]?.isAwaitingServices = true
        links[id]?.timer?.cancel()
        links[id]?.timer = loop.schedule(after: BlueZLink.staleTime) { [weak self] in
            self?.assumeIsolated { central in
                if central.links[id]?.stage == .resolving { central.fail(id, error) }
            }
        }
    }

    /// A characteristic has appeared: perhaps the one that a link waits for.
    func characteristicAppeared(_ path: String) {
        for (id, link) in links where link.isAwaitingServices && link.device.map(path.hasPrefix) == true { servicesResolved(id) }
    }
}
