import DBus
import GATT

/// Services as bluetoothd wants to find them: objects below a root, each with one interface.
///
///     /root                                ObjectManager
///     …/service0000                    GattService1
///     …/service0000/char0000           GattCharacteristic1
///     …/service0000/char0000/desc0000  GattDescriptor1
///
/// bluetoothd gives out handles in the order in which it hears of the objects, which is that of their paths: equal applications get
/// equal handles, and centrals that remember them are right.
struct ApplicationTree {
    /// What an object stands for.
    enum Role {
        case service
        case characteristic(LocalCharacteristic)
        case descriptor(value: [UInt8])
    }

    /// An object with its interface.
    struct Object {
        let path: String
        let interface: String
        let properties: [String: DBusValue]
        let role: Role
    }

    /// Parents before children, in the order in which they were given.
    private(set) var objects: [Object] = []

    init(_ services: [LocalService], root: String) {
        for (number, service) in services.enumerated() {
            let path = Self.path(root, "service", number)
            var properties: [String: DBusValue] = ["UUID": .string(service.uuid.description), "Primary": .boolean(service.isPrimary)]
            if !service.includes.isEmpty {
                // Only services that come first are found, and only in the same application (contract D45).
                properties["Includes"] = .array(of: "o", service.includes.map { .objectPath(Self.path(root, "service", $0)) })
            }
            objects.append(Object(path: path, interface: BlueZName.gattService, properties: properties, role: .service))
            for (number, characteristic) in service.characteristics.enumerated() {
                add(characteristic, of: path, at: Self.path(path, "char", number))
            }
        }
    }

    private mutating func add(_ characteristic: LocalCharacteristic, of service: String, at path: String) {
        var properties: [String: DBusValue] = [
            "UUID": .string(characteristic.uuid.description),
            "Service": .objectPath(service),
            "Flags": .strings(characteristic.flags.map(\.rawValue).sorted()),
        ]
        // Makes bluetoothd call AcquireNotify, which says who subscribes; StartNotify does not (contract D80).
        if characteristic.canNotify { properties["NotifyAcquired"] = .boolean(false) }
        objects.append(
            Object(path: path, interface: BlueZName.characteristic, properties: properties, role: .characteristic(characteristic))
        )
        for (number, descriptor) in characteristic.descriptors.enumerated() {
            objects.append(
                Object(
                    path: Self.path(path, "desc", number),
                    interface: BlueZName.descriptor,
                    properties: [
                        "UUID": .string(descriptor.uuid.description),
                        "Characteristic": .objectPath(path),
                        "Flags": .strings(["read"]),
                    ],
                    role: .descriptor(value: descriptor.value)
                )
            )
        }
    }

    /// Four hexadecimal digits, as bluetoothd itself does it: the paths sort like the numbers.
    private static func path(_ parent: String, _ kind: String, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "\(parent)/\(kind)\(String(repeating: "0", count: max(4 - digits.utf8.count, 0)))\(digits)"
    }

    // MARK: Sense

    /// What is wrong with services that somebody wants to publish; nil if nothing is.
    ///
    /// - Parameter taken: Names of characteristics that are published already.
    static func problem(with services: [LocalService], taken: some Collection<AttributeID>) -> String? {
        if services.isEmpty { return "no service" }
        var names = Set(taken)
        let longest = LocalCharacteristic.longestValue
        for (number, service) in services.enumerated() {
            if !service.includes.allSatisfy({ (0..<number).contains($0) }) {
                return "service \(service.uuid) includes one that does not come before it"
            }
            for characteristic in service.characteristics {
                let uuid = characteristic.uuid
                if !names.insert(characteristic.id).inserted { return "characteristic \(uuid) has the name of another one" }
                // bluetoothd refuses the whole application then (contract D46).
                if characteristic.flags.isEmpty { return "characteristic \(uuid) has no flags" }
                if let value = characteristic.value, value.count > longest { return "value of \(uuid) is longer than \(longest) bytes" }
                for descriptor in characteristic.descriptors {
                    // bluetoothd makes this one by itself and would show two (contract D134).
                    if descriptor.uuid == clientConfiguration { return "characteristic \(uuid) has a client configuration of its own" }
                    if descriptor.value.count > longest { return "descriptor \(descriptor.uuid) is longer than \(longest) bytes" }
                }
            }
        }
        return nil
    }

    private static let clientConfiguration = BluetoothUUID(assigned: 0x2902)
}

extension LocalCharacteristic {
    private static let notifyFlags: Set<Flag> = [.notify, .encryptNotify]
    private static let indicateFlags: Set<Flag> = [.indicate, .encryptIndicate]

    var canNotify: Bool { !flags.isDisjoint(with: Self.notifyFlags.union(Self.indicateFlags)) }

    /// Every update is acknowledged by the central. With both kinds of flags no acknowledgement is seen (contract D95).
    var onlyIndicates: Bool { canNotify && flags.isDisjoint(with: Self.notifyFlags) }
}
