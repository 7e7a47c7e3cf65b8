public import GATT

/// Which device is meant.
public enum UARTChoice: Hashable, Sendable {
    /// Any that has the service.
    case any
    /// One of this name, exactly.
    case named(String)
    /// The one with this address, of either kind.
    case address(BluetoothAddress)

    /// The name; "" is any (contract C20).
    public init(name: String) { self = name.isEmpty ? .any : .named(name) }

    /// Whether somebody has said which one.
    var isDefinite: Bool { self != .any }

    /// Whether a device with the service is meant. One without a name is not meant by any name (contract C27).
    func matches(_ address: BluetoothAddress, name: String?) -> Bool {
        switch self {
        case .any: true
        case .named(let wanted): name == wanted
        case .address(let wanted): address.value == wanted.value
        }
    }
}
