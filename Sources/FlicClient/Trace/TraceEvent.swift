import FlicProtocol
import GATT

/// Something that happened, as it is handed over to be recorded.
enum TraceEvent: Sendable {
    case adapter(CentralState)
    /// What is listened for from now on.
    case discovery(DiscoveryFilter?, DiscoveryReach)
    /// The computer was asleep.
    case resumed
    /// A link was asked for.
    case open(UInt64, BluetoothAddress, Dialect)
    case link(UInt64, LinkEvent)
    case write(UInt64, [UInt8])
    /// The end of a link was asked for.
    case close(UInt64, LinkEnding)
    case session(Int, link: UInt64, HostSession.Call, [HostSession.Action])
    case told(ButtonNotice, serialNumber: String)
}
