import DBus
import FuzzBus
import FuzzInput
import GATT

@testable import BlueZ

// The object tree of BlueZ, and any answers and signals: what it says has changed makes, applied in order, what it holds; and everything that is read
// out of it can be.
//
// Input: answers of GetManagedObjects and signals.

/// What the changes tell.
private struct Model {
    var objects: [String: [String: ObjectTree.Properties]] = [:]

    mutating func apply(_ change: ObjectTree.Change) {
        switch change {
        case .added(let path, let interface, let properties):
            hold(objects[path]?[interface] == nil, "\(interface) of \(path) was added twice")
            objects[path, default: [:]][interface] = properties
        case .removed(let path, let interface, let properties):
            let known = objects[path]?.removeValue(forKey: interface)
            hold(known == properties || hasNaN(properties), "\(interface) of \(path) was removed with other properties than it had")
        case .changed(let path, let interface, let properties, let invalidated):
            hold(objects[path]?[interface] != nil, "\(interface) of \(path) has changed, which is not there")
            objects[path]?[interface]?.merge(properties) { $1 }
            for name in invalidated { objects[path]?[interface]?[name] = nil }
        }
    }

    func check(_ tree: ObjectTree) {
        for (path, interfaces) in objects {
            for (interface, properties) in interfaces {
                hold(tree.properties(path, interface) == properties || hasNaN(properties), "\(interface) of \(path) is not as was told")
            }
        }
        for interface in BlueZName.kept {
            let told = objects.filter { $0.value[interface] != nil }.keys
            hold(Set(tree.paths(with: interface)) == Set(told), "the objects with \(interface) are not those that were told")
        }
    }

    private func hasNaN(_ properties: ObjectTree.Properties) -> Bool { properties.values.contains(where: \.hasNaN) }
}

/// Whatever is in it, it can be looked at.
private func look(at tree: ObjectTree) {
    for path in tree.paths(with: BlueZName.device) {
        let advertisement = tree.advertisement(of: path)
        hold(advertisement == nil || tree.address(of: path) == advertisement?.address, "the address of \(path) depends on who asks")
        _ = tree.canSpeak(path)
        for service in advertisement?.services ?? [] { _ = tree.characteristics(of: service, on: path) }
        if let adapter = tree.adapter(of: path), let address = advertisement?.address {
            hold(tree.device(address, on: adapter) != nil, "\(path) is lost")
        }
    }
    var facts = BluetoothFacts()
    facts.read(tree, for: .automatic)
}

@_cdecl("LLVMFuzzerTestOneInput")
package func run(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    var tree = ObjectTree()
    var model = Model()
    while !input.isEmpty {
        let changes: [ObjectTree.Change]
        switch input.byte() % 8 {
        case 0: changes = tree.replace(with: input.value()) ?? []
        case 1: changes = tree.apply(Signal(at: input.word(), input.word(), input.word(), input.values()))
        case 2, 3:
            changes = tree.apply(Signal(at: "/", BlueZName.objectManager, "InterfacesAdded", [.objectPath(input.word()), interfaces(&input)]))
        case 4:
            let names = (0..<Int(input.byte() & 3)).map { _ in input.word() }
            changes = tree.apply(Signal(at: "/", BlueZName.objectManager, "InterfacesRemoved", [.objectPath(input.word()), .strings(names)]))
        case 5:
            let members = (0..<Int(input.byte() & 3)).map { _ in (DBusValue.objectPath(input.word()), interfaces(&input)) }
            changes = tree.replace(with: .dictionary(key: "o", value: "a{sa{sv}}", Dictionary(members, uniquingKeysWith: { $1 }))) ?? []
        default:
            let invalidated = (0..<Int(input.byte() & 1)).map { _ in input.word() }
            let path = input.word()
            let interface = DBusValue.string(input.word())
            changes = tree.apply(Signal(at: path, BlueZName.properties, "PropertiesChanged", [interface, properties(&input), .strings(invalidated)]))
        }
        for change in changes { model.apply(change) }
    }
    model.check(tree)
    look(at: tree)
    return 0
}

private func properties(_ input: inout FuzzInput) -> DBusValue {
    .properties(Dictionary((0..<Int(input.byte() & 7)).map { _ in (input.word(), input.value()) }, uniquingKeysWith: { $1 }))
}

private func interfaces(_ input: inout FuzzInput) -> DBusValue {
    let members = (0..<Int(input.byte() & 3)).map { _ in (DBusValue.string(input.word()), properties(&input)) }
    return .dictionary(key: "s", value: "a{sv}", Dictionary(members, uniquingKeysWith: { $1 }))
}

@_cdecl("LLVMFuzzerInitialize")
package func initialize(_ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer) -> CInt {
    writeSeeds {
        // A device with its address, adapter and name appears; its service; a property changes; all is replaced; it goes.
        let device: [UInt8] = [2, 4, 1, 8, 4, 17, 12, 33, 19, 9, 3, 24, 12, 8, 30, 14, 1, 12, 37]
        let service: [UInt8] = [2, 5, 1, 9, 2, 22, 9, 4, 30, 12, 37]
        let characteristic: [UInt8] = [2, 6, 1, 10, 2, 28, 9, 5, 30, 12, 37]
        let change: [UInt8] = [6, 1, 27, 4, 8, 1, 27, 2, 200, 255]
        let all: [UInt8] = [5, 1, 4, 1, 8, 1, 17, 12, 33]
        let removal: [UInt8] = [4, 1, 8, 4]
        return [device, device + service + characteristic, device + change, device + all + removal, device + service + change + all]
    }
}
