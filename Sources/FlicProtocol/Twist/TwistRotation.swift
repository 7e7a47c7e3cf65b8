/// The host's side of the rotation of a Flic Twist in one session: its positions, and the moves of their windows (protocol 14.3).
struct TwistRotation: Sendable {
    private(set) var positions: [TwistPosition]
    /// Number of ← 10 seen.
    private(set) var received: UInt32 = 0
    /// Number of → 14 made. By it the Twist says which one it means.
    private(set) var updates: UInt16 = 0
    /// The number of the latest → 14 of each mode, unless the Twist is known to have taken it.
    private var pending: [UInt8: UInt16] = [:]

    /// - Parameter configuration: What the start of the session names.
    init(_ configuration: Twist.Configuration) {
        positions = (0..<Twist.Configuration.count).map { TwistPosition(visible: configuration[$0].position) }
    }

    /// The configuration with the present positions.
    func present(in configuration: Twist.Configuration) -> Twist.Configuration {
        var present = configuration
        for index in positions.indices { present[index].position = positions[index].visible }
        return present
    }

    /// Follows a ← 10.
    ///
    /// - Returns: The turn; nil if the mode is none that is known, or the knob cannot have been turned so.
    mutating func receive(_ notification: Twist.TwistEventNotification) -> TwistTurn? {
        received &+= 1
        let mode = Int(notification.twistModeIndex)
        guard positions.indices.contains(mode), notification.turning.isPossible else { return nil }
        positions[mode].turn(notification.turning)
        return TwistTurn(mode: notification.twistModeIndex, delta: notification.totalDelta, position: positions[mode].visible)
    }

    /// Moves a window so that the Twist stands there. Everything that it has sent since is followed from there on both sides.
    ///
    /// - Returns: The → 14 to send; nil if there is no such mode.
    mutating func show(_ visible: UInt16, mode: UInt8) -> Twist.UpdateTwistPosInd? {
        guard positions.indices.contains(Int(mode)) else { return nil }
        positions[Int(mode)].show(visible)
        return update(of: mode)
    }

    /// Learns from a ← 10 what has become of the → 14s up to the one that it names.
    ///
    /// - Returns: Those to send once more, as they came too late: more reports were on their way than the Twist keeps.
    mutating func updates(after notification: Twist.TwistEventNotification) -> [Twist.UpdateTwistPosInd] {
        guard !pending.isEmpty else { return [] }
        let known = pending.filter { notification.lastKnownHubPacketCounter &- $0.value < 1 << 15 }.keys.sorted()
        for mode in known { pending[mode] = nil }
        return notification.hubUpdateWasTooOld ? known.map { update(of: $0) } : []
    }

    private mutating func update(of mode: UInt8) -> Twist.UpdateTwistPosInd {
        updates &+= 1
        pending[mode] = updates
        var update = Twist.UpdateTwistPosInd()
        update.twistModeIndex = mode
        update.newMinimum = positions[Int(mode)].minimum
        update.receivedUpdates = received
        return update
    }
}

extension Twist.TwistEventNotification {
    package var turning: TwistPosition.Turning {
        get { TwistPosition.Turning(total: totalDelta, lowest: minimumDelta, highest: maximumDelta, topWasLast: lastUpdateWasTop) }
        set {
            totalDelta = newValue.total
            minimumDelta = newValue.lowest
            maximumDelta = newValue.highest
            lastUpdateWasTop = newValue.topWasLast
        }
    }
}
