internal import EventLoops

/// Objects of ours on the bus, with interfaces made of methods and properties.
///
/// Answers the standard interfaces for them: Properties, Introspectable, and ObjectManager at the root. Announces changes of
/// properties, and objects that come and go.
public actor ObjectServer {
    /// One interface of an object.
    public struct Interface: Sendable {
        /// Name of the interface.
        public var name: String
        /// The readable properties; not variants themselves.
        public var properties: [String: DBusValue]
        /// The methods. Each is called on the loop.
        public var methods: [String: @Sendable (IncomingCall) -> Void]
        /// The writable properties. Called on the loop with the new value, which the setter has to store with ``ObjectServer/set(_:invalidated:of:at:)``
        /// if it is to be readable. What it throws is the answer to the caller.
        public var setters: [String: @Sendable (DBusValue) throws(DBusError) -> Void]

        /// Makes an interface.
        public init(
            name: String,
            properties: [String: DBusValue] = [:],
            methods: [String: @Sendable (IncomingCall) -> Void] = [:],
            setters: [String: @Sendable (DBusValue) throws(DBusError) -> Void] = [:]
        ) {
            self.name = name
            self.properties = properties
            self.methods = methods
            self.setters = setters
        }
    }

    /// The loop of the connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.loop.asUnownedSerialExecutor() }

    nonisolated let connection: DBusConnection
    nonisolated let root: String
    /// By path and name of the interface.
    private(set) var objects: [String: [String: Interface]] = [:]
    private var isStarted = false

    /// A server that doesn't answer yet.
    /// - Parameters:
    ///   - connection: Where the objects are to be found.
    ///   - root: Path of the ObjectManager. All objects are at or below it.
    public init(_ connection: DBusConnection, root: String) {
        self.connection = connection
        self.root = root
    }

    /// Begins to answer.
    public func start() {
        isStarted = true
        connection.assumeIsolated { connection in
            connection.handleCalls(at: root) { [weak self] call in
                guard let self else { return call.fail(DBusError(name: DBusError.unknownObject)) }
                self.assumeIsolated { $0.answer(call) }
            }
        }
    }

    /// Answers no longer. The objects stay, for another ``start()``.
    public func stop() {
        guard isStarted else { return }
        isStarted = false
        connection.assumeIsolated { [root] in $0.handleCalls(at: root, nil) }
    }

    /// Adds interfaces to an object, which is made if it isn't there. Interfaces of the same name are replaced.
    /// - Parameter path: At or below the root; elsewhere nothing happens.
    public func add(_ interfaces: [Interface], at path: String) {
        guard BusSyntax.isPath(path), BusSyntax.isPath(path, atOrBelow: root) else { return }
        for interface in interfaces { objects[path, default: [:]][interface.name] = interface }
        let added = interfaces.map { (DBusValue.string($0.name), DBusValue.properties($0.properties)) }
        emit("InterfacesAdded", path, .dictionary(key: "s", value: "a{sv}", Dictionary(added) { $1 }))
    }

    /// Removes an object and everything below it.
    public func remove(at path: String) {
        for path in objects.keys.filter({ BusSyntax.isPath($0, atOrBelow: path) }).sorted(by: >) {
            guard let interfaces = objects.removeValue(forKey: path) else { continue }
            emit("InterfacesRemoved", path, .strings(interfaces.keys.sorted()))
        }
    }

    /// Changes properties and announces it. Nothing happens if there is no such interface.
    /// - Parameters:
    ///   - properties: New values.
    ///   - invalidated: Properties that have no value any more.
    ///   - interface: The interface that has them.
    ///   - path: The object.
    public func set(_ properties: [String: DBusValue], invalidated: [String] = [], of interface: String, at path: String) {
        guard objects[path]?[interface] != nil else { return }
        objects[path]?[interface]?.properties.merge(properties) { $1 }
        for name in invalidated { objects[path]?[interface]?.properties[name] = nil }
        guard isStarted else { return }
        let changes = Signal(
            at: path,
            StandardInterface.properties,
            "PropertiesChanged",
            [.string(interface), .properties(properties), .strings(invalidated)]
        )
        connection.assumeIsolated { $0.send(changes) }
    }

    /// The value of a property; nil if there is no such one.
    public func get(_ property: String, of interface: String, at path: String) -> DBusValue? {
        objects[path]?[interface]?.properties[property]
    }

    /// The object manager tells of what is below it, not of itself.
    private func emit(_ member: String, _ path: String, _ interfaces: DBusValue) {
        guard isStarted, path != root else { return }
        let signal = Signal(at: root, StandardInterface.objectManager, member, [.objectPath(path), interfaces])
        connection.assumeIsolated { $0.send(signal) }
    }
}

/// Interfaces of the D-Bus specification that the server answers for its objects.
enum StandardInterface {
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
