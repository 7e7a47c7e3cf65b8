import GATT

extension UInt16 {
    /// Least significant first.
    var wireBytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}

extension BluetoothUUID {
    /// Two bytes if it is an assigned number, else 16; least significant first.
    var wireBytes: [UInt8] {
        let digits = Array(description.filter { $0 != "-" })
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...($0 + 1)]), radix: 16) ?? 0 }
        let isAssigned = self == BluetoothUUID(assigned: UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
        return (isAssigned ? Array(bytes[2..<4]) : bytes).reversed()
    }
}
