public import BlueZ
import EventLoops
public import GATT
public import Logs

/// What an ``NRFManager`` works with on Linux, for programs that want something else than the defaults.
///
/// ```swift
/// NordicUARTOptions.standard.adapter = .name("hci1")
/// let manager = NRFManager(delegate: self)
/// ```
public struct NordicUARTOptions: Sendable {
    /// Which Bluetooth adapter to use; the environment variable `FLICKIT_ADAPTER` (a name such as `hci1`, or an address), or the first
    /// one that is powered on, if nil.
    public var adapter: AdapterChoice?

    /// How devices are reached, in place of the system's bluetoothd. It serves one manager.
    public var central: (any Central)?

    /// Where remarks go, from any thread: to standard error, as the environment variable `FLICKIT_LOG` says (problems if it is not set),
    /// unless told otherwise. `LogArea` tells how they read.
    public var log: @Sendable (LogLevel, String) -> Void = StandardLog.write

    /// Where programs are called. Serial.
    var queue = DispatchQueue.main

    /// The defaults.
    public init() {}

    private static let current = Locked(NordicUARTOptions())

    /// What new managers use.
    public static var standard: NordicUARTOptions {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// What a new manager stands on.
    func makeCentral() -> any Central {
        if let central { return central }
        return BlueZCentral(session: BlueZSession(adapter: adapter ?? .fromEnvironment) { [log] in log(.debug, LogArea.bluez.remark($0)) })
    }
}
