import DBus
import EventLoops
public import GATT

/// Discovery: each client has its own, the adapter scans while any of them does, and everybody sees what any of them asked for.
extension FakeBlueZ {
    func setDiscoveryFilter(_ call: IncomingCall) {
        do throws(DBusError) {
            let rules = try DiscoveryRules(call.arguments.first)
            adapters[call.path]?.filters[call.sender] = rules
            call.reply()
        } catch {
            call.fail(error)
        }
    }

    func startDiscovery(_ call: IncomingCall) {
        guard isPowered(call.path) else { return call.fail(.bluez("NotReady", "Resource Not Ready")) }
        guard adapters[call.path]?.discoverers.insert(call.sender).inserted == true else {
            return call.fail(.bluez("InProgress", "Operation already in progress"))
        }
        call.reply()
        updateDiscovery(of: call.path)
    }

    func stopDiscovery(_ call: IncomingCall) {
        guard isPowered(call.path) else { return call.fail(.bluez("NotReady", "Resource Not Ready")) }
        guard adapters[call.path]?.discoverers.contains(call.sender) == true else { return call.fail(.failed("No discovery started")) }
        endDiscovery(of: call.sender, on: call.path)
        call.reply()
    }

    /// A client's filter ends with its discovery.
    func endDiscovery(of client: String, on path: String) {
        adapters[path]?.filters[client] = nil
        guard adapters[path]?.discoverers.remove(client) != nil else { return }
        updateDiscovery(of: path)
    }

    private func updateDiscovery(of path: String) {
        guard let adapter = adapters[path] else { return }
        let isDiscovering = !adapter.discoverers.isEmpty
        adapter.central.assumeIsolated { $0.discover(isDiscovering ? .any : nil) }
        changeIfNew(["Discovering": .boolean(isDiscovering)], of: BlueZName.adapter, at: path)
        guard !isDiscovering else { return }
        for device in devices.keys.sorted() where devices[device]?.adapter == path {
            devices[device]?.lastReport = nil
            if tree.value("RSSI", of: BlueZName.device, at: device) != nil { change([:], invalidated: ["RSSI"], of: BlueZName.device, at: device) }
        }
    }

    /// Sets how strongly a device is heard.
    ///
    /// - Parameters:
    ///   - rssi: In dBm, -127 to 20; other values are cut to that. It is -60 unless told otherwise.
    ///   - address: The device.
    public func setRSSI(_ rssi: Int, of address: BluetoothAddress) {
        signalStrengths[address] = min(max(rssi, -127), 20)
    }

    // MARK: Reports

    func heard(_ advertisement: Advertisement, by path: String) {
        guard backlog == nil, isPowered(path), tree[path] != nil, let adapter = adapters[path], !adapter.isRemote, !adapter.discoverers.isEmpty
        else { return }
        let rssi = signalStrengths[advertisement.address] ?? -60
        let isWanted = adapter.discoverers.contains { client in
            // Without a filter only devices that say that they are discoverable count: here, those that can be paired.
            adapter.filters[client]?.admit(advertisement, rssi: rssi) ?? !advertisement.services.isEmpty
        }
        guard isWanted else { return }
        let device = path + "/" + advertisement.address.pathPart
        if devices[device] == nil {
            addDevice(advertisement.address, on: path, report(advertisement, rssi: rssi, device))
        } else {
            if let round = timing.scanRound, let last = devices[device]?.lastReport, last + round > loop.now { return }
            // No two measurements are the same.
            let last = tree.value("RSSI", of: BlueZName.device, at: device)?.integer
            let report = report(advertisement, rssi: last == rssi ? rssi + 1 : rssi, device)
            let repeatsData = adapter.discoverers.contains { adapter.filters[$0]?.repeatsData == true }
            let new = report.filter { name, value in
                tree.value(name, of: BlueZName.device, at: device) != value || repeatsData && name == "ManufacturerData"
            }
            change(new, of: BlueZName.device, at: device)
        }
        devices[device]?.lastReport = loop.now
        expireLater(device)
    }

    private func report(_ advertisement: Advertisement, rssi: Int, _ device: String) -> FakeObjects.Properties {
        var properties: FakeObjects.Properties = ["RSSI": .int16(Int16(clamping: rssi))]
        if let name = advertisement.name {
            properties["Name"] = .string(name)
            properties["Alias"] = .string(name)
        }
        // Of a device whose services it has looked up it adds none that are advertised (device_add_eir_uuids).
        if !advertisement.services.isEmpty, devices[device]?.hasBeenLookedUp != true {
            let known = tree.value("UUIDs", of: BlueZName.device, at: device)?.stringArray ?? []
            properties["UUIDs"] = .strings(known + advertisement.services.map(\.description).filter { !known.contains($0) })
        }
        if !advertisement.manufacturerData.isEmpty {
            let members = advertisement.manufacturerData.map { (DBusValue.uint16($0), DBusValue.variant(.bytes($1))) }
            properties["ManufacturerData"] = .dictionary(key: "q", value: "v", Dictionary(uniqueKeysWithValues: members))
        }
        return properties
    }
}

extension BluetoothAddress {
    /// The last part of the path of a device: `dev_80_E4_DA_00_00_01`.
    var pathPart: String { "dev_" + description.split(separator: ":").joined(separator: "_") }
}
