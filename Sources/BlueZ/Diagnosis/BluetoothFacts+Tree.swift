import DBus
import GATT

extension BluetoothFacts {
    /// Takes over what is of interest of the objects of org.bluez.
    mutating func read(_ tree: ObjectTree, for choice: AdapterChoice) {
        adapters = tree.paths(with: BlueZName.adapter).map { path in
            let properties = tree.properties(path, BlueZName.adapter) ?? [:]
            var adapter = Adapter(name: Self.name(path))
            adapter.address = properties["Address"]?.string.flatMap { BluetoothAddress($0)?.description } ?? ""
            adapter.isWanted = choice.isWanted(path, tree)
            adapter.isLowEnergy = AdapterChoice.isLowEnergy(properties)
            adapter.tellsRoles = properties["Roles"]?.stringArray != nil
            adapter.hasGATT = tree.properties(path, BlueZName.gattManager) != nil
            adapter.power = Power(properties)
            adapter.isDiscovering = properties["Discovering"]?.bool == true
            return adapter
        }
        let path = choice.path(in: tree, present: nil)
        chosen = path.map(Self.name)
        usable = path.map { choice.paths(in: tree, first: $0).map(Self.name) } ?? []
        links = tree.paths(with: BlueZName.device).filter { tree.isTrue("Connected", of: $0) }.compactMap { path in
            guard let address = tree.address(of: path), let adapter = tree.properties(path, BlueZName.device)?["Adapter"]?.path else { return nil }
            return Link(address: address, adapter: Self.name(adapter))
        }
    }

    private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension BluetoothFacts.Power {
    /// Versions that do not tell the state say at least whether it is on.
    fileprivate init(_ properties: ObjectTree.Properties) {
        self =
            switch properties["PowerState"]?.string {
            case "off-blocked": .blocked
            case "on-disabling", "off-enabling": .changing
            default: properties["Powered"]?.bool == true ? .on : .off
            }
    }
}
