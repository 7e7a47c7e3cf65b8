import FlicClient
import FlicProtocol
public import GATT

/// What can be seen of a button from inside.
extension SimulatedButton {
    /// Its Bluetooth address.
    public nonisolated var address: BluetoothAddress { identity.address }

    /// Identifies the time since the battery was put in.
    public var bootID: UInt32 { firmware.bootID }

    /// Number of the latest event; of a Flic Duo, that of its big button.
    public var eventCount: UInt32 { firmware.eventCount }

    /// Number of the latest event of a button; 1 is the small one of a Flic Duo.
    public func eventCount(of number: Int) -> UInt32 { number == 1 ? firmware.duo.encoder.counter : firmware.eventCount }

    /// Number of the event that a client acknowledged last in a session that still exists; nil if none was.
    public var acknowledgedEventCount: UInt32? { firmware.acknowledgedCount }

    /// Where a Flic Twist stands in a mode, 0 to 1; nil for others, and before a client has said where to begin.
    public func twistPosition(mode: Int = 0) -> Double? {
        let positions = firmware.twist.positions
        return positions.indices.contains(mode) ? Double(positions[mode].visible) / Double(Twist.turn) : nil
    }

    /// What the lights of a Flic Twist show in a mode, as a client has said: 0 nothing, 1 fill, 2 point, 3 single (protocol 14.2).
    public func twistLights(mode: Int = 0) -> Int { Int(firmware.twist.configuration[mode].ledMode) }

    /// Number of pairings.
    public var pairingCount: Int { firmware.pairings.all.count }

    /// Number of verified logical connections.
    public var sessionCount: Int { firmware.sessionCount }

    /// Whether a host is connected.
    public var isConnected: Bool { firmware.isLinked }

    /// Whether it can be paired.
    public var isPublic: Bool { firmware.isPublic }

    /// Whether it advertises.
    public var isAdvertising: Bool { firmware.advertising != nil }

    /// The name that users gave it; empty if none.
    public var name: String { String(decoding: firmware.name.text, as: UTF8.self) }

    /// Number of the installed firmware.
    public var firmwareVersion: UInt32 { firmware.firmwareVersion }

    /// How far a firmware update has come, in words of 32 bits, or in bytes with an image for a Duo; nil if there is none.
    public var firmwareUpdatePosition: Int? { firmware.updatePosition }

    /// How often clients have set up its advertising since the last reboot.
    public var advertisingSetUps: Int { firmware.advertisingSetUps }

    /// The link parameters that a client asked for since the last reboot.
    public var connectionParameters: ConnectionParameters? {
        firmware.connectionParameters.map { parameters in
            ConnectionParameters(
                minimumInterval: .microseconds(1250 * Int(parameters.minimumInterval)),
                maximumInterval: .microseconds(1250 * Int(parameters.maximumInterval)),
                latency: Int(parameters.latency),
                timeout: .milliseconds(10 * Int(parameters.timeout))
            )
        }
    }

    /// Parameters of a Bluetooth link (protocol 9.5).
    public struct ConnectionParameters: Sendable, Equatable {
        /// Shortest time between two connection events.
        public let minimumInterval: Duration
        /// Longest time between two connection events.
        public let maximumInterval: Duration
        /// Connection events that the button may sleep through.
        public let latency: Int
        /// Time without a sign of life after which the link counts as lost.
        public let timeout: Duration
    }
}
