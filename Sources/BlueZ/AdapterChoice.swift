import DBus
import FoundationEssentials
public import GATT

/// Which Bluetooth adapter to use.
public enum AdapterChoice: Hashable, Sendable {
    /// The first one that is powered on and can do Bluetooth Low Energy, else the first one that can. Stays with it as long as it exists
    /// (contract B.7). A device that this adapter does not hear, or has no room for, is looked for with the others that are on.
    case automatic
    /// By name, such as `hci1`.
    case name(String)
    /// By its own address.
    case address(BluetoothAddress)

    /// By name or address, whichever the text is; nil if it is neither.
    public init?(_ text: String) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
        } else if text.hasPrefix("hci"), UInt(text.dropFirst(3)) != nil {
            self = .name(text)
        } else {
            return nil
        }
    }

    /// What the environment variable `FLICKIT_ADAPTER` says; ``automatic`` if it is not set, or says nothing that makes sense.
    public static var fromEnvironment: AdapterChoice { ProcessInfo.processInfo.environment[variable].flatMap { AdapterChoice($0) } ?? .automatic }

    /// The environment variable by which an adapter can be chosen.
    package static let variable = "FLICKIT_ADAPTER"

    /// The adapter to use: `present`, if it is still there and wanted, else the best one.
    func path(in tree: ObjectTree, present: String?) -> String? {
        let usable = usable(in: tree)
        if let present, usable.contains(present) { return present }
        return usable.first { tree.isOn($0) } ?? usable.first
    }

    /// All adapters that may be used, `first` before the others, which have to be on.
    func paths(in tree: ObjectTree, first: String) -> [String] {
        [first] + usable(in: tree).filter { $0 != first && tree.isOn($0) }
    }

    private func usable(in tree: ObjectTree) -> [String] {
        tree.paths(with: BlueZName.adapter).filter { isWanted($0, tree) && Self.isLowEnergy(tree.properties($0, BlueZName.adapter)) }
    }

    func isWanted(_ path: String, _ tree: ObjectTree) -> Bool {
        switch self {
        case .automatic: true
        case .name(let name): path.split(separator: "/").last.map(String.init) == name  // hci1 is not hci10
        case .address(let address):
            tree.properties(path, BlueZName.adapter)?["Address"]?.string.flatMap { BluetoothAddress($0)?.value } == address.value
        }
    }

    /// Versions that do not tell roles are taken to have them.
    static func isLowEnergy(_ adapter: ObjectTree.Properties?) -> Bool {
        guard let adapter else { return false }
        guard let roles = adapter["Roles"]?.stringArray else { return true }
        return roles.contains("central") || roles.contains("peripheral")
    }
}

extension ObjectTree {
    /// Whether an adapter is on, and not just being switched off: Powered is still true then.
    func isOn(_ adapter: String) -> Bool {
        guard let properties = properties(adapter, BlueZName.adapter) else { return false }
        return properties["Powered"]?.bool == true && properties["PowerState"]?.string != "on-disabling"
    }
}
