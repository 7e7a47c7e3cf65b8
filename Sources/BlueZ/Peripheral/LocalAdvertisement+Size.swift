import GATT

/// How much of an advertisement fits on the air, as bluetoothd lays it out: the name goes into the scan response, all else into the
/// advertisement itself.
extension LocalAdvertisement {
    /// Bytes that advertisement and scan response can hold, each.
    static let room = 31
    /// Each piece of data has a length and a type in front.
    private static let header = 2

    /// Bytes of the advertisement.
    var advertisementSize: Int {
        // bluetoothd drops the flags in silence where they do not fit, and many centrals then overlook us (contract D51).
        let flags = isConnectable ? 3 : 0
        return manufacturerData.reduce(flags + Self.size(of: services)) { $0 + Self.header + 2 + $1.value.count }
    }

    private static func size(of services: [BluetoothUUID]) -> Int {
        let short = services.count(where: \.isAssigned)
        let long = services.count - short
        return (short > 0 ? header + 2 * short : 0) + (long > 0 ? header + 16 * long : 0)
    }

    /// Bytes of the scan response.
    var scanResponseSize: Int { name.map { Self.header + $0.utf8.count } ?? 0 }

    /// What does not fit, in words; nil if everything does.
    var excess: String? {
        var parts: [String] = []
        if advertisementSize > Self.room { parts.append("services and manufacturer data are \(advertisementSize - Self.room) bytes too long") }
        if scanResponseSize > Self.room { parts.append("the name is \(scanResponseSize - Self.room) bytes too long") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Leaves out what does not fit: services, of which those with assigned numbers come first, in their order, and then those that there is room
    /// for (contract D52); and the end of the name, not within a character (contract D53).
    ///
    /// - Returns: What did not fit, in words; nil if everything did.
    package mutating func cutToFit() -> String? {
        guard let excess else { return nil }
        let wanted = services.filter(\.isAssigned) + services.filter { !$0.isAssigned }
        services = []
        for service in wanted {
            services.append(service)
            if advertisementSize > Self.room { services.removeLast() }
        }
        while scanResponseSize > Self.room, let cut = name?.unicodeScalars.dropLast() { name = String(cut) }
        return excess
    }
}

extension BluetoothUUID {
    /// Sent as its 16-bit number. Those assigned with 32 bits are sent in full.
    fileprivate var isAssigned: Bool {
        description.hasPrefix("0000") && description.hasSuffix("-0000-1000-8000-00805f9b34fb")
    }
}
