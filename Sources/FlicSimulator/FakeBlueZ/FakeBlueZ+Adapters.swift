import DBus
public import GATT

/// Adapters.
extension FakeBlueZ {
    /// What is known of an adapter.
    public struct AdapterSettings: Sendable, Equatable {
        /// Last part of its path.
        public var name = "hci0"
        /// Its own address.
        public var address = BluetoothAddress(value: 0x00AA_0101_0000)
        /// Whether it is on at first.
        public var power = Power.on
        /// What it can be in a link. Without `central` it cannot be used for Bluetooth Low Energy devices.
        public var roles = ["central", "peripheral"]

        /// An adapter that is on.
        public init() {}

        /// An adapter in a given state.
        public init(_ power: Power, name: String = "hci0") {
            self.power = power
            self.name = name
        }

        var path: String { BlueZName.root + "/" + name }
    }

    /// Whether an adapter can be used.
    public enum Power: Sendable, Equatable {
        /// It can.
        case on
        /// Programs can switch it on.
        case off
        /// A hardware switch or `rfkill` keeps it off.
        case blocked

        var name: String {
            switch self {
            case .on: "on"
            case .off: "off"
            case .blocked: "off-blocked"
            }
        }
    }

    struct Adapter {
        var settings: AdapterSettings
        /// Its ear and its links.
        let central: SimulatedCentral
        /// By client. A client that has set none has no entry.
        var filters: [String: DiscoveryRules] = [:]
        var discoverers: Set<String> = []
        /// It stands too far away from everything.
        var isRemote = false
    }

    /// Plugs an adapter in. One of the same name is replaced.
    public func addAdapter(_ settings: AdapterSettings = AdapterSettings()) {
        removeAdapter(settings.name)
        let central = SimulatedCentral(air: air)
        let path = settings.path
        adapters[path] = Adapter(settings: settings, central: central)
        central.assumeIsolated { central in
            central.start { [weak self] event in
                guard case .advertisement(let advertisement) = event else { return }
                self?.assumeIsolated { $0.heard(advertisement, by: path) }
            }
        }
        if tree["/"] != nil { showAdapter(path) }
    }

    /// Unplugs an adapter.
    public func removeAdapter(_ name: String = "hci0") {
        let path = BlueZName.root + "/" + name
        guard adapters[path] != nil else { return }
        forgetClients(of: path)
        dropRegistrations(at: path)
        removeObject(at: path)
        adapters[path] = nil
    }

    /// Switches an adapter from outside: another program, or `rfkill`.
    public func setPower(_ power: Power, of name: String = "hci0") {
        switchPower(power, of: BlueZName.root + "/" + name) {}
    }

    /// Carries an adapter away from all buttons, or back. Its links are lost; it hears nothing, and its attempts to connect come to nothing.
    public func setRemote(_ isRemote: Bool, _ name: String) {
        let path = BlueZName.root + "/" + name
        adapters[path]?.isRemote = isRemote
        guard isRemote else { return }
        for device in devices.keys.sorted() where devices[device]?.adapter == path && devices[device]?.isUp == true {
            dropLink(of: device)
            lostLink(device)
        }
    }

    /// Sets how many links an adapter can hold; nil for any number.
    public func setLinkLimit(_ limit: Int?, of name: String = "hci0") {
        adapters[BlueZName.root + "/" + name]?.central.assumeIsolated { $0.setLinkLimit(limit) }
    }

    func showAdapters() {
        for path in adapters.keys.sorted() { showAdapter(path) }
    }

    private func showAdapter(_ path: String) {
        guard let settings = adapters[path]?.settings else { return }
        var properties: FakeObjects.Properties = [
            "Address": .string(settings.address.description), "AddressType": .string("public"), "Name": .string("fake"), "Alias": .string("fake"),
            "Class": .uint32(0), "Discoverable": .boolean(false), "DiscoverableTimeout": .uint32(180), "Pairable": .boolean(true),
            "PairableTimeout": .uint32(0), "UUIDs": .strings([BluetoothUUID(assigned: 0x1800).description]),
            "Modalias": .string("usb:v1D6Bp0246d0542"),
            "Roles": .strings(settings.roles),
        ]
        properties.merge(powerProperties(settings.power)) { $1 }
        let advertising: FakeObjects.Properties = ["ActiveInstances": .byte(0), "SupportedInstances": .byte(5)]
        show([BlueZName.adapter: properties, BlueZName.gattManager: [:], BlueZName.advertisingManager: advertising], at: path)
    }

    private func powerProperties(_ power: Power) -> FakeObjects.Properties {
        ["PowerState": .string(power.name), "Powered": .boolean(power == .on), "Discovering": .boolean(false)]
    }

    // MARK: Power

    func isPowered(_ path: String) -> Bool { adapters[path]?.settings.power == .on }

    func setPowered(_ isOn: Bool, _ call: IncomingCall) {
        guard let old = adapters[call.path]?.settings.power else { return call.fail(.failed("Not Available")) }
        guard old != .blocked else {
            return isOn ? call.fail(.bluez("Blocked", "Blocked through rfkill")) : call.reply()
        }
        guard isOn != (old == .on) else { return call.reply() }
        switchPower(isOn ? .on : .off, of: call.path) { call.reply() }
    }

    private func switchPower(_ power: Power, of path: String, reply: () -> Void) {
        guard let old = adapters[path]?.settings.power, old != power else { return }
        // What the daemon does takes a step in between; what the kernel does it only learns of.
        if power != .blocked && old != .blocked {
            change(["PowerState": .string(power == .on ? "off-enabling" : "on-disabling")], of: BlueZName.adapter, at: path)
        }
        adapters[path]?.settings.power = power
        if old == .on { losePower(path) }
        reply()
        change(powerProperties(power), of: BlueZName.adapter, at: path)
    }

    /// Links are lost, Connects that wait get no answer, and everybody's discovery is over.
    private func losePower(_ path: String) {
        for device in devices.keys.sorted() where devices[device]?.adapter == path {
            devices[device]?.connecting = nil
            dropLink(of: device)
            lostLink(device)
        }
        forgetClients(of: path)
    }

    func forgetClients(of path: String) {
        adapters[path]?.filters = [:]
        adapters[path]?.discoverers = []
        adapters[path]?.central.assumeIsolated { $0.discover(nil) }
    }
}
