import EventLoops

/// Publishes services, advertises them, and serves centrals.
open class CBPeripheralManager: CBManager {
    private struct Reference {
        weak var delegate: (any CBPeripheralManagerDelegate)?
    }

    private let reference = Locked(Reference())

    /// Makes a manager that calls its delegate on the main queue.
    public convenience init() { self.init(delegate: nil, queue: nil) }

    /// Makes a manager.
    public convenience init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?) {
        self.init(delegate: delegate, queue: queue, options: nil)
    }

    /// Makes a manager.
    public init(delegate: (any CBPeripheralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
        super.init(state: .unknown)
        self.delegate = delegate
    }

    /// Hears of everything.
    open var delegate: (any CBPeripheralManagerDelegate)? {
        get { reference.withLock { $0.delegate } }
        set { reference.withLock { $0.delegate = newValue } }
    }

    /// Whether it advertises.
    open var isAdvertising: Bool { false }

    /// Advertises.
    open func startAdvertising(_ advertisementData: [String: Any]?) {}

    /// Advertises no more.
    open func stopAdvertising() {}

    /// Publishes a service.
    open func add(_ service: CBMutableService) {}

    /// Takes a service back.
    open func remove(_ service: CBMutableService) {}

    /// Takes all services back.
    open func removeAllServices() {}

    /// Answers a request.
    open func respond(to request: CBATTRequest, withResult result: CBATTError.Code) {}

    /// Sends a value.
    @discardableResult
    open func updateValue(_ value: Data, for characteristic: CBMutableCharacteristic, onSubscribedCentrals centrals: [CBCentral]?) -> Bool { true }

    /// Asks for a faster or slower link.
    open func setDesiredConnectionLatency(_ latency: CBPeripheralManagerConnectionLatency, for central: CBCentral) {}

    /// Opens a listener.
    open func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {}

    /// Closes a listener.
    open func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {}
}
