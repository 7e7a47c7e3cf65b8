import EventLoops

/// A characteristic. Programs make a ``CBMutableCharacteristic`` (contract D41).
open class CBCharacteristic: CBAttribute {
    struct Contents {
        weak var service: CBService?
        var properties: CBCharacteristicProperties
        var value: Data?
        var descriptors: [CBDescriptor]?
    }

    let contents: Locked<Contents>

    init(uuid: CBUUID, properties: CBCharacteristicProperties, value: Data?) {
        contents = Locked(Contents(properties: properties, value: value))
        super.init(uuid: uuid)
    }

    /// The service that it was given to. Held weakly.
    open var service: CBService? { contents.withLock { $0.service } }

    /// What can be done with it.
    open var properties: CBCharacteristicProperties { contents.withLock { $0.properties } }

    /// Its value.
    open var value: Data? { contents.withLock { $0.value } }

    /// What tells more of it.
    open var descriptors: [CBDescriptor]? { contents.withLock { $0.descriptors } }

    /// Whether its value is broadcast; always false.
    open var isBroadcasted: Bool { false }

    /// Whether somebody gets notifications or indications of it.
    open var isNotifying: Bool { false }

    /// It belongs to this service now.
    func enter(_ service: CBService) { contents.withLock { $0.service = service } }

    /// It does not belong to this service any more.
    func leave(_ service: CBService) {
        contents.withLock { contents in
            if contents.service === service { contents.service = nil }
        }
    }
}
