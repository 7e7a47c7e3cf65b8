import DBus
import EventLoops
import GATT

/// A link to a device, step by step.
///
/// ```
/// connecting ──Connect ok──▶ resolving ──ServicesResolved──▶ subscribing ──StartNotify ok──▶ ready
///     │ abort-by-local: again after Connected is false           │                              │
///     └──────────────────────┴── time-out, failure, Connected false, device removed ────────────┴──▶ closed
///                                                     close(): closing ──StopNotify, Disconnect──▶ closed
/// ```
struct BlueZLink {
    enum Stage: Equatable {
        /// The device object is waited for.
        case searching
        /// Device1.Connect is under way, or about to be called again.
        case connecting
        /// The link is up; ServicesResolved is waited for.
        case resolving
        /// So many answers are waited for: to StartNotify, or what gives a socket, for each characteristic, and that about the MTU.
        case subscribing(left: Int)
        case ready
        case closing
    }

    /// How long services may take (contract B.8).
    static let resolveTime = Duration.seconds(10)
    /// How long a service that is missing from a resolved device may come late.
    static let staleTime = Duration.seconds(8)
    /// How often a Connect that bluetoothd aborted by itself is repeated (hbldh/bleak#993, bluez/bluez#615).
    static let mostAborts = 5
    /// Between such an abort and the next Connect.
    static let abortPause = Duration.milliseconds(200)
    /// From the end of a socket to the signal that the link is gone.
    static let socketGrace = Duration.milliseconds(500)
    /// From the end of a characteristic to the end of its device, if that goes too.
    static let removalGrace = Duration.milliseconds(500)
    /// How long the end of a link may take.
    static let mostCutTime = Duration.seconds(10)
    /// So many failures in a row to connect, and bluetoothd is made to forget the device.
    static let strikesBeforeForgetting = 3
    /// Values kept until the link is ready; a device that sends more before is not heard.
    static let mostEarlyValues = 64
    /// Commands in a row, between requests that somebody waits for.
    static let mostCommands = 15

    /// Whether values may come and go.
    var isUsingCharacteristics: Bool {
        switch stage {
        case .subscribing, .ready: true
        case .searching, .connecting, .resolving, .closing: false
        }
    }

    let request: LinkRequest
    let handler: @Sendable (LinkEvent) -> Void
    var stage = Stage.searching
    /// The device object.
    var device: String?
    /// Paths of the service's characteristics.
    var characteristics: [BluetoothUUID: String] = [:]
    /// Sockets of characteristics that have one.
    var sockets: [BluetoothUUID: PacketSocket] = [:]
    /// What bluetoothd has said about the ATT MTU.
    var mtus: [Int] = []
    /// How many commands have gone to a characteristic since the last request.
    var commands: [BluetoothUUID: Int] = [:]
    /// Connect has been called and not been answered.
    var isConnectCalled = false
    /// The link is of our making.
    var isOurs = false
    var aborts = 0
    /// Services are resolved, but what was asked for is not among them yet.
    var isAwaitingServices = false
    var timer: ScheduledWork?
    /// Notifications that beat the answer to StartNotify (hbldh/bleak#374), or came while other sockets were still to be had.
    var early: [(value: [UInt8], characteristic: BluetoothUUID)] = []
    /// How it is to end.
    var ending = LinkEnding.keepingShared
}
