public import BlueZ
public import FlicClient
public import GATT

/// What a ``FLICManager`` works with on Linux, for programs that want something else than the defaults.
///
/// ```swift
/// var options = FLICOptions()
/// options.applicationName = "doorbell"
/// FLICManager.configure(with: self, buttonDelegate: self, background: true, options: options)
/// ```
public struct FLICOptions: Sendable {
    /// Names the directory in which paired buttons are kept, below `$XDG_STATE_HOME` or `~/.local/state`; the environment variable
    /// `FLICKIT_APPLICATION`, or the name of the executable, if nil.
    public var applicationName: String?

    /// The directory in which paired buttons are kept, in place of one named after the application.
    public var storeDirectory: URL?

    /// Where paired buttons are kept, in place of a directory.
    public var store: (any PairingStore)?

    /// How buttons are reached, in place of the system's bluetoothd.
    public var central: (any Central)?

    /// Which Bluetooth adapter to use; the environment variable `FLICKIT_ADAPTER` (a name such as `hci1`, or an address), or the first
    /// one that is powered on, if nil (contract B.7).
    public var adapter: AdapterChoice?

    /// What becomes of presses that were made while a button was not connected: everything is delivered unless told otherwise.
    public var queuePolicy = QueuePolicy.all

    /// Where remarks go, from any thread: to standard error, as the environment variable `FLICKIT_LOG` says (problems if it is not set),
    /// unless told otherwise. `LogArea` tells how they read.
    public var log: @Sendable (LogLevel, String) -> Void = StandardLog.write

    private let trustedTestRoot: [UInt8]?

    /// The defaults. Only the vendor's buttons are trusted.
    public init() {
        trustedTestRoot = nil
    }

    /// Trusts buttons certified by a test root **instead of** the vendor's: simulated ones. Never do this in a product.
    ///
    /// - Parameter trustingTestRoot: Ed25519 public key, 32 bytes.
    public init(trustingTestRoot: [UInt8]) {
        trustedTestRoot = trustingTestRoot
    }

    private static let current = Locked(FLICOptions())

    /// What ``FLICManager/configure(with:buttonDelegate:background:)`` uses. Set it before that call.
    public static var standard: FLICOptions {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// A hub with these options. Never fails: what is wrong shows in the manager's state (contract B25).
    package func makeFlic() -> Flic {
        let central = central ?? bluez
        let store = store ?? fileStore
        var configuration =
            trustedTestRoot.map { FlicConfiguration(central: central, store: store, trustingTestRoot: $0) }
            ?? FlicConfiguration(central: central, store: store)
        configuration.log = log
        configuration.tellsEveryMode = true
        configuration.queuePolicy = queuePolicy
        return Flic(configuration)
    }

    private var bluez: any Central {
        BlueZCentral(session: BlueZSession(adapter: adapter ?? .fromEnvironment) { [log] in log(.debug, LogArea.bluez.remark($0)) })
    }

    private var fileStore: any PairingStore {
        do throws(PairingStoreError) {
            let directory = if let storeDirectory { storeDirectory } else { try FileStore.defaultDirectory(application: applicationName) }
            return FileStore(directory: directory, log: log)
        } catch {
            return MissingStore(error: error)
        }
    }
}

/// Stands for a store for which there is no place.
private struct MissingStore: PairingStore {
    let error: PairingStoreError

    func lock() async throws(PairingStoreError) { throw error }
    func load() async throws(PairingStoreError) -> [ButtonRecord] { throw error }
    func save(_ records: [ButtonRecord]) async throws(PairingStoreError) { throw error }
}
