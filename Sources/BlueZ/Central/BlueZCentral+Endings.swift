import DBus
import EventLoops
import GATT

/// How links end, and what is done about devices that cannot be used.
extension BlueZCentral {
    /// A characteristic that is in use is gone, and whoever listened to it hears nothing more. Either the device goes as well, and says so by itself,
    /// or its services have changed while the link is up: that is left as it is, and joined anew (bluez-facts, "GATT client").
    func characteristicRemoved(_ path: String) {
        for (id, link) in links where link.isUsingCharacteristics && link.characteristics.values.contains(path) {
            loop.schedule(after: BlueZLink.removalGrace) { [weak self] in
                guard let self else { return }
                self.assumeIsolated { central in
                    guard let link = central.links[id], link.isUsingCharacteristics else { return }
                    central.finish(id, LinkError(.failed, detail: "the services of \(link.request.address) have changed"))
                }
            }
        }
    }

    func connectionLost(_ id: LinkID) {
        guard let link = links[id] else { return }
        switch link.stage {
        case .searching, .connecting: break  // no event: nobody was told of that link
        case .resolving, .subscribing, .ready: finish(id, LinkError(.timeout, detail: "the link to \(link.request.address) was lost"))
        case .closing: finish(id, nil)
        }
    }

    func deviceRemoved(_ id: LinkID) {
        guard let link = links[id], link.stage != .searching else { return }
        finish(id, link.stage == .closing ? nil : LinkError(.failed, detail: "\(link.device ?? "the device") was removed"))
    }

    /// An adapter is off or gone. A Connect that waits there is never answered (bluez-facts, surprise 9); links end by themselves.
    func adapterLost(_ adapter: String) {
        full.remove(adapter)
        for (id, link) in links where link.stage == .searching || link.stage == .connecting {
            guard let device = link.device, tree.adapter(of: device) == adapter else { continue }
            finish(id, LinkError(.failed, detail: "\(adapter) is off"))
        }
    }

    /// The link cannot be used: it is cut if it is of our making, or if links to this device could not be used before, whosever they were: then it is
    /// one that only bluetoothd believes in (Bluetooth-Devices/bleak-retry-connector#231). What bluetoothd believes of the device is not kept.
    func fail(_ id: LinkID, _ error: LinkError) {
        guard let link = links[id] else { return }
        if let device = link.device {
            strikes[device, default: 0] += 1
            if link.isOurs || strikes[device, default: 0] > 1 { cut(device, andForgets: true) }
        }
        finish(id, error)
    }

    /// A device could not be connected. Now and then bluetoothd is made to forget it, and with it whatever attempt it still holds, for minutes
    /// sometimes (Bluetooth-Devices/bleak-retry-connector#226).
    func strike(_ device: String) {
        strikes[device, default: 0] += 1
        guard strikes[device, default: 0].isMultiple(of: BlueZLink.strikesBeforeForgetting) else { return }
        if cuts[device] == nil { forget(device) } else { cuts[device]?.isForgotten = true }
    }

    func beginClosing(_ id: LinkID) {
        guard let link = links[id] else { return }
        let hasLink = link.stage != .searching && link.stage != .connecting
        links[id]?.timer?.cancel()
        links[id]?.stage = .closing
        guard let device = link.device, hasLink || link.isConnectCalled else {
            return finishSoon(id)
        }
        // A bluetoothd that never answers must not keep the link for ever.
        links[id]?.timer = loop.schedule(after: BlueZLink.mostCutTime) { [weak self] in self?.assumeIsolated { $0.finish(id, nil) } }
        closeSockets(of: id)
        guard hasLink, link.ending != .forEverybody else { return cut(device) }
        guard let path = listeners.first(where: { $0.value.link == id })?.key else {
            // By sockets: nobody else can have listened.
            return link.isOurs ? cut(device) : finishSoon(id)
        }
        call(path, BlueZName.characteristic, "StopNotify") { [isOurs = link.isOurs] central, _ in
            // A link that another program made is that program's to end.
            guard isOurs else { return central.finish(id, nil) }
            // Notifying stays true while another program has a session on the characteristic: the link is theirs, too.
            central.call(path, BlueZName.properties, "Get", [.string(BlueZName.characteristic), .string("Notifying")]) { central, result in
                guard central.links[id] != nil else { return }
                let isShared = (try? result.get())?.first?.bool == true
                if isShared { central.finish(id, nil) } else { central.cut(device) }
            }
        }
    }

    private func finishSoon(_ id: LinkID) {
        loop.execute { [weak self] in self?.assumeIsolated { $0.finish(id, nil) } }
    }

    /// Ends the link to a device, or the attempt to make one, for everybody. That takes about 2 s (bluez-facts, surprise 5), in which nobody
    /// here begins to use it.
    func cut(_ device: String, andForgets isForgotten: Bool = false) {
        guard cuts[device] == nil else { return }
        beginCut(device, andForgets: isForgotten)
        call(device, BlueZName.device, "Disconnect") { central, result in
            // Connected turns false after the answer; without a link there is nothing to wait for.
            if result.failure != nil || !central.tree.isTrue("Connected", of: device) { central.cutEnded(device) }
        }
    }

    private func beginCut(_ device: String, andForgets isForgotten: Bool) {
        let timer = loop.schedule(after: BlueZLink.mostCutTime) { [weak self] in self?.assumeIsolated { $0.cutFailed(device) } }
        cuts[device] = Cut(timer: timer, isForgotten: isForgotten)
    }

    /// bluetoothd has not ended a link in time. If it still believes in it, there may be none: the last step is that it forgets the device
    /// (Bluetooth-Devices/bleak-retry-connector#230).
    private func cutFailed(_ device: String) {
        cutEnded(device)
        if tree.isTrue("Connected", of: device) { remove(device) }
    }

    /// A link is cut, or will not be.
    func cutEnded(_ device: String) {
        guard let cut = cuts.removeValue(forKey: device) else { return }
        cut.timer.cancel()
        for (id, link) in links where link.device == device && link.stage == .closing { finish(id, nil) }
        for (id, link) in links where link.device == device && link.stage == .searching { begin(id) }
        if cut.isForgotten { forget(device) }
    }

    func finish(_ id: LinkID, _ error: LinkError?) {
        closeSockets(of: id)
        guard let link = links.removeValue(forKey: id) else { return }
        link.timer?.cancel()
        for (path, listener) in listeners where listener.link == id { listeners[path] = nil }
        if link.ending == .forgetting, link.isOurs, let device = link.device { forget(device) }
        link.handler(.closed(error))
        if let device = link.device { tellIfLinkedByOthers(device) }
    }

    /// Has bluetoothd forget a device, so that what it once said of itself is not taken for what it says now. Devices that are in use stay.
    private func forget(_ device: String) {
        guard !tree.isTrue("Connected", of: device), !links.values.contains(where: { $0.device == device }) else { return }
        remove(device)
    }

    /// Has bluetoothd remove a device, but none that somebody has paired with, or trusts.
    private func remove(_ device: String) {
        let isKept = ["Paired", "Bonded", "Trusted"].contains { tree.isTrue($0, of: device) }
        guard state == .poweredOn, let adapter = tree.adapter(of: device), isUsable(device), !isKept, cuts[device] == nil else { return }
        // Whoever connects meanwhile would wait for ever (bluez-facts, surprise 9).
        beginCut(device, andForgets: false)
        call(adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device)]) { central, result in
            if let error = result.failure, error.name != "org.bluez.Error.DoesNotExist" { central.log("\(error)") }
            central.cutEnded(device)
        }
    }
}
