import GATT

/// The attributes of a server: what it publishes, under the handles at which they begin.
struct AttributeTable {
    struct Attribute {
        /// What it is for whoever reads or writes it.
        enum Role {
            /// A declaration, or a value that never changes.
            case constant
            /// A value of the application's.
            case value(AttributeID, isWritable: Bool)
            /// Switches the notifications of a characteristic.
            case switching(Subject)
        }

        let handle: UInt16
        /// As on the air.
        let type: [UInt8]
        var bytes: [UInt8] = []
        var role = Role.constant
        /// The last handle of the service that begins here.
        var groupEnd: UInt16?
    }

    /// What a client can be notified of.
    enum Subject: Hashable {
        case characteristic(AttributeID)
        case serviceChanged
    }

    /// Types of attributes (assigned numbers), as on the air.
    enum Kind {
        static let primaryService: [UInt8] = [0x00, 0x28]
        static let characteristic: [UInt8] = [0x03, 0x28]
        static let configuration: [UInt8] = [0x02, 0x29]
    }

    private(set) var attributes: [Attribute] = []
    /// Handles of values that can be notified.
    private(set) var valueHandles: [Subject: UInt16] = [:]

    /// - Parameters:
    ///   - services: The application's.
    ///   - base: Their first handle, from 16 on. Below it are the generic services.
    ///   - tellsChanges: Whether there is a characteristic that says when handles change.
    init(_ services: [LocalService], base: UInt16, tellsChanges: Bool) {
        addService(BluetoothUUID(assigned: 0x1800), at: 1) { table in
            table.add(BluetoothUUID(assigned: 0x2A00), properties: 0x02, bytes: Array("Flic 2".utf8))
        }
        if tellsChanges {
            addService(BluetoothUUID(assigned: 0x1801), at: 8) { table in
                table.add(BluetoothUUID(assigned: 0x2A05), properties: 0x20, subject: .serviceChanged)
            }
        }
        var next = max(base, 16)
        for service in services {
            addService(service.uuid, at: next) { table in
                for characteristic in service.characteristics { table.add(characteristic) }
            }
            next = (attributes.last?.handle ?? next) + 1
        }
    }

    private mutating func addService(_ uuid: BluetoothUUID, at handle: UInt16, _ content: (inout AttributeTable) -> Void) {
        let index = attributes.count
        attributes.append(Attribute(handle: handle, type: Kind.primaryService, bytes: uuid.wireBytes))
        content(&self)
        attributes[index].groupEnd = attributes.last?.handle
    }

    private mutating func add(_ characteristic: LocalCharacteristic) {
        let flags = characteristic.flags
        var properties: UInt8 = 0
        if flags.contains(.read) { properties |= 0x02 }
        if flags.contains(.writeWithoutResponse) { properties |= 0x04 }
        if flags.contains(.notify) { properties |= 0x10 }
        add(
            characteristic.uuid,
            properties: properties,
            bytes: characteristic.value ?? [],
            role: .value(characteristic.id, isWritable: flags.contains(.writeWithoutResponse)),
            subject: flags.contains(.notify) ? .characteristic(characteristic.id) : nil
        )
    }

    private mutating func add(
        _ uuid: BluetoothUUID,
        properties: UInt8,
        bytes: [UInt8] = [],
        role: Attribute.Role = .constant,
        subject: Subject? = nil
    ) {
        let declaration = (attributes.last?.handle ?? 0) + 1
        let value = declaration + 1
        attributes.append(Attribute(handle: declaration, type: Kind.characteristic, bytes: [properties] + value.wireBytes + uuid.wireBytes))
        attributes.append(Attribute(handle: value, type: uuid.wireBytes, bytes: bytes, role: role))
        guard let subject else { return }
        valueHandles[subject] = value
        attributes.append(Attribute(handle: value + 1, type: Kind.configuration, bytes: [0, 0], role: .switching(subject)))
    }

    subscript(handle: UInt16) -> Attribute? { attributes.first { $0.handle == handle } }

    /// Those in a range, of a type if one is given.
    func attributes(in range: ClosedRange<UInt16>, type: [UInt8]? = nil) -> [Attribute] {
        attributes.filter { range.contains($0.handle) && (type == nil || $0.type == type) }
    }
}
