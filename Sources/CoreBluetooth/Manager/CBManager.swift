import EventLoops

/// What managers have in common: whether Bluetooth can be used, and whether the program may use it (contract D3).
///
/// Programs make a ``CBPeripheralManager``. All members may be used from any thread.
open class CBManager: NSObject {
    private let told = Locked(CBManagerState.unknown)
    /// What the process has been told, by whichever manager it heard of it first.
    private static let permission = Locked(CBManagerAuthorization.allowedAlways)

    /// - Parameter state: The first one.
    init(state: CBManagerState) {
        super.init()
        learn(state)
    }

    /// Whether Bluetooth can be used. It changes on the delivery queue, right before the call of the delegate that tells of it (contract A26).
    open var state: CBManagerState { told.withLock { $0 } }

    /// Whether the program may use Bluetooth: `allowedAlways`, from the first moment, unless the system has refused it (contract D2).
    open class var authorization: CBManagerAuthorization { permission.withLock { $0 } }

    /// The same as ``authorization-swift.type.property`` (contract D3).
    open var authorization: CBManagerAuthorization { Self.authorization }

    /// The state is now this.
    func learn(_ state: CBManagerState) {
        told.withLock { $0 = state }
        Self.permission.withLock { $0 = $0.after(state) }
    }
}

extension CBManagerAuthorization {
    /// What it is once a manager has this state.
    func after(_ state: CBManagerState) -> Self {
        switch state {
        case .unauthorized: .denied
        case .unsupported, .poweredOff, .poweredOn: .allowedAlways
        case .unknown, .resetting: self  // nobody has been asked
        }
    }
}
