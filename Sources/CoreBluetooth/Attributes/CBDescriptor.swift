import EventLoops

/// Tells more of a characteristic. Programs make a ``CBMutableDescriptor`` (contract D42).
open class CBDescriptor: CBAttribute {
    private struct Owner {
        weak var characteristic: CBCharacteristic?
    }

    private let owner = Locked(Owner())

    init(uuid: CBUUID, value: Any?) {
        self.value = value
        super.init(uuid: uuid)
    }

    /// The characteristic that it was given to. Held weakly.
    open var characteristic: CBCharacteristic? { owner.withLock { $0.characteristic } }

    /// What it tells.
    open private(set) var value: Any?

    /// It belongs to this characteristic now.
    func enter(_ characteristic: CBCharacteristic) { owner.withLock { $0.characteristic = characteristic } }

    /// It does not belong to this characteristic any more.
    func leave(_ characteristic: CBCharacteristic) {
        owner.withLock { owner in
            if owner.characteristic === characteristic { owner.characteristic = nil }
        }
    }
}
