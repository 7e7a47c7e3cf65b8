import DBus
public import GATT

/// What programs register: applications and advertisements.
extension FakeBlueZ {
    /// Calls a method of a program's object as the daemon.
    ///
    /// - Parameter then: Nil if no reply is wanted. Told of a failure if the daemon does not run.
    func ask(
        _ object: RegisteredObject,
        _ interface: String,
        _ member: String,
        _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(25),
        then: (@Sendable (isolated FakeBlueZ, Result<[DBusValue], DBusError>) -> Void)? = nil
    ) {
        guard let connection else {
            then?(self, .failure(DBusError(name: DBusError.disconnected)))
            return
        }
        note("ask \(BlueZName.short(interface)).\(member) \(object.path)")
        let call = MethodCall(to: object.client, at: object.path, interface, member, arguments, timeout: timeout, mayStart: false)
        connection.assumeIsolated { connection in
            guard let then else { return connection.send(call) }
            _ = connection.call(call) { result in self.assumeIsolated { then($0, result) } }
        }
    }

    // MARK: Applications

    func registerApplication(_ call: IncomingCall) {
        guard let path = call.arguments.first?.path else { return call.fail(.bluez("InvalidArguments", "Invalid arguments in method call")) }
        let root = RegisteredObject(adapter: call.path, client: call.sender, path: path)
        guard applications[root] == nil, let connection else { return call.fail(.bluez("AlreadyExists", "Already Exists")) }
        let rule = MatchRule(sender: root.client, pathNamespace: path, interface: BlueZName.properties, member: "PropertiesChanged")
        let signals = connection.assumeIsolated { connection in
            connection.subscribe(rule) { [weak self] signal in self?.assumeIsolated { $0.heard(signal, from: root) } }
        }
        let number = nextNumber()
        applications[root] = RegisteredApplication(signals: signals, number: number)
        ask(root, BlueZName.objectManager, "GetManagedObjects") { fake, result in
            guard fake.applications[root]?.number == number else { return }
            do throws(DBusError) {
                try fake.applications[root]?.read((try? result.get())?.first, of: root)
                call.reply()
                fake.noteChange()
            } catch {
                fake.dropApplication(root)
                call.fail(error)
            }
        }
    }

    func unregisterApplication(_ call: IncomingCall) {
        let root = RegisteredObject(adapter: call.path, client: call.sender, path: call.arguments.first?.path ?? "")
        guard applications[root]?.isReady == true else { return call.fail(.bluez("DoesNotExist", "Does Not Exist")) }
        dropApplication(root)
        call.reply()
    }

    /// Its services go, and the subscriptions to them, without a word to the program.
    private func dropApplication(_ root: RegisteredObject) {
        guard let application = applications.removeValue(forKey: root) else { return }
        connection?.assumeIsolated { $0.unsubscribe(application.signals) }
        for attribute in application.attributes.values {
            for device in centrals.keys { centrals[device]?.configurations[attribute.object] = nil }
        }
        noteChange()
    }

    // MARK: Advertisements

    /// What is advertised at present, in the order in which it was registered.
    public var advertisements: [LocalAdvertisement] { advertised.sorted { $0.value.number < $1.value.number }.compactMap(\.value.content) }

    /// As many as a controller without extended advertising has room for.
    private static let advertisementLimit = 5

    func registerAdvertisement(_ call: IncomingCall) {
        guard let path = call.arguments.first?.path else { return call.fail(.bluez("InvalidArguments", "Invalid arguments in method call")) }
        let object = RegisteredObject(adapter: call.path, client: call.sender, path: path)
        guard advertised[object] == nil else { return call.fail(.bluez("AlreadyExists", "Already Exists")) }
        guard advertised.keys.count(where: { $0.adapter == call.path }) < Self.advertisementLimit else {
            return call.fail(.bluez("NotPermitted", "Maximum advertisements reached"))
        }
        let number = nextNumber()
        advertised[object] = (number, nil)
        ask(object, BlueZName.properties, "GetAll", [.string(BlueZName.advertisement)]) { fake, result in
            guard fake.advertised[object]?.number == number else { return }
            // Nothing behind the path is taken for an empty advertisement.
            let properties = (try? result.get())?.first?.namedValues ?? ["Type": .string("peripheral")]
            guard let content = LocalAdvertisement(properties) else {
                fake.advertised[object] = nil
                return call.fail(.failed("Failed to parse advertisement."))
            }
            guard fake.isPowered(object.adapter) else {
                fake.advertised[object] = nil
                return call.fail(.failed("Failed to register advertisement"))
            }
            fake.advertised[object]?.content = content
            call.reply()
            fake.tellInstances(of: object.adapter)
        }
    }

    func unregisterAdvertisement(_ call: IncomingCall) {
        let object = RegisteredObject(adapter: call.path, client: call.sender, path: call.arguments.first?.path ?? "")
        guard advertised[object]?.content != nil else { return call.fail(.bluez("DoesNotExist", "Does Not Exist")) }
        advertised[object] = nil
        call.reply()
        tellInstances(of: call.path)
    }

    private func tellInstances(of adapter: String) {
        let active = advertised.count { $0.key.adapter == adapter && $0.value.content != nil }
        let left = Self.advertisementLimit - active
        let properties: FakeObjects.Properties = ["ActiveInstances": .byte(UInt8(active)), "SupportedInstances": .byte(UInt8(left))]
        changeIfNew(properties, of: BlueZName.advertisingManager, at: adapter)
    }

    // MARK: The end

    /// A program has left the bus.
    func dropRegistrations(of client: String) {
        for root in applications.keys where root.client == client { dropApplication(root) }
        let gone = advertised.keys.filter { $0.client == client }
        for object in gone { advertised[object] = nil }
        for adapter in Set(gone.map(\.adapter)) { tellInstances(of: adapter) }
    }

    /// An adapter is gone: programs hear that of their advertisements, but not of their applications.
    func dropRegistrations(at adapter: String) {
        for root in applications.keys where root.adapter == adapter { dropApplication(root) }
        for object in advertised.keys where object.adapter == adapter {
            advertised[object] = nil
            ask(object, BlueZName.advertisement, "Release")
        }
    }

    /// The daemon has died.
    func forgetRegistrations() {
        applications = [:]
        advertised = [:]
        for device in centrals.keys { centrals[device]?.configurations = [:] }
    }
}

extension LocalAdvertisement {
    /// Nil if the daemon would not understand it.
    fileprivate init?(_ properties: FakeObjects.Properties) {
        guard let type = properties["Type"]?.string, ["peripheral", "broadcast"].contains(type) else { return nil }
        let services = (properties["ServiceUUIDs"]?.stringArray ?? []).map { BluetoothUUID($0) }
        guard !services.contains(nil) else { return nil }
        self.init()
        isConnectable = type == "peripheral"
        name = properties["LocalName"]?.string
        self.services = services.compactMap(\.self)
        for (company, data) in properties["ManufacturerData"]?.dictionary ?? [:] {
            guard let company = company.integer.flatMap(UInt16.init(exactly:)), let data = data.byteArray else { return nil }
            manufacturerData[company] = data
        }
        if let least = properties["MinInterval"]?.integer, let most = properties["MaxInterval"]?.integer, least <= most {
            interval = .milliseconds(least) ... .milliseconds(most)
        }
    }
}
