public import EventLoops
public import GATT
import Glibc

/// A peripheral that has a virtual controller to itself: what a real button is for the machine under test. Nothing that happens to the kernel, to
/// bluetoothd or to the bus touches it.
///
/// It is a whole host: commands to the controller, and a server for the attribute protocol. One central at a time has its link.
public actor RadioPeripheral: Peripheral {
    /// What happens on the link, for those who wait for a moment.
    public enum Notice: Sendable, Equatable {
        /// A central has made the link.
        case linked
        /// It has switched the notifications of a characteristic on.
        case subscribed
        /// It has written a value.
        case written
        /// The link has ended, for the reason of volume 1, part F of the specification.
        case unlinked(reason: UInt8)
    }

    /// Since when packets to the central are kept.
    public enum Hold: Sendable {
        /// None are.
        case none
        /// From the next link on.
        case fromLink
        /// From the next value that the central writes on.
        case fromWrite
    }

    /// The loop of the socket.
    public nonisolated let loop: any EventLoop
    /// The actor runs on the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// Under which the peripheral is on the air.
    public private(set) var address: BluetoothAddress?

    private let path: String
    private let queue: DispatchLoop
    private let noticed: @Sendable (Notice) -> Void
    private var socket: PacketSocket?
    private var handler: (@Sendable (PeripheralEvent) -> Void)?

    private var services: [(id: PublicationID, services: [LocalService])] = []
    private var base: UInt16 = 16
    private let tellsChanges: Bool
    private var server: AttributeServer
    private var advertisements: [(id: AdvertisementID, content: LocalAdvertisement)] = []
    private var isAdvertising = false
    private var lastNumber: UInt64 = 0

    private var link: (handle: UInt16, central: BluetoothAddress)?
    private var hold = Hold.none
    private var isHolding = false
    private var waiting: [[UInt8]] = []
    /// Packets that the controller has not sent yet.
    private var onTheWay = 0

    /// Packets that the controller takes at a time.
    private static let mostOnTheWay = 16
    /// Packets that wait; with more the oldest are dropped.
    private static let mostWaiting = 1024

    /// - Parameters:
    ///   - path: The socket of the virtual radio.
    ///   - tellsChanges: Whether centrals can be told that handles have changed.
    ///   - noticed: Hears what happens on the link, on the loop.
    public init(path: String, loop: DispatchLoop, tellsChanges: Bool, noticed: @escaping @Sendable (Notice) -> Void) {
        self.path = path
        self.loop = loop
        queue = loop
        self.tellsChanges = tellsChanges
        self.noticed = noticed
        server = AttributeServer(AttributeTable([], base: 16, tellsChanges: tellsChanges))
    }

    /// Connects to the radio and says `poweredOn` once the address is known, or `unsupported` if there is no radio.
    public func start(_ handler: @escaping @Sendable (PeripheralEvent) -> Void) {
        self.handler = handler
        guard socket == nil else { return }
        guard let descriptor = Self.connect(path) else {
            loop.execute { handler(.state(.unsupported(.missing))) }
            return
        }
        socket = PacketSocket(
            descriptor,
            largestPacket: 512,
            on: queue,
            received: { [weak self] packet in self?.assumeIsolated { $0.receive(packet) } },
            ended: { [weak self] in self?.assumeIsolated { $0.handler?(.state(.unsupported(.missing))) } }
        )
        for command in [HCI.reset, HCI.readAddress] { say(command) }
    }

    private static func connect(_ path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        if result == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    // MARK: What the tests do

    /// Whether a central has the link.
    public var isLinked: Bool { link != nil }

    /// Keeps packets to the central from a moment on, or lets go those that were kept.
    public func hold(_ hold: Hold) {
        self.hold = hold
        if case .none = hold {
            isHolding = false
            sendWaiting()
        }
    }

    /// Ends the link as a button does that does not want it any more.
    public func hangUp() {
        if let link { say(HCI.disconnect(link.handle)) }
    }

    /// Moves the services by so many handles, and in the end back. A central that listens for it is told.
    public func move(by distance: UInt16) {
        base = 16 + (base - 16 + distance) % 64
        if let indication = server.replace(table) { send(indication) }
    }

    // MARK: Publishing

    private var table: AttributeTable { AttributeTable(services.flatMap(\.services), base: base, tellsChanges: tellsChanges) }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Adds services to the table. Centrals that listen for it are told.
    public func publish(_ services: [LocalService], completion: @escaping @Sendable (PeripheralError?) -> Void) -> PublicationID {
        let id = PublicationID(nextNumber())
        self.services.append((id, services))
        if let indication = server.replace(table) { send(indication) }
        loop.execute { completion(nil) }
        return id
    }

    /// Takes services out of the table.
    public func unpublish(_ id: PublicationID) {
        services.removeAll { $0.id == id }
        if let indication = server.replace(table) { send(indication) }
    }

    /// Advertises whenever there is no link.
    public func advertise(_ advertisement: LocalAdvertisement, completion: @escaping @Sendable (PeripheralError?) -> Void) -> AdvertisementID {
        let id = AdvertisementID(nextNumber())
        advertisements.append((id, advertisement))
        refreshAdvertising()
        loop.execute { completion(nil) }
        return id
    }

    /// Stops an advertisement; the one before it is on the air again.
    public func stopAdvertising(_ id: AdvertisementID) {
        advertisements.removeAll { $0.id == id }
        refreshAdvertising()
    }

    /// The newest one is on the air, and none while there is a link.
    private func refreshAdvertising() {
        if isAdvertising { say(HCI.stopAdvertising) }
        isAdvertising = false
        guard link == nil, let content = advertisements.last?.content else { return }
        isAdvertising = true
        for command in HCI.advertise(content) { say(command) }
    }

    // MARK: Values

    /// Notifies the central, if it has switched that on.
    public func update(_ value: [UInt8], of characteristic: AttributeID) {
        if let packet = server.notification(value, of: characteristic) { send(packet) }
    }

    /// Calls back at once: nothing is held back but on purpose.
    public func flushUpdates(_ completion: @escaping @Sendable () -> Void) { loop.execute(completion) }

    /// Without effect: everything is answered already.
    public func respond(to request: RequestID, with answer: Result<[UInt8], ATTError>) {}

    /// Ends the link to a central.
    public func disconnect(_ central: BluetoothAddress) {
        if link?.central == central { hangUp() }
    }

    private func send(_ packet: [UInt8]) {
        guard link != nil else { return }
        waiting.append(packet)
        if waiting.count > Self.mostWaiting { waiting.removeFirst() }
        sendWaiting()
    }

    private func sendWaiting() {
        guard let link, !isHolding else { return }
        while onTheWay < Self.mostOnTheWay, !waiting.isEmpty {
            onTheWay += 1
            say(HCI.attribute(link.handle, waiting.removeFirst()))
        }
    }

    private func say(_ packet: [UInt8]) { _ = socket?.send(packet) }

    // MARK: From the controller

    private func receive(_ packet: [UInt8]) {
        switch HCI.event(packet) {
        case .address(let address):
            self.address = address
            handler?(.state(.poweredOn))
        case .linked(let handle, let central):
            begin(handle, central)
        case .unlinked(let handle, let reason):
            guard let link, link.handle == handle else { return }
            end(link.central, reason)
        case .sent(let count):
            onTheWay = max(onTheWay - count, 0)
            sendWaiting()
        case .attribute(let handle, let bytes):
            guard link?.handle == handle else { return }
            for action in server.receive(bytes) { follow(action) }
        case .other: break
        }
    }

    private func begin(_ handle: UInt16, _ central: BluetoothAddress) {
        link = (handle, central)
        isAdvertising = false  // the controller has ended it
        server.begin()
        waiting = []
        onTheWay = 0
        if case .fromLink = hold { isHolding = true }
        noticed(.linked)
        handler?(.connected(central))
    }

    private func end(_ central: BluetoothAddress, _ reason: UInt8) {
        link = nil
        waiting = []
        isHolding = false
        server.begin()
        noticed(.unlinked(reason: reason))
        handler?(.disconnected(central))
        refreshAdvertising()
    }

    private func follow(_ action: AttributeServer.Action) {
        guard let central = link?.central else { return }
        switch action {
        case .send(let packet): send(packet)
        case .written(let id, let value):
            if case .fromWrite = hold { isHolding = true }
            noticed(.written)
            handler?(.write(RequestID(nextNumber()), id, value: value, offset: 0, RemoteCentral(address: central, mtu: server.mtu)))
        case .switched(let id, isOn: true):
            noticed(.subscribed)
            handler?(.subscribed(id, RemoteCentral(address: central, mtu: server.mtu)))
        case .switched(let id, isOn: false):
            handler?(.allUnsubscribed(id))
        }
    }
}
