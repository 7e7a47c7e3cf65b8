import GATT

/// How much of an advertisement fits on the air, as bluetoothd lays it out: the name goes into the scan response, all else into the
/// advertisement itself.
extension LocalAdvertisement {
    /// Bytes that advertisement and scan response can hold, each.
    static let room = 31

    /// Bytes of the advertisement. Each piece of data has a length and a type in front.
    var advertisementSize: Int {
        // bluetoothd drops the flags in silence where they do not fit, and many centrals then overlook us (contract D51).
        let flags = isConnectable ? 3 : 0
        let short = services.count(where: \.isAssigned)
        let long = services.count - short
        let lists = (short > 0 ? 2 + 2 * short : 0) + (long > 0 ? 2 + 16 * long : 0)
        return manufacturerData.reduce(flags + lists) { $0 + 2 + 2 + $1.value.count }
    }

    /// Bytes of the scan response.
    var scanResponseSize: Int { name.map { 2 + $0.utf8.count } ?? 0 }

    /// What does not fit, in words; nil if everything does.
    var excess: String? {
        var parts: [String] = []
        if advertisementSize > Self.room { parts.append("services and manufacturer data are \(advertisementSize - Self.room) bytes too long") }
        if scanResponseSize > Self.room { parts.append("the name is \(scanResponseSize - Self.room) bytes too long") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension BluetoothUUID {
    /// Sent as its 16-bit number. Those assigned with 32 bits are sent in full.
    fileprivate var isAssigned: Bool {
        description.hasPrefix("0000") && description.hasSuffix("-0000-1000-8000-00805f9b34fb")
    }
}
