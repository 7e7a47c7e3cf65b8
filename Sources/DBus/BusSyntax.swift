internal import CDBus

/// The rules of names on the bus.
///
/// libdbus aborts the process when it is handed a name or text that breaks them, and the bus disconnects a peer that sends one.
/// So everything that comes from the program is checked here first.
enum BusSyntax {
    /// A text that the bus can carry: Swift's strings are valid Unicode, but may contain NUL.
    static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }

    static func isPath(_ path: String) -> Bool { isText(path) && dbus_validate_path(path, nil) != 0 }

    static func isInterface(_ name: String) -> Bool { isText(name) && dbus_validate_interface(name, nil) != 0 }

    static func isMember(_ name: String) -> Bool { isText(name) && dbus_validate_member(name, nil) != 0 }

    static func isErrorName(_ name: String) -> Bool { isText(name) && dbus_validate_error_name(name, nil) != 0 }

    static func isBusName(_ name: String) -> Bool { isText(name) && dbus_validate_bus_name(name, nil) != 0 }

    /// Any number of complete types.
    static func isSignature(_ signature: String) -> Bool { isText(signature) && dbus_signature_validate(signature, nil) != 0 }

    /// Exactly one complete type.
    static func isType(_ signature: String) -> Bool { isText(signature) && dbus_signature_validate_single(signature, nil) != 0 }

    /// What only libdbus itself may say; the bus disconnects whoever sends it.
    static func isReserved(path: String, interface: String) -> Bool {
        path == "/org/freedesktop/DBus/Local" || interface == "org.freedesktop.DBus.Local"
    }

    /// The path, then all paths above it up to `/`.
    static func pathAndAncestors(_ path: String) -> [Substring] {
        var paths = [path[...]]
        var rest = path[...]
        while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")), slash != rest.startIndex {
            rest = rest[..<slash]
            paths.append(rest)
        }
        if path != "/" { paths.append("/") }
        return paths
    }

    /// Whether `path` is `root` or below it.
    static func isPath(_ path: String, atOrBelow root: String) -> Bool {
        path == root || root == "/" || (path.hasPrefix(root) && path.utf8.dropFirst(root.utf8.count).first == UInt8(ascii: "/"))
    }
}
