/// One connection to a broker, from its first packet to its end; it is not made again.
///
/// It belongs to its loop: all calls are made there, and so are those of the handler that it was opened with.
package protocol MQTTConnection: AnyObject {
    /// Hands a message over. An error is also the end of the connection, which is told by ``MQTTConnectionEvent/ended(_:)``, unless its code is `invalid`:
    /// then only the message is of no use.
    ///
    /// - Returns: The number by which ``MQTTConnectionEvent/acknowledged(_:)`` speaks of it.
    func publish(_ message: MQTTMessage) throws(MQTTError) -> Int32

    /// Asks for all messages whose topics match a filter.
    func subscribe(to filter: String)

    /// Says goodbye, so that the will is not published, and ends. ``MQTTConnectionEvent/ended(_:)`` follows within two seconds.
    func close()

    /// Ends at once and without a goodbye. Nothing is told any more.
    func abandon()
}

/// What is told of a connection.
package enum MQTTConnectionEvent: Sendable {
    /// The broker has accepted the client.
    case opened
    /// The broker has a message; by its number.
    case acknowledged(Int32)
    /// Somebody has published something.
    case received(MQTTMessage)
    /// The broker does not allow a subscription.
    case subscriptionRefused
    /// The end; nil after a goodbye. Nothing comes after it.
    case ended(MQTTError?)
}

/// Begins a connection. What it tells comes later, never while it is being called.
package typealias MQTTOpener = @Sendable (MQTTOptions, _ hear: @escaping (MQTTConnectionEvent) -> Void) -> any MQTTConnection
