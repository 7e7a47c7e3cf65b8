import EventLoops

/// A service to be published (contract D40). A change has no effect on a published one until it is removed and added again.
open class CBMutableService: CBService {
    /// - Parameters:
    ///   - UUID: What it is.
    ///   - isPrimary: Whether it stands for what the device is for, rather than being used by other services only.
    public init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(uuid: UUID, isPrimary: isPrimary)
    }

    /// Services that belong to it. They have to be published before it.
    open override var includedServices: [CBService]? {
        get { super.includedServices }
        set { contents.withLock { $0.includedServices = newValue } }
    }

    /// Its characteristics, whose `service` it becomes.
    open override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set {
            let former = contents.withLock { contents in
                defer { contents.characteristics = newValue }
                return contents.characteristics
            }
            for characteristic in former ?? [] { characteristic.leave(self) }
            for characteristic in newValue ?? [] { characteristic.enter(self) }
        }
    }
}
