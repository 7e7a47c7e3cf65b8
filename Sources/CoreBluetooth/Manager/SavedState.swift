import GATT

/// The file of a ``Restoration``.
struct SavedState: Codable, Sendable {
    private struct Service: Codable {
        var uuid: String
        var isPrimary: Bool
        /// Positions of services before it.
        var includes: [Int]
        var characteristics: [Characteristic]
    }

    private struct Characteristic: Codable {
        var uuid: String
        var properties: UInt
        var permissions: UInt
        var value: Data?
        var descriptors: [Descriptor]
    }

    private struct Descriptor: Codable {
        var uuid: String
        var text: String?
        var data: Data?
    }

    private struct Advertisement: Codable {
        var name: String?
        var services: [String]
    }

    /// What in the file makes no sense.
    private struct Nonsense: Error, CustomStringConvertible {
        let description: String
    }

    private var services: [Service]
    private var advertisement: Advertisement?

    init(_ services: [CBMutableService], _ advertisement: LocalAdvertisement?) {
        self.services = services.map { service in
            Service(
                uuid: service.uuid.bluetoothUUID.description,
                isPrimary: service.isPrimary,
                includes: (service.includedServices ?? []).compactMap { included in services.firstIndex { $0 === included } },
                characteristics: (service.characteristics ?? []).compactMap { $0 as? CBMutableCharacteristic }.map { characteristic in
                    Characteristic(
                        uuid: characteristic.uuid.bluetoothUUID.description,
                        properties: characteristic.properties.rawValue,
                        permissions: characteristic.permissions.rawValue,
                        value: characteristic.isStatic ? characteristic.value : nil,
                        descriptors: (characteristic.descriptors ?? []).map { descriptor in
                            Descriptor(
                                uuid: descriptor.uuid.bluetoothUUID.description,
                                text: descriptor.value as? String,
                                data: descriptor.value as? Data
                            )
                        }
                    )
                }
            )
        }
        self.advertisement = advertisement.map { Advertisement(name: $0.name, services: $0.services.map { $0.description }) }
    }

    /// The objects that a program gets.
    var state: Restoration.State {
        get throws {
            var objects: [CBMutableService] = []
            for saved in services {
                let service = CBMutableService(type: try Self.uuid(saved.uuid), primary: saved.isPrimary)
                service.characteristics = try saved.characteristics.map { try Self.characteristic($0) }
                if !saved.includes.isEmpty {
                    service.includedServices = try saved.includes.map { position in
                        guard objects.indices.contains(position) else { throw Nonsense(description: "no service \(position) before \(saved.uuid)") }
                        return objects[position]
                    }
                }
                objects.append(service)
            }
            return Restoration.State(services: objects, advertisement: try advertisement.map { try Self.advertisement($0) })
        }
    }

    private static func characteristic(_ saved: Characteristic) throws -> CBMutableCharacteristic {
        let characteristic = CBMutableCharacteristic(
            type: try uuid(saved.uuid),
            properties: CBCharacteristicProperties(rawValue: saved.properties),
            value: saved.value,
            permissions: CBAttributePermissions(rawValue: saved.permissions)
        )
        if !saved.descriptors.isEmpty {
            characteristic.descriptors = try saved.descriptors.map { CBMutableDescriptor(type: try uuid($0.uuid), value: $0.text ?? $0.data) }
        }
        return characteristic
    }

    private static func advertisement(_ saved: Advertisement) throws -> LocalAdvertisement {
        var advertisement = LocalAdvertisement()
        advertisement.name = saved.name
        advertisement.services = try saved.services.map { try uuid($0).bluetoothUUID }
        return advertisement
    }

    /// A bad text would end the program in `CBUUID(string:)`.
    private static func uuid(_ text: String) throws -> CBUUID {
        guard let uuid = BluetoothUUID(text) else { throw Nonsense(description: "'\(text)' is not a UUID") }
        return CBUUID(uuid)
    }
}
