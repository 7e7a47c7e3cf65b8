import DBus

/// The objects of org.bluez as they are now.
///
/// A pure reducer: the answer of GetManagedObjects and signals go in, changes come out. What is malformed changes nothing; the
/// tree never holds more than ``limit`` objects.
struct ObjectTree: Sendable, Equatable {
    /// Properties by name, without the variants around them.
    typealias Properties = [String: DBusValue]

    /// A difference.
    enum Change: Equatable, Sendable {
        /// An interface appeared, with these properties.
        case added(path: String, interface: String, Properties)
        /// An interface is gone; these were its properties.
        case removed(path: String, interface: String, Properties)
        /// Some properties have these values now; others, named, have none any more.
        case changed(path: String, interface: String, Properties, invalidated: [String])
    }

    /// More objects than any adapter can have devices with services.
    static let limit = 20_000

    private var objects: [String: [String: Properties]] = [:]

    // MARK: Looking

    /// The properties of an interface; nil where there is none.
    func properties(_ path: String, _ interface: String) -> Properties? { objects[path]?[interface] }

    /// The paths of all objects with an interface, in natural order: hci2 before hci10.
    func paths(with interface: String) -> [String] {
        objects.filter { $0.value[interface] != nil }.keys.sorted { Self.isNaturallyOrdered($0, $1) }
    }

    /// The paths of the objects with an interface whose property names `owner`, as characteristics name their service.
    func paths(with interface: String, whose property: String, is owner: String) -> [String] {
        objects.filter { $0.value[interface]?[property]?.path == owner }.keys.sorted { Self.isNaturallyOrdered($0, $1) }
    }

    /// Whether there is an object with an interface whose property names `owner`.
    func hasPath(with interface: String, whose property: String, is owner: String) -> Bool {
        objects.contains { $0.value[interface]?[property]?.path == owner }
    }

    /// Shorter numbers first.
    static func isNaturallyOrdered(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count ? left < right : left.utf8.count < right.utf8.count
    }

    // MARK: Changing

    /// Replaces everything by the answer of GetManagedObjects, and says what is different.
    ///
    /// - Returns: nil if the answer is malformed; then nothing has changed.
    mutating func replace(with managedObjects: DBusValue?) -> [Change]? {
        guard let answer = managedObjects?.dictionary else { return nil }
        var fresh: [String: [String: Properties]] = [:]
        for (path, interfaces) in answer {
            guard let path = path.path, let interfaces = Self.interfaces(interfaces), fresh.count < Self.limit else { continue }
            if !interfaces.isEmpty { fresh[path] = interfaces }
        }
        var changes: [Change] = []
        for path in objects.keys.sorted(by: Self.isNaturallyOrdered).reversed() {
            for (interface, properties) in objects[path] ?? [:] where fresh[path]?[interface] == nil {
                changes.append(.removed(path: path, interface: interface, properties))
            }
        }
        for path in fresh.keys.sorted(by: Self.isNaturallyOrdered) {
            for (interface, properties) in fresh[path] ?? [:] {
                guard let known = objects[path]?[interface] else {
                    changes.append(.added(path: path, interface: interface, properties))
                    continue
                }
                let changed = properties.filter { known[$0.key] != $0.value }
                let gone = known.keys.filter { properties[$0] == nil }.sorted()
                if !changed.isEmpty || !gone.isEmpty {
                    changes.append(.changed(path: path, interface: interface, changed, invalidated: gone))
                }
            }
        }
        objects = fresh
        return changes
    }

    /// Applies a signal of org.bluez. Others are ignored.
    mutating func apply(_ signal: Signal) -> [Change] {
        let arguments = signal.arguments
        switch (signal.interface, signal.member) {
        case (BlueZName.objectManager, "InterfacesAdded"):
            guard arguments.count >= 2, let path = arguments[0].path, let interfaces = Self.interfaces(arguments[1]) else { return [] }
            return add(interfaces, at: path)
        case (BlueZName.objectManager, "InterfacesRemoved"):
            guard arguments.count >= 2, let path = arguments[0].path, let names = arguments[1].stringArray else { return [] }
            return remove(names, at: path)
        case (BlueZName.properties, "PropertiesChanged"):
            guard arguments.count >= 2, let interface = arguments[0].string, let changed = arguments[1].namedValues else { return [] }
            let invalidated = arguments.count > 2 ? arguments[2].stringArray ?? [] : []
            return change(changed, invalidated, of: interface, at: signal.path)
        default:
            return []
        }
    }

    private static func interfaces(_ value: DBusValue) -> [String: Properties]? {
        guard let members = value.dictionary else { return nil }
        var interfaces: [String: Properties] = [:]
        for (name, properties) in members {
            guard let name = name.string, BlueZName.kept.contains(name), let properties = properties.namedValues else { continue }
            interfaces[name] = properties
        }
        return interfaces
    }

    private mutating func add(_ interfaces: [String: Properties], at path: String) -> [Change] {
        guard !interfaces.isEmpty, objects[path] != nil || objects.count < Self.limit else { return [] }
        return interfaces.sorted { $0.key < $1.key }.map { interface, properties in
            let known = objects[path]?[interface]
            objects[path, default: [:]][interface] = properties
            guard let known else { return .added(path: path, interface: interface, properties) }
            // Announced twice, it has changed perhaps, but it is not new.
            let gone = known.keys.filter { properties[$0] == nil }.sorted()
            return .changed(path: path, interface: interface, properties, invalidated: gone)
        }
    }

    private mutating func remove(_ interfaces: [String], at path: String) -> [Change] {
        let changes: [Change] = interfaces.compactMap { interface in
            guard let properties = objects[path]?.removeValue(forKey: interface) else { return nil }
            return .removed(path: path, interface: interface, properties)
        }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        return changes
    }

    private mutating func change(_ changed: Properties, _ invalidated: [String], of interface: String, at path: String) -> [Change] {
        guard objects[path]?[interface] != nil else { return [] }
        for (name, value) in changed { objects[path]?[interface]?[name] = value }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        return [.changed(path: path, interface: interface, changed, invalidated: invalidated)]
    }
}
