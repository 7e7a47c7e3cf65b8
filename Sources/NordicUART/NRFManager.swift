import EventLoops
import Logs
import UART

/// Finds a device with the Nordic UART Service, keeps connected to it, and passes bytes and text both ways: NRFManager of nRF8001-Swift for Linux.
///
/// ```swift
/// import NordicUART
///
/// let manager = NRFManager(
///     onConnect: { print("connected") },
///     onDisconnect: { print("disconnected") },
///     onData: { data, string in print(string ?? "no text") },
///     autoConnect: false
/// )
/// manager.connect("Weather")
/// dispatchMain()
/// ```
///
/// All closures and methods of the delegate are called on the main queue, the closure first, and never from inside a method or an initializer. The program
/// has to keep the main queue going: with `dispatchMain()`, with `RunLoop.main.run()`, or with an `async` main function that awaits something.
///
/// All members may be used from any thread, and none of them blocks. The delegate is held strongly, as in the original (contract C8): one that owns its manager
/// makes a cycle, which ends when either lets go of the other.
///
/// A link is bluetoothd's, and outlives the program: one that ends without ``disconnect()``, and without waiting for the disconnection to be told, about 2 s,
/// leaves the device connected, so that nobody else can find it.
///
/// What differs from the original are its flaws (contract C20 to C37): "" means any device, a name is remembered when the link is lost, searching ends when a
/// device is found, a device without a name or with other services is none that crashes, all bytes of a text are sent, whatever fits into a packet.
open class NRFManager: NSObject {
    let client: UARTClient
    let records: Locked<ManagerRecords>
    /// Serial.
    let queue: DispatchQueue
    let remark: @Sendable (LogLevel, String) -> Void
    private var following: Task<Void, Never>?

    /// Makes a manager. It never fails; without Bluetooth it stays disconnected.
    ///
    /// - Parameters:
    ///   - delegate: Hears of everything. Held strongly.
    ///   - connectionCallback: Called when a device is connected.
    ///   - disconnectionCallback: Called when a connection has ended.
    ///   - dataCallback: Called with each packet, and the same as text where it is valid UTF-8.
    ///   - autoConnect: Whether any device is searched for as soon as Bluetooth is on; see ``autoConnect``.
    public init(
        delegate: (any NRFManagerDelegate)? = nil,
        onConnect connectionCallback: (() -> Void)? = nil,
        onDisconnect disconnectionCallback: (() -> Void)? = nil,
        onData dataCallback: ((_ data: Data?, _ string: String?) -> Void)? = nil,
        autoConnect: Bool = true
    ) {
        let standard = NordicUARTOptions.standard
        client = UARTClient(central: standard.makeCentral())
        queue = standard.queue
        remark = { [log = standard.log] level, text in log(level, LogArea.uart.remark(text)) }
        records = Locked(
            ManagerRecords(
                delegate: delegate,
                connectionCallback: connectionCallback,
                disconnectionCallback: disconnectionCallback,
                dataCallback: dataCallback,
                autoConnect: autoConnect
            )
        )
        super.init()
        following = follow()
        call { client in
            client.setKeepsConnected(autoConnect)
            client.start()
            if autoConnect { client.resume() }
        }
    }

    deinit {
        following?.cancel()
        call { $0.disconnect() }
    }

    private static let shared = Locked<NRFManager?>(nil)

    /// One manager for all: made on first use, with autoConnect and without a delegate (contract C5).
    open class var sharedInstance: NRFManager {
        shared.withLock { shared in
            let manager = shared ?? NRFManager()
            shared = manager
            return manager
        }
    }

    // MARK: Properties

    /// Whether lines that begin with "NRFManager: " tell on standard output what happens (contract C6).
    open var verbose: Bool {
        get { records.withLock { $0.verbose } }
        set { records.withLock { $0.verbose = newValue } }
    }

    /// Whether a search begins by itself: when Bluetooth is on, after a connection has ended, and when this is switched on. It is for the device that was
    /// named last, or for any after ``disconnect()`` (contract C7, C21, C33).
    open var autoConnect: Bool {
        get { records.withLock { $0.autoConnect } }
        set {
            let begins = records.withLock { records in
                records.autoConnect = newValue
                call { $0.setKeepsConnected(newValue) }
                return newValue && records.status == .disconnected
            }
            if begins { call { $0.resume() } }
        }
    }

    /// Hears of everything; the object that is the delegate at the time of an event gets it. Held strongly (contract C8).
    open var delegate: (any NRFManagerDelegate)? {
        get { records.withLock { $0.delegate } }
        set { records.withLock { $0.delegate = newValue } }
    }

    /// Called when a device is connected.
    open var connectionCallback: (() -> Void)? {
        get { records.withLock { $0.connectionCallback } }
        set { records.withLock { $0.connectionCallback = newValue } }
    }

    /// Called when a connection has ended.
    open var disconnectionCallback: (() -> Void)? {
        get { records.withLock { $0.disconnectionCallback } }
        set { records.withLock { $0.disconnectionCallback = newValue } }
    }

    /// Called with each packet, and the same as text where it is valid UTF-8 (contract C28).
    open var dataCallback: ((_ data: Data?, _ string: String?) -> Void)? {
        get { records.withLock { $0.dataCallback } }
        set { records.withLock { $0.dataCallback = newValue } }
    }

    /// How the device is used: ``ConnectionMode/uart`` while one is connected (contract C1).
    open var connectionMode: ConnectionMode { connectionStatus == .connected ? .uart : .none }

    /// How far the connection is (contract C2, C24).
    open internal(set) var connectionStatus: ConnectionStatus {
        get { records.withLock { $0.status } }
        set { records.withLock { $0.status = newValue } }
    }

    /// The name of the connected device; "" if it has none, or there is no connection (contract C11).
    public func showName() -> String { records.withLock { $0.connection?.name ?? "" } }

    // MARK: Connecting

    /// Searches for a device and connects to it, as soon as Bluetooth is on and it is there. Without effect while a device is connected (contract C35).
    ///
    /// - Parameter arduinoName: Its name, exactly; "" for any device that has the service (contract C20). Remembered until the next call, or ``disconnect()``.
    public func connect(_ arduinoName: String) {
        guard connectionStatus != .connected else { return log("Asked to connect, but connected already.") }
        call { $0.connect(to: UARTChoice(name: arduinoName)) }
    }

    /// Ends the connection, or the search for one. After a connection a new search begins, for any device, if ``autoConnect`` is on (contract C33, C34).
    public func disconnect() {
        let status = records.withLock { records in
            records.isDisconnecting = records.status == .connected
            return records.status
        }
        switch status {
        case .disconnected: log("Asked to disconnect, but there is no connection.")
        case .scanning: log("The search ends.")
        case .connected: log("Disconnecting.")
        }
        call { $0.disconnect() }
    }

    // MARK: Writing

    /// Sends text as UTF-8, all its bytes (contract C29).
    ///
    /// - Returns: See ``writeData(_:)``.
    public func writeString(_ string: String) -> Bool { write(Array(string.utf8)) }

    /// Sends bytes, after those of earlier calls, in as many packets as it takes (contract C30). No data are no packet.
    ///
    /// - Returns: Whether a device is connected and the data are queued. False also if more than 1 MiB, or 1024 calls, wait to be sent.
    public func writeData(_ data: Data) -> Bool { write(Array(data)) }
}
