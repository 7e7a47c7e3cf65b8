/// The connection of a button.
@nonexhaustive
public enum FLICButtonState: Int, Sendable {
    /// No connection, and none is pending: the button will not connect unless ``FLICButton/connect()`` is called.
    case disconnected
    /// A connection is pending: it is made as soon as the button can be reached, which may take days.
    case connecting
    /// There is a Bluetooth connection, not necessarily verified; see ``FLICButton/isReady``.
    case connected
    /// The connection is being ended. Lasts for a few seconds at most.
    case disconnecting
}
