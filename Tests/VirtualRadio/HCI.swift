import GATT

/// What a host and its controller say to each other, as far as a peripheral needs it (Bluetooth Core specification, volume 4, part E).
///
/// Packets are those of /dev/vhci: a byte for the kind, then a command, an event or data.
enum HCI {
    /// What the controller says.
    enum Event: Equatable {
        /// Its address.
        case address(BluetoothAddress)
        /// A central has made a link.
        case linked(handle: UInt16, BluetoothAddress)
        /// The link has ended, for the reason of volume 1, part F.
        case unlinked(handle: UInt16, reason: UInt8)
        /// So many packets have left.
        case sent(Int)
        /// A packet of the attribute protocol.
        case attribute(handle: UInt16, [UInt8])
        /// Nothing that matters here.
        case other
    }

    /// Channel of the attribute protocol (volume 3, part A, 2.1).
    private static let attributeChannel: UInt16 = 4

    /// Whatever is cut short, or is no packet at all, is ``Event/other``.
    static func event(_ packet: [UInt8]) -> Event {
        func byte(_ index: Int) -> UInt8 { index < packet.count ? packet[index] : 0 }
        func number(_ index: Int) -> UInt16 { UInt16(byte(index)) | UInt16(byte(index + 1)) << 8 }
        switch (byte(0), byte(1)) {
        case (4, 0x0E) where packet.count >= 13 && number(4) == 0x1009:
            return BluetoothAddress(wireBytes: packet[7..<13]).map(Event.address) ?? .other
        case (4, 0x3E) where packet.count >= 15 && byte(3) == 1 && byte(4) == 0:
            let kind = BluetoothAddress.Kind(rawValue: byte(8)) ?? .public
            return BluetoothAddress(wireBytes: packet[9..<15], kind: kind).map { .linked(handle: number(5), $0) } ?? .other
        case (4, 0x05) where packet.count >= 7: return .unlinked(handle: number(4), reason: byte(6))
        case (4, 0x13) where packet.count >= 8: return .sent(Int(number(6)))
        case (2, _) where packet.count > 9 && number(7) == attributeChannel && number(5) == packet.count - 9:
            return .attribute(handle: number(1) & 0xFFF, Array(packet.dropFirst(9)))
        default: return .other
        }
    }

    // MARK: What the host says

    private static func command(_ number: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
        [1] + number.wireBytes + [UInt8(parameters.count)] + parameters
    }

    static let reset = command(0x0C03)
    static let readAddress = command(0x1009)

    static func disconnect(_ handle: UInt16) -> [UInt8] { command(0x0406, handle.wireBytes + [0x13]) }

    /// What advertises in this way, in this order.
    static func advertise(_ advertisement: LocalAdvertisement) -> [[UInt8]] {
        let milliseconds = (advertisement.interval?.lowerBound ?? .milliseconds(100)) / .milliseconds(1)
        let interval = UInt16(min(max(milliseconds * 1.6, 32), 16_384)).wireBytes
        var data: [UInt8] = [2, 1, 6]
        for service in advertisement.services { data += field(7, service.wireBytes) }
        for (company, bytes) in advertisement.manufacturerData { data += field(0xFF, company.wireBytes + bytes) }
        let response = advertisement.name.map { field(9, Array($0.utf8)) } ?? []
        return [
            command(0x2006, interval + interval + [advertisement.isConnectable ? 0 : 3, 0, 0] + [UInt8](repeating: 0, count: 6) + [7, 0]),
            command(0x2008, padded(data)), command(0x2009, padded(response)), command(0x200A, [1]),
        ]
    }

    static let stopAdvertising = command(0x200A, [0])

    static func attribute(_ handle: UInt16, _ bytes: [UInt8]) -> [UInt8] {
        [2] + handle.wireBytes + UInt16(bytes.count + 4).wireBytes + UInt16(bytes.count).wireBytes + attributeChannel.wireBytes + bytes
    }

    private static func field(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count + 1), type] + bytes }

    /// Length, and 31 bytes.
    private static func padded(_ data: [UInt8]) -> [UInt8] {
        let data = data.prefix(31)
        return [UInt8(data.count)] + data + [UInt8](repeating: 0, count: 31 - data.count)
    }
}
