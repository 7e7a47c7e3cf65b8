import DBus

/// The objects of a service: paths, interfaces and properties, as they are in truth.
struct FakeObjects: Sendable {
    /// Properties by name.
    typealias Properties = [String: DBusValue]

    private(set) var objects: [String: [String: Properties]] = [:]

    /// The interfaces of an object; nil if there is none.
    subscript(path: String) -> [String: Properties]? { objects[path] }

    func value(_ property: String, of interface: String, at path: String) -> DBusValue? { objects[path]?[interface]?[property] }

    mutating func insert(_ interfaces: [String: Properties], at path: String) {
        objects[path, default: [:]].merge(interfaces) { $1 }
    }

    /// Without effect if the interface is not there.
    mutating func update(_ properties: Properties, invalidated: [String], of interface: String, at path: String) {
        objects[path]?[interface]?.merge(properties) { $1 }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
    }

    /// Removes an object with everything below it.
    ///
    /// - Returns: What was removed, the lowest first.
    mutating func remove(_ path: String) -> [(path: String, interfaces: [String])] {
        let paths = objects.keys.filter { $0 == path || $0.hasPrefix(path + "/") }.sorted(by: >)
        return paths.map { path in (path, (objects.removeValue(forKey: path) ?? [:]).keys.sorted()) }
    }

    mutating func removeAll() { objects = [:] }
}
