import ClickClassifier
import FlicProtocol
import FoundationEssentials
import GATT

/// The contents of the file: versioned JSON that a person can read.
struct StoredButtons: Codable {
    static let currentVersion = 1

    private struct Header: Decodable {
        var version: Int
    }

    /// A record in its stored form. Values that can be missing have a default, so that later versions may add some.
    struct Button: Codable {
        var identifier: UUID
        var address: String
        var addressType: UInt8
        var uuid: String
        var serialNumber: String
        var name: String
        /// 40 hexadecimal digits. Secret.
        var pairing: String
        var nickname: String?
        var pendingRenameTime: UInt64?
        var firmwareVersion: UInt32?
        var batteryLevel: UInt16?
        var batteryTime: UInt64?
        var isBatteryLow: Bool?
        var bootID: UInt32?
        var eventCount: UInt32?
        var smallEventCount: UInt32?
        /// Left out for a Flic 2.
        var product: String?
        var isAdvertisingConfigured: Bool?
        var configuredReadvertising: StoredReadvertising?
        var readvertising: StoredReadvertising?
        /// Seconds; 511 for ever.
        var autoDisconnectTime: Int?
        var wantsConnection: Bool
        var isUnpaired: Bool?
        /// In the order of the contract (B8).
        var triggerMode: Int?
        /// Left out where the button decides.
        var clickLimits: StoredClickLimits?
        var latency: String?
        var queuePolicy: String?
        /// Only of a Flic Twist.
        var twistModes: [StoredTwistMode]?
    }

    var version = Self.currentVersion
    /// See ``StoredCounters/sequence``.
    var sequence: UInt64?
    var buttons: [Button]

    /// - Throws: ``PairingStoreError`` for a newer version, any other error if the file is damaged.
    static func records(in bytes: Data) throws -> (records: [ButtonRecord], sequence: UInt64) {
        let decoder = JSONDecoder()
        let version = try decoder.decode(Header.self, from: bytes).version
        guard version <= currentVersion else {
            throw PairingStoreError(.newerVersion, "The paired buttons were stored by a newer version of this program (format \(version)).")
        }
        let stored = try decoder.decode(Self.self, from: bytes)
        return (try stored.buttons.map { try $0.record }, stored.sequence ?? 0)
    }

    static func bytes(of records: [ButtonRecord], sequence: UInt64? = nil) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Nothing in the structure can fail to be encoded.
        return (try? encoder.encode(StoredButtons(sequence: sequence, buttons: records.map(Button.init)))).map { Array($0) } ?? []
    }
}

extension StoredButtons.Button {
    /// Why a button cannot be what was stored.
    struct Damage: Error, CustomStringConvertible {
        let description: String
    }

    /// The end of the year 9999: what comes after cannot be written as a date.
    private static let latestTime: UInt64 = 253_402_300_799

    init(_ record: ButtonRecord) {
        identifier = record.identifier
        address = record.address.description
        addressType = record.address.kind.rawValue
        uuid = record.uuid
        serialNumber = record.serialNumber
        name = record.name
        pairing = record.pairing.bytes.withBytes { Hexadecimal.text($0) }
        nickname = record.nickname
        pendingRenameTime = record.pendingRenameTime
        firmwareVersion = record.firmwareVersion
        batteryLevel = record.batteryLevel
        batteryTime = record.batteryTime
        isBatteryLow = record.isBatteryLow
        bootID = record.bootID
        eventCount = record.eventCount
        smallEventCount = record.product == .duo ? record.smallEventCount : nil
        product = record.product == .flic2 ? nil : record.product.rawValue
        isAdvertisingConfigured = record.isAdvertisingConfigured
        configuredReadvertising = StoredReadvertising(record.configuredReadvertising)
        readvertising = record.readvertising.map { StoredReadvertising($0) }
        autoDisconnectTime = record.autoDisconnectTime.map { Int($0.seconds) }
        wantsConnection = record.wantsConnection
        isUnpaired = record.isUnpaired
        triggerMode = record.clickRules?.mode.contractOrder
        clickLimits = record.clickRules?.limits.map { StoredClickLimits($0) }
        latency = record.latency?.rawValue
        queuePolicy = record.queuePolicy?.description
        twistModes = StoredTwistMode.modes(record)
    }

    var record: ButtonRecord {
        get throws {
            guard let kind = BluetoothAddress.Kind(rawValue: addressType), let address = BluetoothAddress(address, kind: kind) else {
                throw Damage(description: "the address of \(serialNumber) is not valid")
            }
            guard Hexadecimal.bytes(uuid)?.count == 16 else { throw Damage(description: "the uuid of \(serialNumber) is not valid") }
            guard let bytes = Hexadecimal.bytes(pairing), let pairing = Pairing(SecretBytes(bytes)) else {
                throw Damage(description: "the pairing of \(serialNumber) is not valid")
            }
            var record = ButtonRecord(
                identifier: identifier,
                address: address,
                uuid: uuid,
                serialNumber: serialNumber,
                name: name,
                pairing: pairing
            )
            record.nickname = nickname.map { ButtonName($0).text }
            record.pendingRenameTime = pendingRenameTime ?? 0
            record.firmwareVersion = firmwareVersion ?? 0
            record.batteryLevel = batteryLevel
            record.batteryTime = min(batteryTime ?? 0, Self.latestTime)
            record.bootID = bootID ?? 0
            record.eventCount = eventCount ?? 0
            guard let product = FlicProduct(rawValue: product ?? FlicProduct.flic2.rawValue) else {
                throw Damage(description: "\(serialNumber) is of a kind that this program does not know")
            }
            record.product = product
            record.smallEventCount = product == .duo ? smallEventCount ?? 0 : 0
            record.isBatteryLow =
                isBatteryLow ?? batteryLevel.map { BatteryLevel(raw: $0, unit: product.dialect.batteryUnit).isLow(wasLow: false) } ?? false
            record.isAdvertisingConfigured = isAdvertisingConfigured ?? false
            record.configuredReadvertising = configuredReadvertising?.mode ?? .sparing
            record.readvertising = readvertising?.mode
            record.autoDisconnectTime = autoDisconnectTime.map { AutoDisconnectTime(stored: $0) }
            record.wantsConnection = wantsConnection
            record.isUnpaired = isUnpaired ?? false
            record.clickRules = triggerMode.map { ClickRules(mode: TriggerMode(contractOrder: $0), limits: clickLimits?.limits) }
            record.latency = latency.flatMap { LatencyMode(rawValue: $0) }
            record.queuePolicy = queuePolicy.flatMap { QueuePolicy($0) }
            if product == .twist, let twistModes { StoredTwistMode.apply(twistModes, to: &record) }
            return record
        }
    }
}
