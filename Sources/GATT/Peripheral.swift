public import EventLoops

/// A transport in the peripheral's role: it publishes services, advertises, and serves centrals.
///
/// An actor on its ``loop``, used like a ``Central``: without suspension from actors on the same loop; handlers are called on the
/// loop and never from inside the call that sets them.
public protocol Peripheral: Actor {
    /// The loop on which the peripheral runs and calls its handlers.
    nonisolated var loop: any EventLoop { get }

    /// The address under which the peripheral is on the air; nil as long as there is no adapter.
    var address: BluetoothAddress? { get }

    /// Starts the peripheral. Its first state is told through `handler`; calling again replaces the handler and tells the state anew.
    func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void)

    /// Publishes services together. `completion` is called once; the services stay until unpublished, through power cycles and
    /// restarts of the Bluetooth service.
    func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID

    /// Takes services back.
    func unpublish(_ id: PublicationID)

    /// Advertises until stopped, through power cycles and restarts of the Bluetooth service. `completion` is called once.
    func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID

    /// Stops an advertisement.
    func stopAdvertising(_ id: AdvertisementID)

    /// Sends a notification, or an indication, to all subscribers, in the order of the calls.
    func update(_ value: [UInt8], of characteristic: AttributeID)

    /// Calls back once the Bluetooth service has taken all updates so far, or has gone: for those who send more than the radio can.
    func flushUpdates(_ completion: @escaping @Sendable () -> Void)

    /// Answers a request, once; later answers are dropped, and so are those that come too late (``PeripheralEvent/expired(_:)``). A read gets
    /// bytes, from its offset on, and a write an empty answer.
    func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>)

    /// Ends the link to a central.
    func disconnect(_ central: BluetoothAddress)
}

/// Names something published.
public struct PublicationID: Hashable, Sendable {
    private let number: UInt64

    /// - Parameter number: Unique within the peripheral.
    public init(_ number: UInt64) { self.number = number }
}

/// Names an advertisement.
public struct AdvertisementID: Hashable, Sendable {
    private let number: UInt64

    /// - Parameter number: Unique within the peripheral.
    public init(_ number: UInt64) { self.number = number }
}

/// Names a request that waits for its answer.
public struct RequestID: Hashable, Sendable {
    private let number: UInt64

    /// - Parameter number: Unique within the peripheral.
    public init(_ number: UInt64) { self.number = number }
}

/// Names a characteristic or descriptor. Chosen by whoever publishes it, unique within the peripheral.
public struct AttributeID: Hashable, Sendable {
    private let number: UInt64

    /// - Parameter number: Unique within the peripheral.
    public init(_ number: UInt64) { self.number = number }
}

/// A service to be published.
public struct LocalService: Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Primary or secondary.
    public var isPrimary: Bool
    /// Services that it includes, by their positions in the same publication, where they come before it.
    public var includes: [Int]
    /// Its characteristics.
    public var characteristics: [LocalCharacteristic]

    /// Makes a service.
    public init(uuid: BluetoothUUID, isPrimary: Bool = true, includes: [Int] = [], characteristics: [LocalCharacteristic]) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
    }
}

/// A characteristic to be published.
public struct LocalCharacteristic: Sendable {
    /// What can be done with it.
    public enum Flag: String, Hashable, Sendable {
        /// It can be read.
        case read
        /// It can be written, and the central is told how that went.
        case write
        /// Subscribed centrals are sent its updates.
        case notify
        /// Subscribed centrals are sent its updates, and acknowledge each.
        case indicate
        /// Of a long write bluetoothd asks, too, whether its pieces may be kept until it is executed; that is always allowed (contract D63).
        case authorize
        /// It can be written without an answer.
        case writeWithoutResponse = "write-without-response"
        /// It can be read over an encrypted link only.
        case encryptRead = "encrypt-read"
        /// It can be written over an encrypted link only.
        case encryptWrite = "encrypt-write"
        /// Notifications can be switched on over an encrypted link only.
        case encryptNotify = "encrypt-notify"
        /// Indications can be switched on over an encrypted link only.
        case encryptIndicate = "encrypt-indicate"
        /// It can be written with a signature instead of an encrypted link.
        case authenticatedSignedWrites = "authenticated-signed-writes"
    }

    /// What an attribute can hold (Bluetooth Core, Vol 3, Part F, 3.2.9), in bytes.
    package static let longestValue = 512

    /// Its name in requests and updates.
    public var id: AttributeID
    /// What it is.
    public var uuid: BluetoothUUID
    /// What can be done with it; at least one flag.
    public var flags: Set<Flag>
    /// A value that never changes and is served without asking; nil if reads are asked for.
    public var value: [UInt8]?
    /// Its descriptors, each with a value that never changes.
    public var descriptors: [(uuid: BluetoothUUID, value: [UInt8])]

    /// Makes a characteristic.
    public init(
        id: AttributeID,
        uuid: BluetoothUUID,
        flags: Set<Flag>,
        value: [UInt8]? = nil,
        descriptors: [(uuid: BluetoothUUID, value: [UInt8])] = []
    ) {
        self.id = id
        self.uuid = uuid
        self.flags = flags
        self.value = value
        self.descriptors = descriptors
    }
}

/// What to advertise. What does not fit into 31 + 31 bytes is refused.
public struct LocalAdvertisement: Equatable, Sendable {
    /// Whether centrals may connect.
    public var isConnectable = true
    /// Local name, if any.
    public var name: String?
    /// Services, if any.
    public var services: [BluetoothUUID] = []
    /// Manufacturer data by company number.
    public var manufacturerData: [UInt16: [UInt8]] = [:]
    /// Time between two advertisements, if the system lets us choose.
    public var interval: ClosedRange<Duration>?

    /// Flags only.
    public init() {}
}

/// A central that has something to do with us.
public struct RemoteCentral: Hashable, Sendable {
    /// Who it is.
    public var address: BluetoothAddress
    /// ATT MTU of the link; 23 where the transport does not say.
    public var mtu: Int

    /// Makes a description.
    public init(address: BluetoothAddress, mtu: Int) {
        self.address = address
        self.mtu = mtu
    }
}

/// What a peripheral tells.
public enum PeripheralEvent: Sendable {
    /// The state is now this.
    case state(CentralState)
    /// A central reads; answer with the bytes from `offset` on. If the answer fills a packet and the central reads on, the transport may go on
    /// by itself with what it was given (contract D61).
    case read(RequestID, AttributeID, offset: Int, RemoteCentral)
    /// A central writes.
    case write(RequestID, AttributeID, value: [UInt8], offset: Int, RemoteCentral)
    /// The transport has answered a request by itself, because the program took too long (contract D65) or what was asked is not published any
    /// more: an answer of the program comes too late.
    case expired(RequestID)
    /// A central switched notifications on; again if it was on already. A bonded central that returns has kept it on (contract D86).
    case subscribed(AttributeID, RemoteCentral)
    /// The last central switched notifications off.
    case allUnsubscribed(AttributeID)
    /// A central made a link, or this system made one to it; which of them, not every transport can tell.
    case connected(BluetoothAddress)
    /// The link of a central ended, and its subscriptions with it.
    case disconnected(BluetoothAddress)
}

/// Errors of the attribute protocol (Bluetooth Core, Vol 3, Part F, 3.4.1.1) that a program can answer with.
public enum ATTError: Error, Hashable, Sendable {
    /// It cannot be read.
    case readNotPermitted
    /// It cannot be written.
    case writeNotPermitted
    /// The offset is behind the end of the value.
    case invalidOffset
    /// Nobody answers such requests.
    case requestNotSupported
    /// The central may not.
    case insufficientAuthorization
    /// The value is too long or too short.
    case invalidValueLength
    /// The same is being done already.
    case procedureInProgress
    /// What it depends on is not set up, such as notifications.
    case improperlyConfigured
    /// Something else went wrong.
    case unlikely
    /// An error of the service's own, 0x80 to 0x9F.
    case application(UInt8)
}

/// Why something could not be published or advertised.
public struct PeripheralError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Hashable, Sendable {
        /// The peripheral is not powered on.
        case notPoweredOn
        /// What was to be published or advertised makes no sense, or does not fit.
        case invalid
        /// The adapter can hold no more advertisements.
        case limitReached
        /// The system refuses.
        case denied
        /// It was taken back before it was there.
        case withdrawn
        /// Any other failure.
        case failed
    }

    /// What went wrong.
    public let code: Code
    /// The transport's own words, for logs.
    public let detail: String

    /// Makes an error.
    public init(_ code: Code, detail: String = "") {
        self.code = code
        self.detail = detail
    }

    /// For logs.
    public var description: String { detail.isEmpty ? "\(code)" : "\(code): \(detail)" }
}
