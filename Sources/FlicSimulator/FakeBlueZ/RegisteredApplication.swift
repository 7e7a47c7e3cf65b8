import DBus
import GATT

/// Something that a program has registered with an adapter: the root of its objects, or one of them.
struct RegisteredObject: Hashable, Sendable {
    /// Path of the adapter.
    let adapter: String
    /// Unique name of the program.
    let client: String
    /// Path of the program's object.
    var path: String
}

/// Services of a program, as the daemon has read them.
struct RegisteredApplication: Sendable {
    /// A characteristic or descriptor.
    struct Attribute: Sendable {
        let object: RegisteredObject
        let uuid: BluetoothUUID
        /// Path of the characteristic to which a descriptor belongs; nil for a characteristic.
        let characteristic: String?
        let flags: Set<String>
        /// It has the property NotifyAcquired: the program is asked with AcquireNotify, which says who subscribes.
        let asksWho: Bool
        /// Subscriptions as the daemon counts them, those of bonded centrals that are away included.
        var subscriptions = 0

        func has(_ flags: String...) -> Bool { flags.contains(where: self.flags.contains) }

        var canNotify: Bool { has("notify", "encrypt-notify") }
        var canIndicate: Bool { has("indicate", "encrypt-indicate") }
    }

    /// In the order of their handles.
    var services: [BluetoothUUID] = []
    /// By path.
    var attributes: [String: Attribute] = [:]
    /// Hears the program's signals.
    let signals: DBusConnection.SubscriptionID
    /// Applications get handles in the order in which they were registered.
    let number: UInt64
    /// The objects have been read.
    var isReady = false

    /// Takes over the answer of GetManagedObjects.
    ///
    /// - Throws: Why the daemon does not want the application.
    mutating func read(_ answer: DBusValue?, of root: RegisteredObject) throws(DBusError) {
        let objects = (answer?.dictionary ?? [:]).compactMap { path, interfaces -> (path: String, interface: String, FakeObjects.Properties)? in
            let kinds = [BlueZName.gattService, BlueZName.characteristic, BlueZName.descriptor]
            let found = (interfaces.dictionary ?? [:]).first { kinds.contains($0.key.string ?? "") }
            guard let path = path.path, let interface = found?.key.string, let properties = found?.value.namedValues else { return nil }
            return (path, interface, properties)
        }
        guard !objects.isEmpty else { throw .failed("No object received") }
        guard objects.contains(where: { $0.interface == BlueZName.gattService }) else { throw .failed("No valid service object found") }
        for (path, interface, properties) in objects.sorted(by: { $0.path < $1.path }) {
            guard let uuid = properties["UUID"]?.string.flatMap({ BluetoothUUID($0) }), !Self.reserved.contains(uuid) else {
                throw .failed("Failed to create entry in database")
            }
            guard interface != BlueZName.gattService else {
                services.append(uuid)
                continue
            }
            let parent = properties[interface == BlueZName.characteristic ? "Service" : "Characteristic"]?.path
            guard let flags = properties["Flags"]?.stringArray, !flags.isEmpty, let parent, objects.contains(where: { $0.path == parent }) else {
                throw .failed("No valid service object found")
            }
            attributes[path] = Attribute(
                object: RegisteredObject(adapter: root.adapter, client: root.client, path: path),
                uuid: uuid,
                characteristic: interface == BlueZName.descriptor ? parent : nil,
                flags: Set(flags),
                asksWho: properties["NotifyAcquired"] != nil
            )
        }
        isReady = true
    }

    /// The daemon's own.
    private static let reserved = [BluetoothUUID(assigned: 0x1800), BluetoothUUID(assigned: 0x1801)]
}
