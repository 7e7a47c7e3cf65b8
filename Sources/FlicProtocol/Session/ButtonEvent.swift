/// An event as the button reported it, with its own counter and its age.
package struct ButtonEvent: Hashable, Sendable {
    /// Button clock, 32,768 ticks a second.
    package static let ticksPerSecond: UInt64 = 32_768

    package var code: EventCode
    /// The counter of this event (protocol 7.3).
    package var count: UInt32
    /// Ticks of the button clock at the event.
    package var timestamp: UInt64
    /// Happened before the session was ready.
    package var wasQueued: Bool
    /// Ticks between the event and the start of the session; 0 if it was not queued (protocol 7.5).
    package var ageTicks: UInt64
    /// Which button of a Flic Duo; others have but one.
    package var button: DuoButton
    /// A movement of the hand during the press; only of a Flic Duo, from the up on.
    package var gesture: DuoEvent.Gesture?
    /// At the event; nil where the device does not measure it.
    package var acceleration: DuoEvent.Acceleration?
    /// In which mode of a Flic Twist, 0 to 12; nil for others, and where it does not say so.
    package var twistMode: UInt8?

    package init(
        code: EventCode,
        count: UInt32,
        timestamp: UInt64,
        wasQueued: Bool,
        ageTicks: UInt64,
        button: DuoButton = .big,
        gesture: DuoEvent.Gesture? = nil,
        acceleration: DuoEvent.Acceleration? = nil,
        twistMode: UInt8? = nil
    ) {
        self.code = code
        self.count = count
        self.timestamp = timestamp
        self.wasQueued = wasQueued
        self.ageTicks = ageTicks
        self.button = button
        self.gesture = gesture
        self.acceleration = acceleration
        self.twistMode = twistMode
    }

    /// Seconds, to the nearest; half a second rounds up (contract B.6.6).
    package var ageSeconds: Int { Int((ageTicks + Self.ticksPerSecond / 2) / Self.ticksPerSecond) }
}
