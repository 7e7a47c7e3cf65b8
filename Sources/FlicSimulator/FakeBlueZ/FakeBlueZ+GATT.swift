import DBus
import EventLoops
import FlicClient
public import GATT

/// Services and characteristics.
extension FakeBlueZ {
    /// The two characteristics of a button, by how far their handles are from that of the service.
    enum Characteristic: Int, CaseIterable {
        case toButton = 1
        case fromButton = 3

        /// Of the service.
        static let usualHandle = 0x10
        /// Between those that a service may have in turn.
        static let step = 0x10

        func uuid(_ gatt: FlicGATT.Service) -> BluetoothUUID { self == .toButton ? gatt.toButton : gatt.fromButton }

        init?(path: String) {
            guard let part = path.split(separator: "/").last, part.hasPrefix("char"), let handle = Int(part.dropFirst(4), radix: 16) else {
                return nil
            }
            self.init(rawValue: handle % Self.step)
        }

        func path(on device: String, _ handle: Int) -> String { "\(Self.service(on: device, handle))/char\(Self.digits(handle + rawValue))" }

        static func service(on device: String, _ handle: Int) -> String { "\(device)/service\(digits(handle))" }

        static func descriptor(of characteristic: String, _ handle: Int) -> String { "\(characteristic)/desc\(digits(handle + 5))" }

        private static func digits(_ handle: Int) -> String {
            let digits = String(handle, radix: 16)
            return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        }

        /// The property that tells whether somebody has its socket.
        var acquired: String { self == .toButton ? "WriteAcquired" : "NotifyAcquired" }
    }

    /// The paths of a device's characteristics, as far as the daemon knows.
    func characteristics(of device: String) -> [String] {
        Characteristic.allCases.map { $0.path(on: device, devices[device]?.handle ?? Characteristic.usualHandle) }
    }

    /// The service of the button behind a device.
    func gatt(of device: String) -> FlicGATT.Service {
        devices[device].map { device in air.assumeIsolated { $0.gatt(of: device.address) } } ?? FlicGATT.flic2
    }

    private func path(of characteristic: Characteristic, on device: String) -> String {
        characteristic.path(on: device, devices[device]?.handle ?? Characteristic.usualHandle)
    }

    private func trueHandle(of device: String) -> Int {
        devices[device].flatMap { handles[$0.address] } ?? Characteristic.usualHandle
    }

    private func takeTrueHandle(of device: String) {
        let handle = trueHandle(of: device)
        devices[device]?.handle = handle
    }

    /// The services of a button have other handles from now on, as after an update of its firmware. A daemon that remembers the old ones goes on showing
    /// them after the next link is made, until it has noticed (``Timing/rediscovery``); meanwhile nothing can be done with them.
    public func moveServices(of address: BluetoothAddress) {
        handles[address] = (handles[address] ?? Characteristic.usualHandle) % 0x1000 + Characteristic.step
    }

    /// A connected device says that its services have changed: the objects go and come, with other handles if those were moved, and nobody listens
    /// any more.
    public func announceServices(of device: String) {
        guard let mtu = devices[device]?.mtu, devices[device]?.isUp == true else { return }
        rediscover(device, mtu: mtu)
    }

    /// The objects of a device's service go, until the next link.
    func hideServices(of path: String) {
        guard let device = devices[path] else { return }
        for object in characteristics(of: path) {
            release(object)
            devices[path]?.notifiers[object] = nil
        }
        hide(Characteristic.service(on: path, device.handle))
    }

    /// Service Changed: the old objects go, those with the true handles come, and ServicesResolved stays true.
    private func rediscover(_ path: String, mtu: Int) {
        hideServices(of: path)
        takeTrueHandle(of: path)
        showServices(of: path, mtu: mtu)
    }

    /// The services are known: objects first, if they are not there from an earlier link, then the device says so.
    func resolve(_ path: String, mtu: Int) {
        guard !faults.neverResolves else { return }
        devices[path]?.mtu = mtu
        if isStale(path) {
            loop.schedule(after: timing.rediscovery) { [weak self, attempt = devices[path]?.attempt] in
                self?.assumeIsolated { if $0.devices[path]?.attempt == attempt { $0.rediscover(path, mtu: mtu) } }
            }
        } else {
            takeTrueHandle(of: path)
            if !faults.hidesService { showServices(of: path, mtu: mtu) }
        }
        let found = [BluetoothUUID(assigned: 0x1800)] + (faults.hidesService ? [] : [gatt(of: path).service])
        var changes: FakeObjects.Properties = ["ServicesResolved": .boolean(true)]
        devices[path]?.hasBeenLookedUp = true
        let services = DBusValue.strings(found.map(\.description))
        if services != tree.value("UUIDs", of: BlueZName.device, at: path) { changes["UUIDs"] = services }
        change(changes, of: BlueZName.device, at: path)
    }

    /// Whether the services that are shown are not where they are in truth.
    private func isStale(_ path: String) -> Bool {
        guard let device = devices[path], tree[Characteristic.service(on: path, device.handle)] != nil else { return false }
        return device.handle != trueHandle(of: path)
    }

    private func showServices(of device: String, mtu: Int) {
        let handle = devices[device]?.handle ?? Characteristic.usualHandle
        let service = Characteristic.service(on: device, handle)
        guard tree[service] == nil else {
            for object in characteristics(of: device) { setMTU(mtu, at: object) }
            return
        }
        let gatt = gatt(of: device)
        let properties: FakeObjects.Properties = [
            "UUID": .string(gatt.service.description), "Primary": .boolean(true), "Device": .objectPath(device),
            "Includes": .array(of: "o", []),
        ]
        show([BlueZName.gattService: properties], at: service)
        for characteristic in Characteristic.allCases {
            var properties: FakeObjects.Properties = [
                "UUID": .string(characteristic.uuid(gatt).description), "Service": .objectPath(service), "Value": .bytes([]),
                "MTU": .uint16(UInt16(clamping: mtu)),
            ]
            switch characteristic {
            case .toButton:
                properties["Flags"] = .strings(faults.writeFlags)
                properties["WriteAcquired"] = .boolean(false)
            case .fromButton:
                properties["Flags"] = .strings(["notify"])
                properties["Notifying"] = .boolean(false)
                properties["NotifyAcquired"] = .boolean(false)
            }
            show([BlueZName.characteristic: properties], at: characteristic.path(on: device, handle))
        }
        let path = Characteristic.fromButton.path(on: device, handle)
        let descriptor: FakeObjects.Properties = [
            "UUID": .string(BluetoothUUID(assigned: 0x2902).description), "Characteristic": .objectPath(path), "Value": .bytes([]),
        ]
        show([BlueZName.descriptor: descriptor], at: Characteristic.descriptor(of: path, handle))
    }

    /// The device to which a characteristic belongs, if it is connected; answers the call otherwise.
    private func connectedDevice(_ call: IncomingCall) -> String? {
        let parts = call.path.split(separator: "/").dropLast(2)
        let path = "/" + parts.joined(separator: "/")
        guard devices[path]?.isUp == true else {
            call.fail(.failed("Not connected"))
            return nil
        }
        return path
    }

    // MARK: Writing

    func writeValue(_ call: IncomingCall) {
        guard call.arguments.count == 2, let value = call.arguments[0].byteArray, let options = call.arguments[1].namedValues else {
            return call.fail(.bluez("InvalidArguments", "Invalid arguments in method call"))
        }
        let type = options["type"]?.string ?? "command"
        let flag = type == "request" ? "write" : type == "command" ? "write-without-response" : ""
        guard Characteristic(path: call.path) == .toButton, faults.writeFlags.contains(flag) else {
            return call.fail(.bluez("NotSupported", "Not Supported"))
        }
        guard let path = connectedDevice(call), let device = devices[path] else { return }
        guard sockets[call.path] == nil else { return call.fail(.bluez("NotPermitted", "Write acquired")) }
        guard value.count <= device.mtu - 3 else { return call.fail(.failed("Failed to initiate write")) }
        note("write by \(type)")
        write(value, to: path)
        call.reply()
    }

    private func write(_ value: [UInt8], to path: String) {
        guard let device = devices[path], let link = device.link, !isStale(path) else { return }
        let toButton = gatt(of: path).toButton
        adapters[device.adapter]?.central.assumeIsolated { $0.write(value, to: toButton, on: link) }
    }

    // MARK: Sockets

    /// Gives a socket for a characteristic to one client, and to no other until that closes it or the link ends.
    func acquire(_ characteristic: Characteristic, _ call: IncomingCall) {
        guard Characteristic(path: call.path) == characteristic else { return call.fail(.bluez("NotSupported", "Operation is not supported")) }
        guard let path = connectedDevice(call), let device = devices[path] else { return }
        guard sockets[call.path] == nil else {
            return call.fail(.bluez("NotPermitted", characteristic == .toButton ? "Write acquired" : "Notify acquired"))
        }
        guard characteristic == .toButton || device.notifiers[call.path, default: []].isEmpty else {
            return call.fail(.bluez("InProgress", "In Progress"))
        }
        guard let (near, far) = PacketSocket.pair() else { return call.fail(.failed("No more sockets")) }
        sockets[call.path] = PacketSocket(
            near,
            largestPacket: device.mtu,
            on: loop,
            received: { [weak self] value in
                self?.assumeIsolated { if characteristic == .toButton { $0.write(value, to: path) } }
            },
            ended: { [weak self, path = call.path] in self?.assumeIsolated { $0.release(path) } }
        )
        changeIfNew([characteristic.acquired: .boolean(true)], of: BlueZName.characteristic, at: call.path)
        call.reply([.fileDescriptor(DBusFileDescriptor(far)), .uint16(UInt16(clamping: device.mtu))])
    }

    /// Takes a socket back; the client reads the end of it.
    func release(_ path: String) {
        guard let socket = sockets.removeValue(forKey: path), let characteristic = Characteristic(path: path) else { return }
        socket.close()
        changeIfNew([characteristic.acquired: .boolean(false)], of: BlueZName.characteristic, at: path)
    }

    // MARK: Notifications

    func startNotify(_ call: IncomingCall) {
        guard Characteristic(path: call.path) == .fromButton else { return call.fail(.bluez("NotSupported", "Operation is not supported")) }
        guard let path = connectedDevice(call) else { return }
        guard sockets[call.path] == nil else { return call.fail(.bluez("NotPermitted", "Notify acquired")) }
        guard !isStale(path) else { return call.fail(.failed("Operation failed with ATT error: 0x01")) }
        devices[path]?.notifiers[call.path, default: []].insert(call.sender)
        changeIfNew(["Notifying": .boolean(true)], of: BlueZName.characteristic, at: call.path)
        call.reply()
    }

    func stopNotify(_ call: IncomingCall) {
        let path = devices.keys.first { devices[$0]?.notifiers[call.path]?.contains(call.sender) == true }
        guard let path else { return call.fail(.failed("No notify session started")) }
        endNotifications(of: call.sender, on: path)
        call.reply()
    }

    /// A client does not want to hear of a device any more.
    func endNotifications(of client: String, on path: String) {
        for (characteristic, clients) in devices[path]?.notifiers ?? [:] where clients.contains(client) {
            devices[path]?.notifiers[characteristic]?.remove(client)
            if clients.count == 1 { changeIfNew(["Notifying": .boolean(false)], of: BlueZName.characteristic, at: characteristic) }
        }
    }

    /// A notification came from the device: it goes to whoever has the socket; else each client that has called StartNotify makes one signal, which all
    /// of them hear.
    func notify(_ value: [UInt8], of characteristic: BluetoothUUID, on path: String) {
        guard !isStale(path) else { return }
        let object = self.path(of: .fromButton, on: path)
        if let socket = sockets[object] {
            _ = socket.send(value)
            return
        }
        for _ in devices[path]?.notifiers[object] ?? [] { notifyOnce(value, at: object) }
    }

    func notifyOnce(_ value: [UInt8], at object: String) {
        change(["Value": .bytes(value)], of: BlueZName.characteristic, at: object)
    }
}
