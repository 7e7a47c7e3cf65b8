/// Watching a session: with what an observer hears, another session can be led through the same life.
extension HostSession {
    /// Hears what the session was asked, at what time where that matters, and what it answers. Called at the end of each call that can
    /// change anything. The memory has the pairing in it: what is kept of it is the observer's care.
    package typealias Observer = @Sendable (Call, _ now: Duration?, ArraySlice<Action>) -> Void

    /// A call of the session.
    package enum Call: Equatable, Sendable {
        case start(Beginning)
        /// The frame is the one that has just come.
        case receive
        /// Something was due.
        case tick
        case probe
        case rename(Rename)
        case setConnectionParameters(SessionSettings.ConnectionParameters)
        case setAutoDisconnectTime(UInt16)
        case setAdvertising(SessionSettings.Advertising)
        case setPushTwist(DuoButtons)
        case setTwist(Twist.Configuration)
        case setTwistPosition(UInt16, mode: UInt8)
        case updateFirmware(FirmwareImage, wasSent: Bool)
        case abortFirmwareUpdate
        case close
    }

    /// What a session was made with.
    package struct Beginning: Equatable, Sendable {
        package var peer: Peer
        package var memory: Memory?
        package var mtu: Int
        package var settings: SessionSettings
        package var flags: UInt8

        package init(peer: Peer, memory: Memory?, mtu: Int, settings: SessionSettings, flags: UInt8) {
            self.peer = peer
            self.memory = memory
            self.mtu = mtu
            self.settings = settings
            self.flags = flags
        }
    }

    /// A new session like the one that began so.
    package init(_ beginning: Beginning) {
        self.init(
            peer: beginning.peer,
            memory: beginning.memory,
            mtu: beginning.mtu,
            settings: beginning.settings,
            flags: beginning.flags
        )
    }
}
