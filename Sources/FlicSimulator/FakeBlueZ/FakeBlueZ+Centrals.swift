import DBus
import EventLoops
public import GATT

/// Centrals that use what programs have registered.
extension FakeBlueZ {
    /// What a central has written to the configuration of a characteristic.
    enum Configuration: Sendable {
        case off
        case notifications
        case indications
    }

    struct Central {
        let address: BluetoothAddress
        /// Path of the adapter.
        let adapter: String
        var mtu: Int
        var isBonded: Bool
        var confirms = true
        /// Those that are not off. They outlast the link if the central is bonded.
        var configurations: [RegisteredObject: Configuration] = [:]
        /// What it has been told.
        var values: [BluetoothUUID: [[UInt8]]] = [:]
        /// What is to be indicated: one at a time, the first of which is on its way.
        var indications: [(RegisteredObject, value: [UInt8])] = []
        /// Ends the wait for the acknowledgement of that.
        var patience: ScheduledWork?
    }

    /// The longest value of an attribute.
    static let longestValue = 512
    /// In which a program must answer a request.
    private static let answerTime = Duration.seconds(5)

    /// Puts a central into the air, not connected.
    ///
    /// - Parameters:
    ///   - address: Its address; one of its own if nil.
    ///   - mtu: ATT MTU of its links, 23 to 517; other values are cut to that.
    ///   - isBonded: Whether it was bonded with this computer before.
    ///   - adapter: The adapter that it connects to.
    public func addCentral(
        _ address: BluetoothAddress? = nil,
        mtu: Int = 517,
        isBonded: Bool = false,
        on adapter: String = "hci0"
    ) -> FakeCentral {
        let address = address ?? BluetoothAddress(kind: .random, value: 0xC0FF_EE00_0000 + nextNumber())
        let adapter = BlueZName.root + "/" + adapter
        let device = adapter + "/" + address.pathPart
        centrals[device] = Central(address: address, adapter: adapter, mtu: Self.cut(mtu), isBonded: isBonded)
        return FakeCentral(address: address, device: device, fake: self)
    }

    private static func cut(_ mtu: Int) -> Int { min(max(mtu, 23), 517) }

    func mtu(_ device: String) -> Int { centrals[device]?.mtu ?? 23 }

    func setMTU(_ mtu: Int, _ device: String) { centrals[device]?.mtu = Self.cut(mtu) }

    func setBonded(_ isBonded: Bool, _ device: String) {
        centrals[device]?.isBonded = isBonded
        changeIfNew(Self.bond(isBonded), of: BlueZName.device, at: device)
        if !isBonded, devices[device]?.isUp != true { forgetConfigurations(of: device) }
        expireLater(device)
    }

    private static func bond(_ isBonded: Bool) -> FakeObjects.Properties { ["Paired": .boolean(isBonded), "Bonded": .boolean(isBonded)] }

    func setConfirms(_ confirms: Bool, _ device: String) {
        centrals[device]?.confirms = confirms
        if confirms, centrals[device]?.patience != nil { confirm(device) }
    }

    // MARK: Links

    func connectCentral(_ device: String) -> Bool {
        guard connection != nil, let central = centrals[device], tree[central.adapter] != nil, isPowered(central.adapter) else { return false }
        guard devices[device]?.isUp != true else { return true }
        if devices[device] == nil { addDevice(central.address, on: central.adapter, Self.bond(central.isBonded)) }
        devices[device]?.expiry?.cancel()
        devices[device]?.attempt = nextNumber()
        devices[device]?.isUp = true
        unlessHung { $0.change(["Connected": .boolean(true)], of: BlueZName.device, at: device) }
        return true
    }

    func disconnectCentral(_ device: String) { unlessHung { $0.lostLink(device) } }

    /// The link of a device has ended. If it was a bonded central, what it has configured stays as it is, here as in bluetoothd.
    func centralLeft(_ device: String) {
        guard let central = centrals[device] else { return }
        central.patience?.cancel()
        centrals[device]?.patience = nil
        centrals[device]?.indications = []
        if !central.isBonded { forgetConfigurations(of: device) }
    }

    // MARK: Discovery

    private func applications(for device: String) -> [RegisteredApplication] {
        guard let adapter = centrals[device]?.adapter else { return [] }
        return applications.filter { $0.key.adapter == adapter && $0.value.isReady }.values.sorted { $0.number < $1.number }
    }

    func services(for device: String) -> [BluetoothUUID] { applications(for: device).flatMap(\.services) }

    /// - Parameter descriptor: Nil for the characteristic itself.
    func attribute(
        _ characteristic: BluetoothUUID,
        _ descriptor: BluetoothUUID?,
        for device: String
    ) throws(FakeCentral.Failure) -> RegisteredApplication.Attribute {
        guard devices[device]?.isUp == true else { throw .notConnected }
        for application in applications(for: device) {
            let attributes = application.attributes.sorted { $0.key < $1.key }
            guard let found = attributes.first(where: { $0.value.characteristic == nil && $0.value.uuid == characteristic }) else { continue }
            guard let descriptor else { return found.value }
            let below = attributes.first { $0.value.characteristic == found.key && $0.value.uuid == descriptor }
            if let below { return below.value }
        }
        throw .noSuchAttribute(descriptor ?? characteristic)
    }

    // MARK: Requests

    func read(
        _ characteristic: BluetoothUUID,
        _ descriptor: BluetoothUUID?,
        for device: String,
        offset: Int
    ) async throws(FakeCentral.Failure) -> [UInt8] {
        let attribute = try attribute(characteristic, descriptor, for: device)
        guard attribute.has("read", "encrypt-read") else { throw .refused(0x02) }
        try checkBond(of: device, attribute, "encrypt-read")
        let arguments: [DBusValue] = [options(of: device, offset: offset)]
        let result = await request(attribute, "ReadValue", arguments, of: device)
        switch result {
        case .success(let values):
            guard let value = values.first?.byteArray else { throw .refused(0x06) }
            return Array(value.prefix(min(mtu(device) - 1, Self.longestValue)))
        case .failure(let error): throw refusal(error, denied: 0x02, device)
        }
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, for device: String, withResponse: Bool) async throws(FakeCentral.Failure) {
        let attribute = try attribute(characteristic, nil, for: device)
        let isLong = value.count > mtu(device) - 3
        guard withResponse || !isLong else { throw .tooLong }
        guard attribute.has("write", "write-without-response", "encrypt-write", "authenticated-signed-writes") else { throw .refused(0x03) }
        try checkBond(of: device, attribute, "encrypt-write")
        // In one packet the two bytes of the handle count, too, for 5.66.
        guard value.count <= Self.longestValue - (isLong ? 0 : 2) else { throw .refused(0x0D) }
        let arguments: [DBusValue] = [.bytes(value), options(of: device, offset: 0)]
        guard withResponse, !attribute.has("write-without-response") else {
            return ask(attribute.object, attribute.interface, "WriteValue", arguments)
        }
        let result = await request(attribute, "WriteValue", arguments, of: device)
        if case .failure(let error) = result { throw refusal(error, denied: 0x03, device) }
    }

    private func request(
        _ attribute: RegisteredApplication.Attribute,
        _ member: String,
        _ arguments: [DBusValue],
        of device: String
    ) async -> Result<[DBusValue], DBusError> {
        await withCheckedContinuation { continuation in
            ask(attribute.object, attribute.interface, member, arguments, timeout: Self.answerTime) { continuation.resume(returning: $1) }
        }
    }

    func options(of device: String, offset: Int) -> DBusValue {
        var options: [String: DBusValue] = [
            "device": .objectPath(device), "link": .string("LE"), "mtu": .uint16(UInt16(clamping: mtu(device))),
        ]
        if offset != 0 { options["offset"] = .uint16(UInt16(clamping: offset)) }
        return .properties(options)
    }

    /// What asks for encryption is for bonded centrals.
    func checkBond(of device: String, _ attribute: RegisteredApplication.Attribute, _ flags: String...) throws(FakeCentral.Failure) {
        guard !flags.contains(where: attribute.flags.contains) || centrals[device]?.isBonded == true else { throw .refused(0x0F) }
    }

    /// What an error of a program becomes on the air, as 5.66 has it (contract D.6).
    private func refusal(_ error: DBusError, denied: UInt8, _ device: String) -> FakeCentral.Failure {
        guard devices[device]?.isUp == true else { return .notConnected }
        switch error.name {
        case "org.bluez.Error.NotPermitted": return .refused(denied)
        case "org.bluez.Error.NotSupported": return .refused(0x06)
        case "org.bluez.Error.InvalidOffset": return .refused(0x07)
        case "org.bluez.Error.NotAuthorized": return .refused(0x08)
        case "org.bluez.Error.InvalidValueLength": return .refused(0x0D)
        case "org.bluez.Error.InProgress": return .refused(0xFE)
        case "org.bluez.Error.Failed":
            guard error.message.hasPrefix("0x"), let code = UInt8(error.message.dropFirst(2), radix: 16) else { return .refused(0x80) }
            return .refused((0x80...0x9F).contains(code) ? code : 0x0E)
        default: return .refused(0x0E)
        }
    }
}

extension RegisteredApplication.Attribute {
    var interface: String { characteristic == nil ? BlueZName.characteristic : BlueZName.descriptor }
}
