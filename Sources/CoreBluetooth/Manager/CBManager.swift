import EventLoops

/// What managers have in common: whether Bluetooth can be used, and whether the program may use it (contract D3).
///
/// Programs make a ``CBPeripheralManager``. All members may be used from any thread.
open class CBManager: NSObject {
    private let told = Locked(CBManagerState.unknown)
    private static let refusal = Locked(false)

    /// - Parameter state: The first one.
    init(state: CBManagerState) {
        super.init()
        learn(state)
    }

    /// Whether Bluetooth can be used. It changes on the delivery queue, right before the call of the delegate that tells of it (contract A26).
    open var state: CBManagerState { told.withLock { $0 } }

    /// Whether the program may use Bluetooth: `allowedAlways`, from the first moment, unless the system has refused it (contract D2).
    open class var authorization: CBManagerAuthorization { refusal.withLock { $0 } ? .denied : .allowedAlways }

    /// The same as ``authorization-swift.type.property``.
    open var authorization: CBManagerAuthorization { Self.authorization }

    /// The state is now this.
    func learn(_ state: CBManagerState) {
        told.withLock { $0 = state }
        switch state {
        case .unauthorized: Self.refusal.withLock { $0 = true }
        case .unsupported, .poweredOff, .poweredOn: Self.refusal.withLock { $0 = false }
        case .unknown, .resetting: break  // nobody has been asked
        }
    }
}
