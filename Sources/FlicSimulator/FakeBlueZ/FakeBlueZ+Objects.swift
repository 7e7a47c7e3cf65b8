public import DBus
import EventLoops

/// The objects on the bus, and the signals about them.
extension FakeBlueZ {
    func publishRoots() {
        tree.insert([:], at: "/")
        tree.insert([BlueZName.agentManager: [:]], at: BlueZName.root)
    }

    /// Adds an object, or interfaces to one.
    func show(_ interfaces: [String: FakeObjects.Properties], at path: String) {
        tree.insert(interfaces, at: path)
        signal(Signal(at: "/", BlueZName.objectManager, "InterfacesAdded", [.objectPath(path), value(of: interfaces)]))
        note("signal added \(path)")
    }

    /// Removes an object with everything below it.
    func hide(_ path: String) {
        for (path, interfaces) in tree.remove(path) {
            signal(Signal(at: "/", BlueZName.objectManager, "InterfacesRemoved", [.objectPath(path), .strings(interfaces)]))
            note("signal removed \(path)")
        }
    }

    /// Changes properties and tells so, in one signal. Without effect if the object is not there.
    func change(_ properties: FakeObjects.Properties, invalidated: [String] = [], of interface: String, at path: String) {
        guard tree[path]?[interface] != nil else { return }
        tree.update(properties, invalidated: invalidated, of: interface, at: path)
        let arguments: [DBusValue] = [.string(interface), .properties(distorted(properties, interface)), .strings(invalidated)]
        signal(Signal(at: path, BlueZName.properties, "PropertiesChanged", arguments))
        let changes = properties.map { "\($0)\($1.journalText)" }.sorted() + invalidated.map { "-\($0)" }
        note(["signal \(BlueZName.short(interface)) \(path)", changes.joined(separator: " ")].joined(separator: " "))
    }

    /// The same, if there is a change at all.
    func changeIfNew(_ properties: FakeObjects.Properties, of interface: String, at path: String) {
        let new = properties.filter { tree.value($0, of: interface, at: path) != $1 }
        if !new.isEmpty { change(new, of: interface, at: path) }
    }

    /// Sets or removes the property MTU of a characteristic, of whose changes bluetoothd tells nothing: it is there as long as the link is.
    func setMTU(_ mtu: Int?, at path: String) {
        let properties = mtu.map { ["MTU": DBusValue.uint16(UInt16(clamping: $0))] } ?? [:]
        tree.update(properties, invalidated: mtu == nil ? ["MTU"] : [], of: BlueZName.characteristic, at: path)
    }

    private func signal(_ signal: Signal) {
        let due = max(loop.now + faults.signalDelay, lastSignal)
        guard due > loop.now else { return send(signal) }
        lastSignal = due
        loop.schedule(after: due - loop.now) { [weak self, run] in
            self?.assumeIsolated { if $0.run == run { $0.send(signal) } }
        }
    }

    private func send(_ signal: Signal) {
        guard let connection else { return }
        for _ in 0..<max(faults.signalCopies, 0) { connection.assumeIsolated { $0.send(signal) } }
    }

    // MARK: Making trouble

    /// Sends a signal of the caller's making from the daemon's connection. Without effect while it does not run.
    public func emit(_ signal: Signal) {
        connection?.assumeIsolated { $0.send(signal) }
        note("signal \(BlueZName.short(signal.interface)).\(signal.member) \(signal.path)")
    }

    /// Removes an object, with everything below it, whatever it is good for.
    public func removeObject(at path: String) {
        for device in devices.keys.sorted() where device == path || device.hasPrefix(path + "/") { discard(device) }
        hide(path)
    }

    /// Adds an object of the caller's making, or interfaces to one that is there.
    ///
    /// - Parameters:
    ///   - path: Its object path.
    ///   - interfaces: Properties by interface.
    public func addObject(at path: String, _ interfaces: [String: [String: DBusValue]]) {
        show(interfaces, at: path)
    }

    /// Changes properties of any object as if the daemon had reasons, and tells so.
    public func changeProperties(_ properties: [String: DBusValue], invalidated: [String] = [], of interface: String, at path: String) {
        change(properties, invalidated: invalidated, of: interface, at: path)
    }

    /// Changes the properties in all that leaves the daemon from now on: answers to GetManagedObjects, Get and GetAll, and signals. The objects keep
    /// the true ones.
    ///
    /// ```swift
    /// await fake.distort { interface, properties in properties["MTU"] = nil }  // before BlueZ 5.62
    /// ```
    ///
    /// - Parameter distortion: Is given the interface, such as `org.bluez.Device1`, and some or all of its properties. Nil ends the distortion.
    public func distort(_ distortion: (@Sendable (_ interface: String, _ properties: inout [String: DBusValue]) -> Void)?) {
        self.distortion = distortion
    }

    private func distorted(_ properties: FakeObjects.Properties, _ interface: String) -> FakeObjects.Properties {
        var properties = properties
        distortion?(interface, &properties)
        return properties
    }

    private func value(of interfaces: [String: FakeObjects.Properties]) -> DBusValue {
        let members = interfaces.map { (DBusValue.string($0), DBusValue.properties(distorted($1, $0))) }
        return .dictionary(key: "s", value: "a{sv}", Dictionary(uniqueKeysWithValues: members))
    }

    // MARK: Standard interfaces

    func managedObjects(_ call: IncomingCall) {
        guard lastSignal <= loop.now else {
            // It never overtakes the signals about what it tells.
            loop.schedule(after: lastSignal - loop.now) { [weak self, run] in
                self?.assumeIsolated { if $0.run == run { $0.managedObjects(call) } }
            }
            return
        }
        // The object manager's own object is not one of those that it manages.
        let members = tree.objects.filter { $0.key != "/" }.map { (DBusValue.objectPath($0), value(of: $1)) }
        call.reply([.dictionary(key: "o", value: "a{sa{sv}}", Dictionary(uniqueKeysWithValues: members))])
    }

    func properties(_ call: IncomingCall) {
        let arguments = call.arguments
        guard let interface = arguments.first?.string, let properties = tree[call.path]?[interface].map({ distorted($0, interface) }) else {
            return call.fail(DBusError(name: DBusError.invalidArguments, message: "No such interface"))
        }
        switch call.member {
        case "GetAll" where arguments.count == 1:
            call.reply([.properties(properties)])
        case "Get" where arguments.count == 2:
            guard let value = arguments[1].string.flatMap({ properties[$0] }) else { return call.fail(.noSuchProperty) }
            call.reply([.variant(value)])
        case "Set" where arguments.count == 3:
            guard case .variant(let value) = arguments[2], let name = arguments[1].string else { return call.fail(.noSuchMethod) }
            set(name, to: value, of: interface, call)
        default:
            call.fail(.noSuchMethod)
        }
    }

    private func set(_ name: String, to value: DBusValue, of interface: String, _ call: IncomingCall) {
        switch (interface, name, value) {
        case (BlueZName.adapter, "Powered", .boolean(let isOn)):
            setPowered(isOn, call)
        case (BlueZName.adapter, "Alias", .string), (BlueZName.adapter, "Discoverable", .boolean), (BlueZName.adapter, "Pairable", .boolean),
            (BlueZName.device, "Alias", .string), (BlueZName.device, "Trusted", .boolean), (BlueZName.device, "Blocked", .boolean):
            changeIfNew([name: value], of: interface, at: call.path)
            call.reply()
        default:
            call.fail(.noSuchProperty)
        }
    }
}

extension DBusError {
    static var noSuchMethod: DBusError { DBusError(name: unknownMethod, message: "No such method") }
    static var noSuchProperty: DBusError { DBusError(name: invalidArguments, message: "No such property") }
}

extension DBusValue {
    /// `=` and the value, where that is short.
    fileprivate var journalText: String {
        switch unwrapped {
        case .boolean(let value): "=\(value)"
        case .string(let text): "=\(text)"
        case .bytes(let bytes): "=" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        default: integer.map { "=\($0)" } ?? ""
        }
    }
}
