import FlicProtocol
public import FoundationEssentials
public import GATT
public import Logs

/// What a ``Flic`` works with.
public struct FlicConfiguration: Sendable {
    /// How it reaches buttons.
    public var central: any Central
    /// Where it keeps pairings.
    public var store: any PairingStore
    /// Distinguishes this machine in the identifiers of buttons; the machine id of the system unless told otherwise.
    public var machineIdentity: String
    /// Now, for the time of renames and battery samples.
    public var date: @Sendable () -> Date = { Date() }
    /// How presses become clicks, unless the button has rules of its own.
    public var clickRules = ClickRules.standard(.clickAndHold)
    /// What becomes of presses that were made while a button was not connected, unless the button has a policy of its own.
    public var queuePolicy = QueuePolicy.all
    /// Whether each press is also told as what it is in every trigger mode (``ButtonNotice/pressInMode(_:)``).
    public var tellsEveryMode = false
    /// After how long without activity buttons close their link, unless ``FlicButton/setAutoDisconnectTime(_:)`` says otherwise: 40 to
    /// 510 s, others being taken as the nearest possible; nil: never (protocol 9.6).
    public var autoDisconnectTime: Duration?
    /// How buttons advertise after a lost link, unless ``FlicButton/setReadvertising(_:)`` says otherwise (protocol 9.5).
    public var readvertising = ReadvertisingMode.sparing
    /// Where remarks go: to standard error, as `FLICKIT_LOG` says, unless told otherwise. ``LogArea`` tells how they read.
    public var log: @Sendable (LogLevel, String) -> Void = StandardLog.write
    /// Records everything that happens, for a report of a problem.
    public var recorder: TraceRecorder?

    let roots: TrustedRoots

    /// Trusts the vendor's buttons only.
    public init(central: any Central, store: any PairingStore) {
        self.init(central: central, store: store, roots: TrustedRoots())
    }

    /// Trusts buttons certified by a test root **instead of** the vendor's: simulated ones. Never do this in a product.
    ///
    /// - Parameters:
    ///   - central: The transport: here, one of simulated buttons.
    ///   - store: Where pairings are kept.
    ///   - trustingTestRoot: Ed25519 public key, 32 bytes.
    public init(central: any Central, store: any PairingStore, trustingTestRoot: [UInt8]) {
        self.init(central: central, store: store, roots: TrustedRoots(test: trustingTestRoot))
    }

    private init(central: any Central, store: any PairingStore, roots: TrustedRoots) {
        self.central = central
        self.store = store
        self.roots = roots
        machineIdentity = ButtonIdentifier.systemMachineIdentity
    }

    /// Now, in seconds of Unix time.
    var unixTime: @Sendable () -> UInt64 {
        { [date] in UInt64(max(0, date().timeIntervalSince1970)) }
    }

    /// What sessions ask for.
    var sessionSettings: SessionSettings {
        var settings = SessionSettings()
        settings.autoDisconnectTime = AutoDisconnectTime(autoDisconnectTime).seconds
        settings.advertising = readvertising.settings
        return settings
    }
}
