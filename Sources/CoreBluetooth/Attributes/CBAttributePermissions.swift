/// What centrals may do with a characteristic (contract D44).
public struct CBAttributePermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// They may read it.
    public static let readable = Self(rawValue: 0x1)
    /// They may write it.
    public static let writeable = Self(rawValue: 0x2)
    /// They may read it over encrypted links.
    public static let readEncryptionRequired = Self(rawValue: 0x4)
    /// They may write it over encrypted links.
    public static let writeEncryptionRequired = Self(rawValue: 0x8)
}
