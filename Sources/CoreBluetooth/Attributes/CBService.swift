import EventLoops

/// A service. Programs make a ``CBMutableService`` (contract D40).
open class CBService: CBAttribute {
    struct Contents {
        var includedServices: [CBService]?
        var characteristics: [CBCharacteristic]?
    }

    let contents = Locked(Contents())

    init(uuid: CBUUID, isPrimary: Bool) {
        self.isPrimary = isPrimary
        super.init(uuid: uuid)
    }

    /// Whose service it is; always nil, since services are one's own (contract D40).
    open var peripheral: CBPeripheral? { nil }

    /// Whether it stands for what the device is for, rather than being used by other services only.
    open private(set) var isPrimary: Bool

    /// Services that belong to it.
    open var includedServices: [CBService]? { contents.withLock { $0.includedServices } }

    /// Its characteristics.
    open var characteristics: [CBCharacteristic]? { contents.withLock { $0.characteristics } }
}
