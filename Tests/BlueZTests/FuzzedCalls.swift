import DBus
import FlicSimulator

@testable import BlueZ

/// Calls of a peripheral's objects as bluetoothd makes them, and such with something wrong: each says what has to come of it.
struct FuzzedCalls {
    struct Call: Sendable {
        var path: String
        var interface: String
        var member: String
        var arguments: [DBusValue]
        /// The names of the errors that are right; `ok` for none.
        var right: Set<String>
    }

    /// An object with its one interface.
    struct Object: Sendable {
        var path: String
        var interface: String
        /// Length of what is read from it.
        var length = 0
    }

    private struct Options {
        var offset = 0
        var isPreparing = false
    }

    static let ok: Set = ["ok"]
    private static let bluez = "org.bluez."
    private static let standard = "org.freedesktop.DBus."
    private static let signatures: [String: [String: String]] = [
        bluez + "GattService1": [:],
        bluez + "GattCharacteristic1": [
            "ReadValue": "a{sv}", "WriteValue": "aya{sv}", "AcquireNotify": "a{sv}", "StartNotify": "", "StopNotify": "", "Confirm": "",
        ],
        bluez + "GattDescriptor1": ["ReadValue": "a{sv}"],
        bluez + "LEAdvertisement1": ["Release": ""],
    ]

    private static let farOffsets: [(DBusValue, Int)] = [
        (.uint16(UInt16.max), 65_535), (.uint32(UInt32.max), 4_294_967_295), (.int64(Int64.max), Int.max), (.byte(0), 0),
    ]
    private static let wrongOffsets: [DBusValue] = [.int32(-1), .uint64(UInt64.max), .string("1"), .double(1), .boolean(true), .bytes([])]
    private static let mtus: [DBusValue] = [.uint16(23), .uint16(517), .uint16(0), .uint16(UInt16.max), .int64(Int64.min), .uint32(UInt32.max)]
    private static let wrongMTUs: [DBusValue] = [.string("23"), .uint64(UInt64.max), .objectPath("/")]

    private let roots: [String]
    private let objects: [Object]
    private let devices: [String]
    private var random: SeededGenerator

    /// - Parameters:
    ///   - roots: Where the object managers are.
    ///   - devices: Centrals that are there.
    init(seed: UInt64, roots: [String], objects: [Object], devices: [String]) {
        self.roots = roots
        self.objects = objects
        self.devices = devices
        random = SeededGenerator(seed: seed)
    }

    // MARK: Drawing

    private mutating func isLucky(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }

    private mutating func draw<Element>(_ elements: [Element]) -> Element { elements[Int.random(in: 0..<elements.count, using: &random)] }

    mutating func next() -> Call {
        let object = draw(objects)
        var path = object.path
        if isLucky(0.15) { path = draw(roots + [path + "/x", path + "0", "/", "/flickit", "/flickit/application0/service0000", "/org/bluez"]) }
        var interface = object.interface
        if isLucky(0.15) {
            interface = draw(
                Self.signatures.keys.sorted() + ["", "a.b", Self.bluez + "Device1"]
                    + ["Properties", "Introspectable", "ObjectManager"].map { Self.standard + $0 }
            )
        }
        var member = draw((Self.signatures[interface] ?? [:]).keys.sorted() + ["Introspect"])
        if isLucky(0.15) {
            member = draw(["ReadValue", "WriteValue", "Release", "Get", "GetAll", "Set", "GetManagedObjects", "Introspect", "Other", "readValue"])
        }
        let signature = Self.signatures[object.interface]?[member]
        let (options, meaning) = drawOptions()
        let count = draw([0, 1, 20, 182, 509, 512, 513, 4000])
        var arguments: [DBusValue] =
            switch signature {
            case "a{sv}": [options]
            case "aya{sv}": [.bytes([UInt8](repeating: 3, count: count)), options]
            default: []
            }
        if isLucky(0.3) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: arguments = Array(arguments.dropLast())
            case 1: arguments.append(value(depth: 0))
            case 2: arguments = arguments.map { _ in value(depth: 0) }
            default: arguments = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: 0) }
            }
        }
        let isAsDrawn = arguments.map(\.signature).joined() == signature && (arguments.isEmpty || arguments.last == options)
        let call = Call(path: path, interface: interface, member: member, arguments: arguments, right: [])
        let right = right(call, meaning: isAsDrawn ? meaning : nil, isWellFormed: isAsDrawn, count: count)
        return Call(path: path, interface: interface, member: member, arguments: arguments, right: right)
    }

    /// - Returns: The options, and what they mean; nil if they mean nothing.
    private mutating func drawOptions() -> (DBusValue, Options?) {
        var values: [String: DBusValue] = ["link": .string("LE")]
        var meaning: Options? = Options()
        switch Int.random(in: 0..<8, using: &random) {
        case 0: values["device"] = .objectPath("/org/bluez/hci7/dev_00_11_22_33_44_55")
        case 1 where isLucky(0.5):
            let wrong: [DBusValue] = [.objectPath("/"), .objectPath("/org/bluez/hci0"), .string(devices[0]), .bytes([1]), .variant(.byte(1))]
            values["device"] = draw(wrong)
            meaning = nil
        case 2 where isLucky(0.3): meaning = nil
        default: values["device"] = .objectPath(draw(devices))
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: break
        case 2, 3:
            let offset = Int.random(in: 0...60, using: &random)
            values["offset"] = .uint16(UInt16(offset))
            meaning?.offset = offset
        case 4:
            let (offset, number) = draw(Self.farOffsets)
            values["offset"] = offset
            meaning?.offset = number
        default:
            values["offset"] = draw(Self.wrongOffsets)
            meaning = nil
        }
        values["mtu"] = draw(Self.mtus)
        if isLucky(0.05) {
            values["mtu"] = draw(Self.wrongMTUs)
            meaning = nil
        }
        if isLucky(0.1) {
            values["prepare-authorize"] = .boolean(true)
            meaning?.isPreparing = true
        } else if isLucky(0.05) {
            values["prepare-authorize"] = .string("yes")
            meaning = nil
        }
        if isLucky(0.2) { values["future"] = (0..<Int.random(in: 0..<40, using: &random)).reduce(value(depth: 3)) { value, _ in .variant(value) } }
        return (.properties(values), meaning)
    }

    private mutating func value(depth: Int) -> DBusValue {
        switch Int.random(in: 0..<(depth < 4 ? 14 : 10), using: &random) {
        case 0: .byte(7)
        case 1: .boolean(true)
        case 2: .int16(-1)
        case 3: .uint16(.max)
        case 4: .int32(.min)
        case 5: .uint64(.max)
        case 6: .double(.infinity)
        case 7: .string("\u{1F600}")
        case 8: .objectPath(devices[0])
        case 9: .bytes([1, 2, 3])
        case 10: .strings(["a", "b"])
        case 11: .structure([value(depth: depth + 1), value(depth: depth + 1)])
        case 12: .variant(value(depth: depth + 1))
        default: .properties(["devices": value(depth: depth + 1), "": value(depth: depth + 1)])
        }
    }

    // MARK: What is right

    private func right(_ call: Call, meaning: Options?, isWellFormed: Bool, count: Int) -> Set<String> {
        let isRoot = roots.contains(call.path)
        guard isRoot || objects.contains(where: { $0.path == call.path }) else { return [DBusError.unknownObject] }
        let object = objects.first { $0.path == call.path }
        switch call.interface {
        case Self.standard + "Properties":
            guard ["Get", "GetAll", "Set"].contains(call.member) else { return [DBusError.unknownMethod] }
            return [DBusError.invalidArguments, DBusError.unknownInterface]
        case Self.standard + "Introspectable", "":
            if call.member == "Introspect" { return Self.ok }
            if call.interface == "", let object, Self.signatures[object.interface]?[call.member] != nil { break }
            return [DBusError.unknownMethod]
        case Self.standard + "ObjectManager":
            return isRoot && call.member == "GetManagedObjects" ? Self.ok : [DBusError.unknownMethod]
        default:
            guard let object, object.interface == call.interface else { return [DBusError.unknownInterface] }
        }
        guard let object, let signature = Self.signatures[object.interface]?[call.member] else { return [DBusError.unknownMethod] }
        guard call.arguments.map(\.signature).joined() == signature else { return [DBusError.invalidArguments] }
        switch call.member {
        case "StartNotify", "StopNotify", "Confirm", "Release": return Self.ok
        default: break
        }
        guard isWellFormed, let meaning else { return [DBusError.invalidArguments] }
        switch call.member {
        case "AcquireNotify": return [Self.bluez + "Error.NotSupported"]
        case "ReadValue": return meaning.offset > object.length ? [Self.bluez + "Error.InvalidOffset"] : Self.ok
        default:
            if meaning.isPreparing { return Self.ok }
            if meaning.offset > 512 { return [Self.bluez + "Error.InvalidOffset"] }
            return meaning.offset + count > 512 ? [Self.bluez + "Error.InvalidValueLength"] : Self.ok
        }
    }
}
