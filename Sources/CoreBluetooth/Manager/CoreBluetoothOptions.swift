public import BlueZ
import EventLoops
public import GATT
public import Logs

/// What a ``CBPeripheralManager`` works with on Linux, for programs that want something else than the defaults.
///
/// ```swift
/// CoreBluetoothOptions.standard.adapter = .name("hci1")
/// let manager = CBPeripheralManager(delegate: self, queue: nil)
/// ```
public struct CoreBluetoothOptions: Sendable {
    /// Which Bluetooth adapter to use; the environment variable `FLICKIT_ADAPTER` (a name such as `hci1`, or an address), or the first
    /// one that is powered on, if nil.
    public var adapter: AdapterChoice?

    /// How centrals are reached, in place of the system's bluetoothd. It serves one manager.
    public var peripheral: (any Peripheral)?

    /// A directory in which managers with a restore identifier keep what they have published and advertise, so that the next run of the program
    /// begins with it (contract D120). Nil, unless told otherwise: nothing is kept, as Linux does not start programs again.
    public var stateDirectory: URL?

    /// Where remarks go, from any thread: to standard error, as the environment variable `FLICKIT_LOG` says (problems if it is not set),
    /// unless told otherwise. `LogArea` tells how they read.
    public var log: @Sendable (LogLevel, String) -> Void = StandardLog.write

    /// The defaults.
    public init() {}

    private static let current = Locked(CoreBluetoothOptions())

    /// What new managers use.
    public static var standard: CoreBluetoothOptions {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// What a new manager stands on.
    func makePeripheral() -> any Peripheral {
        if let peripheral { return peripheral }
        return BlueZPeripheral(session: BlueZSession(adapter: adapter ?? .fromEnvironment) { [log] in log(.debug, LogArea.bluez.remark($0)) })
    }
}
