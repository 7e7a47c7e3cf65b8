internal import Glibc

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
    /// - Parameter environment: Where variables are looked up.
    func text(environment: (String) -> String? = environmentVariable) -> String? {
        switch self {
        case .system:
            environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
        case .session:
            environment("DBUS_SESSION_BUS_ADDRESS") ?? environment("XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" }
        case .address(let text):
            BusSyntax.isText(text) ? text : nil
        }
    }
}

/// Nil also if it is empty.
private func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
