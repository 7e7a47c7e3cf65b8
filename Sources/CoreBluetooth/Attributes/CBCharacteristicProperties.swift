/// What can be done with a characteristic (contract D43).
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Its value is broadcast. Not for one's own characteristics.
    public static let broadcast = Self(rawValue: 0x1)
    /// It can be read.
    public static let read = Self(rawValue: 0x2)
    /// It can be written without an answer.
    public static let writeWithoutResponse = Self(rawValue: 0x4)
    /// It can be written.
    public static let write = Self(rawValue: 0x8)
    /// Centrals can be told of its changes.
    public static let notify = Self(rawValue: 0x10)
    /// Centrals can be told of its changes, and acknowledge them.
    public static let indicate = Self(rawValue: 0x20)
    /// It can be written without an answer, with a signature.
    public static let authenticatedSignedWrites = Self(rawValue: 0x40)
    /// It has more properties, in a descriptor. Not for one's own characteristics.
    public static let extendedProperties = Self(rawValue: 0x80)
    /// Centrals can be told of its changes, over encrypted links only.
    public static let notifyEncryptionRequired = Self(rawValue: 0x100)
    /// Centrals can be told of its changes, over encrypted links only, and acknowledge them.
    public static let indicateEncryptionRequired = Self(rawValue: 0x200)
}
