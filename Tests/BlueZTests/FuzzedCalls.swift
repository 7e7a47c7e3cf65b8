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

    /// An object, and what there is of it.
    struct Object: Sendable {
        var path: String
        /// Its own one, beside the standard ones; nil if it only has others below it.
        var interface: String?
        /// Names of the properties of that interface.
        var properties: Set<String> = []
        /// Whether it is the root of what has been registered, and so manages objects.
        var isRoot = false
        /// Length of what is read from it.
        var length = 0
    }

    /// What options say.
    struct Options {
        var offset = 0
        var isPreparing = false
    }

    static let bluez = "org.bluez."
    static let standard = "org.freedesktop.DBus."
    /// The methods of all interfaces that are on the bus, with their arguments.
    static let signatures: [String: [String: String]] = [
        bluez + "GattService1": [:],
        bluez + "GattCharacteristic1": [
            "ReadValue": "a{sv}", "WriteValue": "aya{sv}", "AcquireNotify": "a{sv}", "StartNotify": "", "StopNotify": "", "Confirm": "",
        ],
        bluez + "GattDescriptor1": ["ReadValue": "a{sv}"],
        bluez + "LEAdvertisement1": ["Release": ""],
        standard + "Properties": ["Get": "ss", "GetAll": "s", "Set": "ssv"],
        standard + "Introspectable": ["Introspect": ""],
        standard + "ObjectManager": ["GetManagedObjects": ""],
    ]

    private static let farOffsets: [(DBusValue, Int)] = [
        (.uint16(UInt16.max), 65_535), (.uint32(UInt32.max), 4_294_967_295), (.int64(Int64.max), Int.max), (.byte(0), 0),
    ]
    private static let wrongOffsets: [DBusValue] = [.int32(-1), .uint64(UInt64.max), .string("1"), .double(1), .boolean(true), .bytes([])]
    private static let mtus: [DBusValue] = [.uint16(23), .uint16(517), .uint16(0), .uint16(UInt16.max), .int64(Int64.min), .uint32(UInt32.max)]
    private static let wrongMTUs: [DBusValue] = [.string("23"), .uint64(UInt64.max), .objectPath("/")]

    private let objects: [Object]
    private let devices: [String]
    private var random: SeededGenerator

    /// - Parameter devices: Centrals that are there.
    init(seed: UInt64, objects: [Object], devices: [String]) {
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
        if isLucky(0.1) { path = draw([path + "/x", path + "0", "/", "/flickit", "/flickit/application0/service0000", "/org/bluez"]) }
        let interface = drawInterface(of: object)
        var member = draw((Self.signatures[interface] ?? [:]).keys.sorted() + ["Introspect"])
        if isLucky(0.1) { member = draw(Self.signatures.values.flatMap(\.keys).sorted() + ["Other", "readValue", "get"]) }
        let (options, meaning) = drawOptions()
        let count = draw([0, 1, 20, 182, 509, 512, 513, 4000])
        var arguments = drawArguments(Self.signature(of: member, interface, at: object) ?? "", of: object, options, count: count)
        if isLucky(0.3) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: arguments = Array(arguments.dropLast())
            case 1: arguments.append(value(depth: 0))
            case 2: arguments = arguments.map { _ in value(depth: 0) }
            default: arguments = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: 0) }
            }
        }
        var call = Call(path: path, interface: interface, member: member, arguments: arguments, right: [])
        let isAsDrawn = arguments.last == options
        call.right = Self.right(call, at: objects.first { $0.path == path }, meaning: isAsDrawn ? meaning : nil, count: count)
        return call
    }

    private mutating func drawInterface(of object: Object) -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<12 where object.interface != nil: object.interface ?? ""
        case 0..<16 where object.isRoot && isLucky(0.5): Self.standard + "ObjectManager"
        case 0..<16: Self.standard + "Properties"
        case 16: Self.standard + "Introspectable"
        default: draw(Self.signatures.keys.sorted() + ["", "a.b", Self.bluez + "Device1"])
        }
    }

    /// What the method of the interface takes; that of the object's own one where the call names none.
    static func signature(of member: String, _ interface: String, at object: Object) -> String? {
        signatures[interface == "" ? object.interface ?? "" : interface]?[member]
    }

    private mutating func drawArguments(_ signature: String, of object: Object, _ options: DBusValue, count: Int) -> [DBusValue] {
        let interface = isLucky(0.8) ? object.interface ?? "" : draw(Self.signatures.keys.sorted() + ["", "a b"])
        let property = draw(["Value", "Nothing", ""] + object.properties.sorted())
        return switch signature {
        case "a{sv}": [options]
        case "aya{sv}": [.bytes([UInt8](repeating: 3, count: count)), options]
        case "s": [.string(interface)]
        case "ss": [.string(interface), .string(property)]
        case "ssv": [.string(interface), .string(property), .variant(value(depth: 1))]
        default: []
        }
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
}
