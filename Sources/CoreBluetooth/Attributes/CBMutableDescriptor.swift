/// A descriptor to be published (contract D42).
open class CBMutableDescriptor: CBDescriptor {
    /// - Parameters:
    ///   - UUID: ``CBUUIDCharacteristicUserDescriptionString`` or ``CBUUIDCharacteristicFormatString``; a service with any other is refused.
    ///   - value: A `String` for a user description, a `Data` of 7 bytes for a format. It never changes.
    public init(type UUID: CBUUID, value: Any?) {
        super.init(uuid: UUID, value: value)
    }
}
