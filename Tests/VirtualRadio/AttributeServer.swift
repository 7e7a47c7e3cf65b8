import GATT

/// The attribute protocol of a peripheral (Bluetooth Core specification, volume 3, part F): packets come in, answers and events go out.
///
/// Has one client, and answers at once. Whatever a packet contains, the answer is what the specification says, if it is not nothing.
struct AttributeServer {
    enum Action: Equatable {
        case send([UInt8])
        /// The client has written a value.
        case written(AttributeID, [UInt8])
        /// The client has switched notifications on or off.
        case switched(AttributeID, isOn: Bool)
    }

    /// The largest packet that the server takes.
    private static let largestMTU = 140
    private static let smallestMTU = 23

    private var table: AttributeTable
    private(set) var mtu = smallestMTU
    private var subscriptions: Set<AttributeTable.Subject> = []

    private enum Failure: UInt8 {
        case invalidHandle = 0x01
        case readNotPermitted = 0x02
        case writeNotPermitted = 0x03
        case requestNotSupported = 0x06
        case invalidOffset = 0x07
        case attributeNotFound = 0x0A
        case invalidLength = 0x0D
        case unsupportedGroup = 0x10
    }

    init(_ table: AttributeTable) {
        self.table = table
    }

    /// There is another client, or none: nothing is switched on.
    mutating func begin() {
        mtu = Self.smallestMTU
        subscriptions = []
    }

    /// The attributes are others from now on. What was switched on is not any more, but for the news of just this.
    ///
    /// - Returns: The indication for a client that wants to know.
    mutating func replace(_ table: AttributeTable) -> [UInt8]? {
        self.table = table
        subscriptions = subscriptions.intersection([.serviceChanged])
        guard subscriptions.contains(.serviceChanged), let handle = table.valueHandles[.serviceChanged] else { return nil }
        return [0x1D] + handle.wireBytes + UInt16(1).wireBytes + UInt16.max.wireBytes
    }

    /// A notification; nil if the client has not switched it on.
    func notification(_ value: [UInt8], of characteristic: AttributeID) -> [UInt8]? {
        guard subscriptions.contains(.characteristic(characteristic)), let handle = table.valueHandles[.characteristic(characteristic)] else {
            return nil
        }
        return [0x1B] + handle.wireBytes + value.prefix(mtu - 3)
    }

    mutating func receive(_ packet: [UInt8]) -> [Action] {
        guard let opcode = packet.first else { return [] }
        let isCommand = opcode & 0x40 != 0
        switch opcode {
        case 0x52:
            guard packet.count >= 3, case .value(let id, isWritable: true)? = table[number(packet, 1)]?.role else { return [] }
            return [.written(id, Array(packet.dropFirst(3)))]
        case 0x02 where packet.count == 3:
            mtu = min(max(Int(number(packet, 1)), Self.smallestMTU), Self.largestMTU)
            return [.send([0x03] + UInt16(Self.largestMTU).wireBytes)]
        case 0x04 where packet.count == 5: return findInformation(packet)
        case 0x06 where packet.count >= 7: return findByValue(packet)
        case 0x08 where packet.count == 7 || packet.count == 21: return readByType(packet)
        case 0x10 where packet.count == 7 || packet.count == 21: return readByGroup(packet)
        case 0x0A where packet.count == 3: return read(packet, offset: 0, answer: 0x0B)
        case 0x0C where packet.count == 5: return read(packet, offset: Int(number(packet, 3)), answer: 0x0D)
        case 0x12 where packet.count >= 3: return write(packet)
        case 0x1E: return []  // a confirmation
        default: return isCommand ? [] : refuse(opcode, at: 0, .requestNotSupported)
        }
    }

    // MARK: Finding

    private func findInformation(_ packet: [UInt8]) -> [Action] {
        guard let range = range(packet) else { return refuse(packet[0], at: number(packet, 1), .invalidHandle) }
        let found = table.attributes(in: range)
        guard let first = found.first else { return refuse(packet[0], at: range.lowerBound, .attributeNotFound) }
        let entries = found.prefix { $0.type.count == first.type.count }.map { $0.handle.wireBytes + $0.type }
        return [.send([0x05, first.type.count == 2 ? 1 : 2] + fitting(entries, besides: 2))]
    }

    private func findByValue(_ packet: [UInt8]) -> [Action] {
        guard let range = range(packet) else { return refuse(packet[0], at: number(packet, 1), .invalidHandle) }
        let value = Array(packet.dropFirst(7))
        let found = table.attributes(in: range, type: Array(packet[5..<7])).filter { $0.bytes == value }
        guard !found.isEmpty else { return refuse(packet[0], at: range.lowerBound, .attributeNotFound) }
        return [.send([0x07] + fitting(found.map { $0.handle.wireBytes + ($0.groupEnd ?? $0.handle).wireBytes }, besides: 1))]
    }

    private func readByType(_ packet: [UInt8]) -> [Action] {
        guard let range = range(packet) else { return refuse(packet[0], at: number(packet, 1), .invalidHandle) }
        let found = table.attributes(in: range, type: Array(packet.dropFirst(5)))
        guard let first = found.first else { return refuse(packet[0], at: range.lowerBound, .attributeNotFound) }
        if case .value = first.role { return refuse(packet[0], at: first.handle, .readNotPermitted) }
        return [.send([0x09] + list(found.map { ($0.handle.wireBytes, $0.bytes) }))]
    }

    private func readByGroup(_ packet: [UInt8]) -> [Action] {
        guard let range = range(packet) else { return refuse(packet[0], at: number(packet, 1), .invalidHandle) }
        guard Array(packet.dropFirst(5)) == AttributeTable.Kind.primaryService else {
            return refuse(packet[0], at: range.lowerBound, .unsupportedGroup)
        }
        let found = table.attributes(in: range, type: AttributeTable.Kind.primaryService)
        guard !found.isEmpty else { return refuse(packet[0], at: range.lowerBound, .attributeNotFound) }
        return [.send([0x11] + list(found.map { ($0.handle.wireBytes + ($0.groupEnd ?? $0.handle).wireBytes, $0.bytes) }))]
    }

    // MARK: Values

    private func read(_ packet: [UInt8], offset: Int, answer: UInt8) -> [Action] {
        let handle = number(packet, 1)
        guard let attribute = table[handle] else { return refuse(packet[0], at: handle, .invalidHandle) }
        if case .value = attribute.role { return refuse(packet[0], at: handle, .readNotPermitted) }
        var bytes = attribute.bytes
        if case .switching(let subject) = attribute.role, subscriptions.contains(subject) { bytes[0] = subject == .serviceChanged ? 2 : 1 }
        guard offset <= bytes.count else { return refuse(packet[0], at: handle, .invalidOffset) }
        return [.send([answer] + bytes.dropFirst(offset).prefix(mtu - 1))]
    }

    private mutating func write(_ packet: [UInt8]) -> [Action] {
        let handle = number(packet, 1)
        guard let attribute = table[handle] else { return refuse(packet[0], at: handle, .invalidHandle) }
        guard case .switching(let subject) = attribute.role else { return refuse(packet[0], at: handle, .writeNotPermitted) }
        guard packet.count == 5 else { return refuse(packet[0], at: handle, .invalidLength) }
        let isOn = packet[3] != 0
        if isOn { subscriptions.insert(subject) } else { subscriptions.remove(subject) }
        guard case .characteristic(let id) = subject else { return [.send([0x13])] }
        return [.send([0x13]), .switched(id, isOn: isOn)]
    }

    // MARK: Packets

    private func number(_ packet: [UInt8], _ index: Int) -> UInt16 { UInt16(packet[index]) | UInt16(packet[index + 1]) << 8 }

    /// The handles that a request is about.
    private func range(_ packet: [UInt8]) -> ClosedRange<UInt16>? {
        let first = number(packet, 1)
        let last = number(packet, 3)
        return first > 0 && first <= last ? first...last : nil
    }

    private func refuse(_ opcode: UInt8, at handle: UInt16, _ failure: Failure) -> [Action] {
        [.send([0x01, opcode] + handle.wireBytes + [failure.rawValue])]
    }

    /// As many as fit, beginning with the first.
    private func fitting(_ entries: [[UInt8]], besides used: Int) -> [UInt8] {
        guard let size = entries.first?.count else { return [] }
        return Array(entries.prefix((mtu - used) / size).joined())
    }

    /// Entries of the size of the first, with that size in front. A first value that is too long is cut.
    private func list(_ found: [(head: [UInt8], value: [UInt8])]) -> [UInt8] {
        guard let first = found.first else { return [] }
        let size = min(first.value.count, mtu - 2 - first.head.count)
        let entries = found.prefix { $0.value.count == first.value.count }.map { $0.head + $0.value.prefix(size) }
        return [UInt8(first.head.count + size)] + fitting(entries, besides: 2)
    }
}
