extension ObjectServer {
    /// Answers a call to an object at or below the root.
    func answer(_ call: IncomingCall) {
        guard exists(call.path) else {
            return call.fail(DBusError(name: DBusError.unknownObject, message: "There is no object \(call.path)"))
        }
        switch (call.interface, call.member) {
        case (StandardInterface.properties, _): answerProperties(call)
        case (StandardInterface.introspectable, "Introspect"), ("", "Introspect"): call.reply([.string(introspection(of: call.path))])
        case (StandardInterface.objectManager, "GetManagedObjects") where call.path == root: call.reply([managedObjects])
        case ("", _):
            // Without an interface any will do that has the method.
            let interfaces = (objects[call.path] ?? [:]).sorted { $0.key < $1.key }
            guard let method = interfaces.lazy.compactMap({ $1.methods[call.member] }).first else { return call.failUnknownMethod() }
            method(call)
        case (StandardInterface.introspectable, _), (StandardInterface.objectManager, _): call.failUnknownMethod()
        default:
            guard let interface = objects[call.path]?[call.interface] else {
                return call.fail(DBusError(name: DBusError.unknownInterface, message: "\(call.path) has no interface \(call.interface)"))
            }
            guard let method = interface.methods[call.member] else { return call.failUnknownMethod() }
            method(call)
        }
    }

    // MARK: Properties

    private func answerProperties(_ call: IncomingCall) {
        do throws(DBusError) {
            switch (call.member, call.arguments.count) {
            case ("Get", 2):
                let (interface, name) = (try interface(of: call), try text(call.arguments[1]))
                if let value = interface.properties[name] { return call.reply([.variant(value)]) }
                let isWritable = interface.setters[name] != nil
                throw isWritable ? DBusError(name: DBusError.accessDenied, message: "\(name) cannot be read") : unknownProperty(name)
            case ("GetAll", 1):
                call.reply([.properties(try interface(of: call).properties)])
            case ("Set", 3):
                try set(call)
                call.reply()
            case ("Get", _), ("GetAll", _), ("Set", _):
                throw DBusError(name: DBusError.invalidArguments, message: "Not the arguments of \(call.member)")
            default:
                call.failUnknownMethod()
            }
        } catch {
            call.fail(error)
        }
    }

    private func set(_ call: IncomingCall) throws(DBusError) {
        let (interface, name) = (try interface(of: call), try text(call.arguments[1]))
        guard case .variant(let value) = call.arguments[2] else {
            throw DBusError(name: DBusError.invalidArguments, message: "The value must be a variant")
        }
        guard let setter = interface.setters[name] else {
            throw interface.properties[name] == nil
                ? unknownProperty(name)
                : DBusError(name: DBusError.propertyReadOnly, message: "\(name) cannot be written")
        }
        if let present = interface.properties[name], present.signature != value.signature {
            throw DBusError(name: DBusError.invalidArguments, message: "\(name) is of type \(present.signature)")
        }
        try setter(value)
    }

    private func interface(of call: IncomingCall) throws(DBusError) -> Interface {
        let name = try text(call.arguments[0])
        guard let interface = objects[call.path]?[name] else {
            throw DBusError(name: DBusError.unknownInterface, message: "\(call.path) has no interface \(name)")
        }
        return interface
    }

    private func text(_ value: DBusValue) throws(DBusError) -> String {
        guard case .string(let text) = value else {
            throw DBusError(name: DBusError.invalidArguments, message: "Names must be strings")
        }
        return text
    }

    private func unknownProperty(_ name: String) -> DBusError {
        DBusError(name: DBusError.unknownProperty, message: "There is no property \(name)")
    }

    // MARK: The tree

    /// The root, and whatever is an object or has one below it.
    private func exists(_ path: String) -> Bool {
        path == root || objects[path] != nil || objects.keys.contains { BusSyntax.isPath($0, atOrBelow: path) }
    }

    private var managedObjects: DBusValue {
        var managed: [DBusValue: DBusValue] = [:]
        for (path, interfaces) in objects where path != root {
            let interfaces = interfaces.map { (DBusValue.string($0), DBusValue.properties($1.properties)) }
            managed[.objectPath(path)] = .dictionary(key: "s", value: "a{sv}", Dictionary(interfaces) { $1 })
        }
        return .dictionary(key: "o", value: "a{sa{sv}}", managed)
    }

    private func introspection(of path: String) -> String {
        let prefix = path == "/" ? path : path + "/"
        let below = objects.keys.filter { $0.hasPrefix(prefix) && $0 != path }
        let children = below.compactMap { $0.dropFirst(prefix.count).split(separator: "/").first }
        return Introspection(
            interfaces: (objects[path] ?? [:]).values.sorted { $0.name < $1.name },
            managesObjects: path == root,
            children: Set(children).sorted()
        ).xml
    }
}

extension IncomingCall {
    fileprivate func failUnknownMethod() {
        fail(DBusError(name: DBusError.unknownMethod, message: "\(path) has no method \(member)"))
    }
}
