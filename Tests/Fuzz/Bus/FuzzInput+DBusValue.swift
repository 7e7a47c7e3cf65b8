package import DBus
package import FuzzInput

extension FuzzInput {
    /// Words that mean something to somebody.
    private static let words = [
        "", "/", "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_80_E4_DA_00_00_01", "/org/bluez/hci0/dev_80_E4_DA_00_00_01/service000a",
        "/org/bluez/hci0/dev_80_E4_DA_00_00_01/service000a/char000b",
        "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattService1", "org.bluez.GattCharacteristic1", "org.bluez.GattManager1",
        "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties", "InterfacesAdded", "InterfacesRemoved", "PropertiesChanged",
        "Address", "AddressType", "Adapter", "Alias", "Connected", "Device", "ManufacturerData", "Name", "Notifying", "Powered", "RSSI", "Service",
        "ServicesResolved", "UUID", "UUIDs", "Value",
        "80:E4:DA:00:00:01", "80-E4-DA-00-00-01", "public", "random", "00420000-8f59-4420-870d-84f3b617e493", "a{sv}", "(sa{ay})",
        "aaaaaaaaaaaaaaaay",
    ]

    /// A known word, or any text.
    package mutating func word() -> String {
        let choice = Int(byte())
        return choice < Self.words.count ? Self.words[choice] : text()
    }

    /// Any value, valid on the bus or not.
    package mutating func value(depth: Int = 0) -> DBusValue {
        let kind = byte()
        switch depth > 70 ? kind % 14 : kind % 20 {
        case 0: return .byte(byte())
        case 1: return .boolean(flag())
        case 2: return .int16(number())
        case 3: return .uint16(number())
        case 4: return .int32(number())
        case 5: return .uint32(number())
        case 6: return .int64(number())
        case 7: return .uint64(number())
        case 8: return .double(Double(bitPattern: number()))
        case 9: return .objectPath(word())
        case 10: return .signature(word())
        case 11: return .bytes(piece())
        case 12, 13: return .string(word())
        case 14:
            let elements = values(depth: depth + 1)
            let type = kind < 128 ? elements.first?.signature ?? word() : word()
            // What the case is not for has one of its own, which it would be read as.
            return type == "y" || type.hasPrefix("{") ? .bytes(piece()) : .array(of: type, elements)
        case 15: return .structure(values(depth: depth + 1))
        case 16: return .variant(value(depth: depth + 1))
        case 17: return .properties(Dictionary(pairs(depth: depth + 1), uniquingKeysWith: { $1 }))
        default:
            let members = pairs(depth: depth + 1).map { (kind < 128 ? DBusValue.objectPath($0) : .string($0), $1) }
            return .dictionary(
                key: members.first?.0.signature ?? "s",
                value: members.first?.1.signature ?? "v",
                Dictionary(members, uniquingKeysWith: { $1 })
            )
        }
    }

    /// Up to seven.
    package mutating func values(depth: Int = 0) -> [DBusValue] { (0..<Int(byte() & 7)).map { _ in isEmpty ? .byte(0) : value(depth: depth) } }

    private mutating func pairs(depth: Int) -> [(String, DBusValue)] {
        (0..<Int(byte() & 7)).map { _ in (word(), isEmpty ? .byte(0) : value(depth: depth)) }
    }
}

extension DBusValue {
    /// Not-a-number equals nothing, not even itself, so it is not found to be the same again.
    package var hasNaN: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .array(_, let members), .structure(let members): members.contains(where: \.hasNaN)
        case .dictionary(_, _, let members): members.contains { $0.hasNaN || $1.hasNaN }
        case .variant(let value): value.hasNaN
        default: false
        }
    }
}
