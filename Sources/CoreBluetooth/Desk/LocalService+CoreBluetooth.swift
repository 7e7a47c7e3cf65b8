import GATT

/// Services of a program, as the transport takes them.
extension LocalService {
    /// Services that belong to the system (contract D49).
    private static let reserved = [0x1800, 0x1801, 0x1805].map { BluetoothUUID(assigned: $0) }

    /// - Parameter names: One for each characteristic, in their order.
    /// - Throws: What makes it impossible (contract D42, D46, D47, D49).
    init(_ service: CBService, names: [AttributeID]) throws(Refusal) {
        let uuid = service.uuid.bluetoothUUID
        guard !Self.reserved.contains(uuid) else { throw Refusal(.uuidNotAllowed) }
        var characteristics: [LocalCharacteristic] = []
        for (characteristic, name) in zip(service.characteristics ?? [], names) {
            guard let characteristic = characteristic as? CBMutableCharacteristic else { throw Refusal(.invalidParameters) }
            characteristics.append(try LocalCharacteristic(characteristic, name: name))
        }
        self.init(uuid: uuid, isPrimary: service.isPrimary, characteristics: characteristics)
    }
}

extension LocalCharacteristic {
    fileprivate init(_ characteristic: CBMutableCharacteristic, name: AttributeID) throws(Refusal) {
        let (properties, permissions) = (characteristic.properties, characteristic.permissions)
        // Not allowed for local characteristics (contract D46).
        guard properties.isDisjoint(with: [.broadcast, .extendedProperties]) else { throw Refusal(.invalidParameters) }
        let value = characteristic.isStatic ? characteristic.value : nil
        if let value {
            let isReadOnly =
                properties == .read && permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired])
            guard isReadOnly, value.count <= Self.longestValue else { throw Refusal(.invalidParameters) }
        }
        var descriptors: [(uuid: BluetoothUUID, value: [UInt8])] = []
        for descriptor in characteristic.descriptors ?? [] {
            descriptors.append((descriptor.uuid.bluetoothUUID, try Self.value(of: descriptor)))
        }
        self.init(
            id: name,
            uuid: characteristic.uuid.bluetoothUUID,
            flags: Self.flags(properties, permissions),
            // One that must not be read is not served, but refused.
            value: permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) ? nil : value.map { Array($0) },
            descriptors: descriptors
        )
    }

    /// Only these two may be made by programs (contract D42).
    private static func value(of descriptor: CBDescriptor) throws(Refusal) -> [UInt8] {
        switch descriptor.uuid {
        case CBUUID(string: CBUUIDCharacteristicUserDescriptionString):
            guard let text = descriptor.value as? String, text.utf8.count <= longestValue else { throw Refusal(.invalidParameters) }
            return Array(text.utf8)
        case CBUUID(string: CBUUIDCharacteristicFormatString):
            guard let data = descriptor.value as? Data, data.count == 7 else { throw Refusal(.invalidParameters) }
            return Array(data)
        default:
            throw Refusal(.invalidParameters)
        }
    }

    /// How properties and permissions show in bluetoothd's flags (contract D46).
    ///
    /// A property without its permission is shown all the same, and requests for it are refused. Where nothing would be shown, bluetoothd would
    /// refuse the whole service: such a characteristic can be read, and refuses.
    static func flags(_ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions) -> Set<Flag> {
        var flags: Set<Flag> = []
        if properties.contains(.read) { flags.insert(permissions.contains(.readEncryptionRequired) ? .encryptRead : .read) }
        let writes: CBCharacteristicProperties = [.write, .writeWithoutResponse]
        if permissions.contains(.writeEncryptionRequired), !properties.isDisjoint(with: writes) {
            flags.insert(.encryptWrite)
        } else if properties.contains(.write) {
            flags.insert(.write)
        }
        if properties.contains(.writeWithoutResponse) { flags.insert(.writeWithoutResponse) }
        if properties.contains(.notify) { flags.insert(.notify) }
        if properties.contains(.indicate) { flags.insert(.indicate) }
        if properties.contains(.notifyEncryptionRequired) { flags.insert(.encryptNotify) }
        if properties.contains(.indicateEncryptionRequired) { flags.insert(.encryptIndicate) }
        if properties.contains(.authenticatedSignedWrites), permissions.contains(.writeable) { flags.insert(.authenticatedSignedWrites) }
        return flags.isEmpty ? [.read] : flags
    }
}
