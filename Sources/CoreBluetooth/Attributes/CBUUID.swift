import GATT

/// A Bluetooth UUID of 16, 32 or 128 bits (contract D130).
///
/// Equality is by meaning: 16 and 32 bits stand for the 128 bits that the Bluetooth SIG has given them (contract D131).
///
/// `@unchecked Sendable`: it never changes.
open class CBUUID: NSObject, @unchecked Sendable {
    let bluetoothUUID: BluetoothUUID
    /// In which length it was given, in bytes: 2, 4 or 16.
    private let byteCount: Int

    /// - Parameter theString: 4 or 8 hexadecimal digits, or 32 with hyphens as in `00420000-8F59-4420-870D-84F3B617E493`; of either case.
    ///   Anything else ends the program, as on iOS (contract D48).
    public init(string theString: String) {
        guard let (uuid, byteCount) = Self.parse(theString) else {
            preconditionFailure("CBUUID takes 4 or 8 hexadecimal digits, or 32 with hyphens, not '\(theString.prefix(64))'.")
        }
        bluetoothUUID = uuid
        self.byteCount = byteCount
    }

    /// - Parameter theData: 2, 4 or 16 bytes, in the order of the text. Any other number ends the program, as on iOS (contract D48).
    public init(data theData: Data) {
        guard let uuid = Self.parse(theData) else { preconditionFailure("CBUUID takes 2, 4 or 16 bytes, not \(theData.count).") }
        bluetoothUUID = uuid
        byteCount = theData.count
    }

    /// - Parameter theUUID: All its 128 bits count (contract D130).
    public convenience init(nsuuid theUUID: UUID) {
        self.init(data: withUnsafeBytes(of: theUUID.uuid) { Data($0) })
    }

    /// In the shortest form (contract D132).
    init(_ uuid: BluetoothUUID) {
        bluetoothUUID = uuid
        let bytes = uuid.bytes
        byteCount = bytes.dropFirst(4) != Self.base ? 16 : bytes.starts(with: [0, 0]) ? 2 : 4
    }

    /// What follows the first four bytes of all UUIDs that the Bluetooth SIG has given (Bluetooth Core, Vol 3, Part B, 2.5.1).
    private static let base = BluetoothUUID(assigned: 0).bytes.dropFirst(4)

    /// nil for anything that is no UUID.
    static func parse(_ text: String) -> (uuid: BluetoothUUID, byteCount: Int)? {
        let count = text.utf8.count
        switch count {
        case 4, 8: return BluetoothUUID(String(repeating: "0", count: 8 - count) + text + "-0000-1000-8000-00805F9B34FB").map { ($0, count / 2) }
        case 36: return BluetoothUUID(text).map { ($0, 16) }
        default: return nil
        }
    }

    /// nil for any other number of bytes.
    static func parse(_ data: Data) -> BluetoothUUID? {
        switch data.count {
        case 2, 4: BluetoothUUID(bytes: [UInt8](repeating: 0, count: 4 - data.count) + data + base)
        default: BluetoothUUID(bytes: data)
        }
    }

    /// 2, 4 or 16 bytes as given, in the order of the text.
    open var data: Data {
        let bytes = bluetoothUUID.bytes
        return byteCount == 16 ? Data(bytes) : Data(bytes.prefix(4).suffix(byteCount))
    }

    /// 4, 8 or 36 characters as given, in upper case.
    open var uuidString: String {
        let text = bluetoothUUID.description.uppercased()
        return byteCount == 16 ? text : String(text.prefix(8).suffix(2 * byteCount))
    }

    /// The same as ``uuidString``.
    open override var description: String { uuidString }

    /// Whether `object` is a UUID of the same meaning.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CBUUID)?.bluetoothUUID == bluetoothUUID }

    /// Equal for UUIDs of the same meaning.
    open override var hash: Int { bluetoothUUID.hashValue }
}
