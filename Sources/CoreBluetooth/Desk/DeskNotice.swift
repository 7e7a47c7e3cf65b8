import BlueZ
import GATT

/// What a ``PeripheralDesk`` tells, in the order in which it happened.
enum DeskNotice: Sendable {
    case state(CentralState)
    /// How the adding of a service went.
    case added(ServiceTable.ID, Refusal?)
    /// Services and advertising are over, as bluetoothd or the adapter has gone (contract D30).
    case forgotten
    /// How the start of advertising with this number went.
    case advertising(Int, Refusal?)
    case subscribed(AttributeID, RemoteCentral)
    case unsubscribed(AttributeID, BluetoothAddress)
    case read(RequestID, AttributeID, offset: Int, RemoteCentral)
    case write(RequestID, AttributeID, value: [UInt8], offset: Int, RemoteCentral)
    /// A request has been answered in the program's place, which took too long.
    case expired(RequestID)
    /// So many updates have been taken by bluetoothd. Not for the delivery queue.
    case sent(Int)
    /// A central is gone.
    case disconnected(BluetoothAddress)
    case channelPublished(CBL2CAPPSM, Refusal?)
    case channelUnpublished(CBL2CAPPSM, Refusal?)
    case channelOpened(L2CAPSocket, CBL2CAPPSM)
    case channelFailed(Refusal)
}
