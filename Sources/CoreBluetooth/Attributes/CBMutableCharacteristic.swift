import EventLoops

/// A characteristic to be published (contract D41). A change has no effect on a published one until its service is removed and added again.
open class CBMutableCharacteristic: CBCharacteristic {
    private struct Offer {
        var permissions: CBAttributePermissions
        var subscribers: [CBCentral] = []
    }

    private let offer: Locked<Offer>
    /// Whether its value is served without asking the delegate: if it had one from the beginning (contract D47).
    let isStatic: Bool

    /// - Parameters:
    ///   - UUID: What it is.
    ///   - properties: What can be done with it. The manager knows them all but `broadcast` and `extendedProperties`.
    ///   - value: A value that never changes and is served without asking, for characteristics that can be read only; or nil, and the
    ///     manager's delegate is asked each time.
    ///   - permissions: What centrals may do with it.
    public init(type UUID: CBUUID, properties: CBCharacteristicProperties, value: Data?, permissions: CBAttributePermissions) {
        offer = Locked(Offer(permissions: permissions))
        isStatic = value != nil
        super.init(uuid: UUID, properties: properties, value: value)
    }

    /// What centrals may do with it.
    open var permissions: CBAttributePermissions {
        get { offer.withLock { $0.permissions } }
        set { offer.withLock { $0.permissions = newValue } }
    }

    /// Who gets notifications or indications of it. It changes on the delivery queue, right before the call of the delegate that tells of it
    /// (contract A26).
    open var subscribedCentrals: [CBCentral]? { offer.withLock { $0.subscribers } }

    /// What can be done with it.
    open override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { contents.withLock { $0.properties = newValue } }
    }

    /// Its value. Not looked at if it was nil at first: what is read then is up to the delegate.
    open override var value: Data? {
        get { super.value }
        set { contents.withLock { $0.value = newValue } }
    }

    /// What tells more of it, and whose `characteristic` it becomes: user descriptions and formats (contract D42).
    open override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set {
            let former = contents.withLock { contents in
                defer { contents.descriptors = newValue }
                return contents.descriptors
            }
            for descriptor in former ?? [] { descriptor.leave(self) }
            for descriptor in newValue ?? [] { descriptor.enter(self) }
        }
    }

    /// Whether somebody gets notifications or indications of it.
    open override var isNotifying: Bool { offer.withLock { !$0.subscribers.isEmpty } }

    /// These are the subscribers now.
    func setSubscribers(_ centrals: [CBCentral]) { offer.withLock { $0.subscribers = centrals } }
}
