import Glibc

/// Where a bus is.
public enum BusAddress: Hashable, Sendable {
    /// The address in `DBUS_SYSTEM_BUS_ADDRESS`, or else the system's own bus.
    case system
    /// The address in `DBUS_SESSION_BUS_ADDRESS`, or else the user's bus below `XDG_RUNTIME_DIR`.
    case session
    /// A D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`.
    case address(String)
}

extension BusAddress {
    /// The address in the form of the D-Bus specification; nil if there is no such bus.
    var text: String? {
        switch self {
        case .system:
            return Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
        case .session:
            return Self.environment("DBUS_SESSION_BUS_ADDRESS") ?? Self.environment("XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" }
        case .address(let text):
            return BusSyntax.isText(text) ? text : nil
        }
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
